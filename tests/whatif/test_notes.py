"""Results are written down at once, and read whatever happened to the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tiltyard_engine.errors import UserError
from tiltyard_whatif.findings import Trial
from tiltyard_whatif.notes import Notes

TRIAL = Trial(answer="column 3", value=0.5, margin=-2.0, rounds=20, differs=7, rank=1, failed="crash", reason="LINE", message="Tie")


def test_what_was_added_is_read_again(tmp_path: Path) -> None:
    notes = Notes(tmp_path, "key", 2)
    assert list(notes.read()) == []
    notes.add((7, 1), TRIAL, 0.25)
    notes.add((9, 2), TRIAL, 0.25)
    assert list(Notes(tmp_path, "key", 2).read()) == [((7, 1), TRIAL), ((9, 2), TRIAL)]
    assert list(Notes(tmp_path, "key", 1).read()) == []


def test_a_line_that_was_cut_off_loses_nothing_else(tmp_path: Path) -> None:
    notes = Notes(tmp_path, "key", 1)
    notes.add((7, 1), TRIAL, 0.25)
    notes.add((9, 1), TRIAL, 0.25)
    notes.path.write_bytes(notes.path.read_bytes()[:-10])
    notes.add((11, 1), TRIAL, 0.25)
    assert [point for point, _ in notes.read()] == [(7, 1), (11, 1)]


def test_a_folder_that_cant_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "whatif").write_text("a file")
    with pytest.raises(UserError, match=r"whatif.*cannot be written"):
        Notes(tmp_path, "key", 1).add((7, 1), TRIAL, 0.25)
    with pytest.raises(UserError, match="cannot be read"):
        list(Notes(tmp_path, "key", 1).read())
