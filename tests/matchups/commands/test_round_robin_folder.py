from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tiltyard_engine.errors import UserError
from tiltyard_matchups.commands.round_robin import make_folder, write_folder
from tiltyard_simulator.output.tables import Table

TABLES = {"standings": Table("Standings", ("name", "points"), (("a,b", 3),)), "games": Table("Games", ("map",), (("m",),))}


def test_writes_text_without_the_games_and_all_tables(tmp_path: Path) -> None:
    write_folder(tmp_path, TABLES, "a report")
    text = (tmp_path / "results.txt").read_text()
    assert text.startswith("Standings\n\nname ")
    assert text.endswith("\n\na report\n")
    assert "Games" not in text
    assert list(csv.reader((tmp_path / "standings.csv").read_text().splitlines())) == [["name", "points"], ["a,b", "3"]]
    assert (tmp_path / "games.csv").read_text() == "map\nm\n"


def test_makes_a_new_folder_with_its_parents_or_takes_an_empty_one(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    assert make_folder(folder) == folder
    assert make_folder(folder).is_dir()


def test_refuses_a_folder_that_is_not_empty_or_none(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="isn't empty"):
        make_folder(tmp_path)
    with pytest.raises(UserError, match="is a file, expected a folder"):
        make_folder(tmp_path / "file")
