"""What a marking has found survives whatever happens to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tiltyard_advance.outcome_file import OUTCOME_FILE, OutcomeFile
from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import PlayedMatch, SeatAccount
from tiltyard_engine.results import Fault, GameResult, Termination

RIGHT = PlayedMatch(
    key="key-1",
    claim=GameResult(1, "RIGHT", 1, ("abc",), message="m"),
    winner=1,
    accounts=(SeatAccount(held="process", wall_seconds=0.25),),
)
CRASHED = PlayedMatch(
    key="key-2",
    claim=GameResult(0, "CRASH", 1, ()),
    faults=(Fault(1, Termination.CRASH, "it broke", 1),),
    accounts=(SeatAccount(held="process", output=b"Traceback\nValueError\n"),),
)


def test_outcomes_are_there_the_next_time(tmp_path: Path) -> None:
    with OutcomeFile(tmp_path / "marks") as outcome_file:
        told = outcome_file.add(RIGHT)
        outcome_file.add(CRASHED)
    with OutcomeFile(tmp_path / "marks") as again:
        assert again.get("key-1") == told
        crashed = again.get("key-2")
        assert crashed is not None
        assert (crashed["fault"], crashed["said"]) == ("crash: it broke", "Traceback\nValueError")
        assert again.get("key-3") is None


def test_a_line_that_was_being_written_is_forgotten_and_the_next_is_whole(tmp_path: Path) -> None:
    with OutcomeFile(tmp_path) as outcome_file:
        outcome_file.add(RIGHT)
    path = tmp_path / OUTCOME_FILE
    path.write_bytes(path.read_bytes() + b'{"key": "key-2", "win')
    with OutcomeFile(tmp_path) as outcome_file:
        assert outcome_file.get("key-2") is None
        outcome_file.add(CRASHED)
    with OutcomeFile(tmp_path) as outcome_file:
        assert outcome_file.get("key-1") is not None
        assert outcome_file.get("key-2") is not None


def test_what_failed_because_of_the_machine_is_not_kept(tmp_path: Path) -> None:
    with OutcomeFile(tmp_path) as outcome_file:
        told = outcome_file.add(PlayedMatch(key="key", faults=(Fault(0, Termination.VOID, "its worker died"),)))
        assert told["void"]
        assert outcome_file.get("key") is None
    assert (tmp_path / OUTCOME_FILE).read_text() == ""


def test_lines_of_others_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / OUTCOME_FILE).write_text('[1]\n"a"\nnot json\n{"no": "key"}\n' + "[" * 100_000 + "\n")
    with OutcomeFile(tmp_path) as outcome_file:
        assert outcome_file.get("key") is None


def test_a_folder_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match="cannot be read or written"):
        OutcomeFile(tmp_path / "file" / "marks")
