"""Rows for data frames, and what they look like as text."""

from __future__ import annotations

import json

import pytest

from tiltyard_tournaments.library.rows import Row, Rows

ROWS: list[Row] = [{"key": "f" * 32, "team": f"team {number}", "points": number / 3, "fault": None} for number in range(30)]


def test_they_are_a_list_of_dicts() -> None:
    rows = Rows(ROWS, "Points")
    assert rows == ROWS
    assert rows[0] is ROWS[0]
    assert json.loads(json.dumps(rows)) == ROWS


def test_as_text_they_are_small() -> None:
    lines = repr(Rows(ROWS)).splitlines()
    assert lines[0].split() == ["team", "points", "fault", "key"], "what people look for stands first"
    assert lines[3].split()[:3] == ["team", "1", "0.33"]
    assert len(lines) == 13
    assert lines[-1] == "... 20 more rows"
    assert repr(Rows(title="Points")) == "no rows of Points"
    assert repr(Rows([{f"column {number}": "x" * 30 for number in range(9)}])).splitlines()[0].endswith("...")


def test_pandas_takes_them() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    assert pandas.DataFrame(Rows(ROWS)).shape == (30, 4)


def test_polars_takes_them() -> None:
    polars = pytest.importorskip("polars", reason="polars is not installed")
    assert polars.DataFrame(Rows(ROWS)).shape == (30, 4)
