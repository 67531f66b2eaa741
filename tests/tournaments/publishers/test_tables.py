from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import get_args

import pytest
from tests.tournaments.publishers.made_results import EVIL, TABLES, made_results

from tiltyard_engine.errors import UserError
from tiltyard_tournaments.publishers.tables import ENDINGS, CsvOptions, FileOptions, TableName, write_csv_files, write_one_file
from tiltyard_tournaments.running import tables


def test_the_tables_that_can_be_asked_for_are_those_that_there_are() -> None:
    assert get_args(TableName) == tuple(tables.TABLES)
    assert FileOptions().tables == tables.SHOWN


@pytest.mark.parametrize("style", ENDINGS)
def test_a_file_holds_all_tables_and_nothing_that_could_act(style: str, tmp_path: Path) -> None:
    (path,) = write_one_file(style, made_results(tmp_path), FileOptions())
    assert path == tmp_path / f"standings{ENDINGS[style]}"
    text = path.read_text(encoding="utf-8")
    for title in ("Standings", "Ratings", "Crosstable", "Points by map"):
        assert title in text
    assert "Faults" not in text
    if style == "json":
        assert json.loads(text)["Standings"][1]["algorithm"] == EVIL
    else:
        assert "<script" not in text
        assert "\x1b" not in text
    if style == "html":
        assert text.startswith("<!doctype html>\n")
        assert "default-src 'none'" in text


def test_what_is_hidden_is_in_no_table(tmp_path: Path) -> None:
    results = made_results(tmp_path, hide=frozenset(["ratings", "faults"]))
    options = FileOptions("deep/all.md", tuple(TABLES))  # type: ignore[arg-type]
    (path,) = write_one_file("markdown", results, options)
    text = path.read_text(encoding="utf-8")
    assert path == tmp_path / "deep" / "all.md"
    assert "## Games" in text
    assert "## Ratings" not in text
    assert "## Faults" not in text


def test_csv_files_have_the_tables_names(tmp_path: Path) -> None:
    paths = write_csv_files(made_results(tmp_path), CsvOptions("out", ("standings", "maps")))
    assert paths == [tmp_path / "out" / "standings.csv", tmp_path / "out" / "maps.csv"]
    with paths[1].open(newline="") as file:
        assert list(csv.reader(file))[1] == ["'=field", "3", "0"]


def test_a_table_that_there_is_not_and_a_folder_that_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no table is called 'standigs'; did you mean standings"):
        write_one_file("markdown", made_results(tmp_path), FileOptions("", ("standigs",)))  # type: ignore[arg-type]
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match="cannot be written: "):
        write_csv_files(made_results(tmp_path), CsvOptions("file"))
