"""The page about what people hand in says what the code does."""

from __future__ import annotations

import re

from tests.docs.pages import page, section

from tiltyard_simulator.intake.bounds import BOUNDS, EXPORT_BOUNDS, MIB, in_words
from tiltyard_simulator.intake.member_names import LONGEST_PART, LONGEST_PATH
from tiltyard_simulator.intake.roster import FIRST, GROUP, ID, LAST, NAME, USERNAME, simple
from tiltyard_simulator.intake.shape_names import canvas, moodle
from tiltyard_simulator.intake.unpack_errors import SENTENCES

TEXT = page("intake-shapes.md")


def test_every_sentence_is_there_in_its_order() -> None:
    rows = re.findall(r"^\| (.*) \|$", section(TEXT, "Messages"), re.MULTILINE)
    assert rows[1:] == [sentence.replace("{}", "…") for sentence in SENTENCES.values()]


def test_every_bound_is_there() -> None:
    rows = dict(re.findall(r"^\| (.*) \| (.*) \|$", section(TEXT, "Unpacking"), re.MULTILINE))
    assert rows["bytes written"] == in_words(BOUNDS.size)
    assert rows["files and folders written"] == f"{BOUNDS.files:,}"
    assert rows["entries in one archive, also those that are left out"] == f"{BOUNDS.listed:,}"
    assert rows["folders in folders"] == str(BOUNDS.depth)
    assert rows["archives in archives"] == str(BOUNDS.nesting)
    assert rows[f"contents against the archive, from {BOUNDS.ratio_from // MIB} MB on"] == f"{BOUNDS.ratio} times"
    assert rows["one name, a whole path"] == f"{LONGEST_PART} bytes, {LONGEST_PATH:,} bytes"
    assert f"{EXPORT_BOUNDS.size // (1024 * MIB)} GB\nand {EXPORT_BOUNDS.files:,} files" in section(TEXT, "Unpacking")


def test_names_of_columns_are_known() -> None:
    rows = dict(re.findall(r"^\| (.*) \| (`.*) \|$", section(TEXT, "The list of students"), re.MULTILINE))
    known = {"name": NAME | FIRST | LAST, "id": ID, "user name": USERNAME, "group": GROUP}
    assert set(rows) == set(known)
    for column, words in rows.items():
        assert {simple(word) for word in re.findall("`(.*?)`", words)} <= known[column]


def test_names_of_platforms_are_taken_apart() -> None:
    names = re.findall("`([^`]*?)/?`", section(TEXT, "Shapes"))
    assert sum(moodle(name) is not None for name in names) == 2
    assert sum(canvas(name) is not None for name in names) == 3
