"""The page about what people hand in says what the code does."""

from __future__ import annotations

import re

from tests.docs.pages import blocks, page, section

from tiltyard_intake.archives.bounds import BOUNDS, EXPORT_BOUNDS, MIB, READ_FOR_WRITTEN, in_words
from tiltyard_intake.archives.decompression import MOST_MEMORY, MOST_STREAMS
from tiltyard_intake.archives.member_names import LONGEST_PART, LONGEST_PATH, MOST_PARTS
from tiltyard_intake.archives.unpack_errors import SENTENCES
from tiltyard_intake.exports.lms_names import canvas, moodle
from tiltyard_intake.exports.roster import FIRST, GROUP, ID, LAST, NAME, USERNAME, simple
from tiltyard_intake.report.source_archive import MOST_BYTES as MOST_KEPT
from tiltyard_intake.similarity.class_comparison import BOUNDS_OF_WORK, MOST_GIVEN
from tiltyard_intake.similarity.comparison import (
    COMMON_PART,
    FEWEST_SHARED,
    FEWEST_WITH_COMMON,
    LEAST_SHARE,
    MOST_PAIRS,
    MOST_PASSAGES,
)
from tiltyard_intake.similarity.fingerprints import FEWEST_KINDS, MOST_BYTES, PASSAGE, WINDOW

TEXT = page("intake-shapes.md")


def test_messages_are_as_they_are_shown() -> None:
    (messages,) = blocks(section(TEXT, "Messages"))
    shown = [line.partition(": ")[2] for line in messages.text.splitlines()]
    assert shown
    assert set(shown) <= set(SENTENCES.values())


def test_every_bound_is_there() -> None:
    rows = dict(re.findall(r"^\| (.*) \| (.*) \|$", section(TEXT, "Unpacking"), re.MULTILINE))
    assert rows["bytes written"] == in_words(BOUNDS.size)
    assert rows["files written"] == f"{BOUNDS.files:,}"
    assert rows["folders made"] == f"{BOUNDS.folders:,}"
    assert rows["entries in one archive, also those that are left out"] == f"{BOUNDS.members:,}"
    assert rows["folders in folders"] == str(BOUNDS.depth)
    assert rows["folders in folders of what is left out"] == str(MOST_PARTS)
    assert rows["archives in archives"] == str(BOUNDS.nesting)
    assert rows[f"contents against the archive, from {BOUNDS.ratio_from // MIB} MB on"] == f"{BOUNDS.ratio} times"
    assert rows["one name, a whole path"] == f"{LONGEST_PART} bytes, {LONGEST_PATH:,} bytes"
    assert rows["memory for xz and Zstandard"] == in_words(MOST_MEMORY)
    assert rows["compressed streams behind each other in one file"] == f"{MOST_STREAMS:,}"
    assert rows["bytes that are decompressed, also of what is left out"] == (
        f"{in_words(READ_FOR_WRITTEN * BOUNDS.size)}; from {in_words(READ_FOR_WRITTEN * BOUNDS.ratio_from)} on"
        f" {READ_FOR_WRITTEN * BOUNDS.ratio} times the archive"
    )
    assert rows["CPU time for all of it"] == f"{BOUNDS.cpu_seconds} seconds"
    assert rows["time on the clock for all of it"] == f"{BOUNDS.seconds} seconds"
    assert rows["memory for all of it"] == in_words(BOUNDS.memory)
    most = EXPORT_BOUNDS
    assert (
        f"{most.size // (1024 * MIB)} GB, {most.files:,} files and {most.folders:,} folders, and may take {most.cpu_seconds}"
        f" seconds of CPU time, {most.seconds // 3600} hours and {most.memory // (1024 * MIB)} GB of memory"
    ) in " ".join(section(TEXT, "Unpacking").split())


def test_how_works_are_compared_is_there() -> None:
    told = section(TEXT, "Works that are alike")
    words = " ".join(told.split())
    for part in (
        f"Of all passages of {PASSAGE} tokens",
        f"Equal code of {PASSAGE + WINDOW - 1} tokens",
        f"fewer than {FEWEST_KINDS} different tokens",
        f"if these are {FEWEST_WITH_COMMON} or more",
        f"has {LEAST_SHARE:.0%} or more".replace("%", " %"),
        f"at least {FEWEST_SHARED}, which",
        f"the {MOST_PAIRS} pairs with the most",
        f"the {MOST_PASSAGES} largest places",
        f"more than {in_words(MOST_KEPT)}, of which no copy is kept",
    ):
        assert part in words
    assert COMMON_PART == 0.5
    rows = dict(re.findall(r"^\| (.*) \| (.*) \|$", told, re.MULTILINE))
    assert rows["sources of one work, the smallest files first"] == in_words(MOST_BYTES)
    assert rows["given code"] == in_words(MOST_GIVEN)
    assert rows["CPU time for one work"] == f"{BOUNDS_OF_WORK.cpu_seconds} seconds"
    assert rows["memory for one work"] == in_words(BOUNDS_OF_WORK.memory)


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
