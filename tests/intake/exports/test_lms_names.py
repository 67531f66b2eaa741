"""Names that platforms give to exported files, taken apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltyard_intake.exports.lms_names import NamedFile, again, canvas, common_start, moodle
from tiltyard_intake.trees.file_names import copied


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Ann Alder_1327627_assignsubmission_file_", ("Ann Alder", "1327627", "", False)),
        ("Ann Alder_1327627_assignsubmission_file", ("Ann Alder", "1327627", "", False)),
        ("Ann Alder_1327627_assignsubmission_file_my_bot.tar.gz", ("Ann Alder", "1327627", "my_bot.tar.gz", False)),
        ("Toni___Marie_Noel_657693_assignsubmission_file_", ("Toni___Marie_Noel", "657693", "", False)),
        ("Ann Alder_7_assignsubmission_onlinetext_onlinetext.html", ("Ann Alder", "7", "onlinetext.html", True)),
        ("Team A 12_assignsubmission_file_", ("Team A", "12", "", False)),
        ("Default group_assignsubmission_file_", ("Default group", "", "", False)),
    ],
)
def test_moodle(name: str, expected: tuple[str, str, str, bool]) -> None:
    found = moodle(name)
    assert found is not None
    assert (found.name, found.number, found.rest, found.typed) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("alderann_123_456_bot.zip", NamedFile(name="alderann", number="123", rest="bot.zip", upload=456)),
        ("alderann_LATE_123_456_bot.zip", NamedFile(name="alderann", number="123", rest="bot.zip", upload=456, late=True)),
        ("alderann_123_456_my_2_bot-1.zip", NamedFile(name="alderann", number="123", rest="my_2_bot-1.zip", upload=456)),
        ("tank_team_123_456_bot.zip", NamedFile(name="tank_team", number="123", rest="bot.zip", upload=456)),
        ("çelikcem_123_456_bot.zip", NamedFile(name="çelikcem", number="123", rest="bot.zip", upload=456)),
        ("anon_x7Kd2_456_bot.zip", NamedFile(name="anon_x7Kd2", number="x7Kd2", rest="bot.zip", upload=456)),
        ("LATE_anon_x7Kd2_456_bot.zip", NamedFile(name="anon_x7Kd2", number="x7Kd2", rest="bot.zip", upload=456, late=True)),
        ("alderann_123_text.html", NamedFile(name="alderann", number="123", rest="alderann_123_text.html", typed=True)),
        (
            "alderann_LATE_123_link.html",
            NamedFile(name="alderann", number="123", rest="alderann_LATE_123_link.html", late=True, typed=True),
        ),
    ],
)
def test_canvas(name: str, expected: NamedFile) -> None:
    assert canvas(name) == expected


@pytest.mark.parametrize(
    "name",
    [
        "bot.zip",
        "team_1_2_bot.zip",
        "2024_11_2200_bot.zip",
        "Algorithm_209277367_322542887_final.so",
        "ann_123.zip",
        "submission_123",
    ],
)
def test_names_of_nobody(name: str) -> None:
    assert moodle(name) is None
    assert canvas(name) is None


@given(st.text(max_size=60))
def test_any_name_is_taken_apart(name: str) -> None:
    for found in (moodle(name), canvas(name)):
        assert found is None or found.name


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("bot-1.zip", ("bot.zip", 1)),
        ("bot-12.tar.gz", ("bot.tar.gz", 12)),
        ("bot-1-2.cpp", ("bot-1.cpp", 2)),
        ("Makefile-3", ("Makefile", 3)),
        ("bot.zip", ("bot.zip", 0)),
        ("bot-2024.zip", ("bot-2024.zip", 0)),
        ("-1.zip", ("-1.zip", 0)),
    ],
)
def test_uploads(name: str, expected: tuple[str, int]) -> None:
    assert again(name) == expected


@pytest.mark.parametrize(
    ("stem", "expected"), [("bot (1)", ("bot", 1)), ("bot(12)", ("bot", 12)), ("bot", ("bot", 0)), ("(1)", ("(1)", 0))]
)
def test_copies(stem: str, expected: tuple[str, int]) -> None:
    assert copied(stem) == expected


@pytest.mark.parametrize(
    ("names", "folder", "start"),
    [
        (["hw1-ann", "hw1-bob"], "clones", "hw1-"),
        (["hw1-ann", "hw1-anna"], "clones", "hw1-"),
        (["hw1-a-b", "hw1-a-c"], "hw1-submissions", "hw1-"),
        (["ann", "bob"], "hw1", ""),
        (["hw1-ann"], "hw1-submissions", "hw1-"),
        (["hw1-ann"], "clones", ""),
        (["my-hw-ann", "my-hw-bob"], "x", "my-hw-"),
    ],
)
def test_the_assignment_before_names_of_clones(names: list[str], folder: str, start: str) -> None:
    assert common_start(names, folder) == start
