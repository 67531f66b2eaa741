"""Rows for data frames, and what they look like as text."""

from __future__ import annotations

import json

import pytest

from tiltyard_engine.match_record import Outcome
from tiltyard_simulator.match.eligibility import counted_as_forfeits
from tiltyard_tournaments.library.rows import Row, Rows, seat_rows
from tiltyard_tournaments.standings import Scoring

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


def test_a_seat_that_forfeits_a_match_that_it_has_played_says_so() -> None:
    (match,) = counted_as_forfeits([Outcome(teams=("ant", "bee"), winner=1, ranks=(1, 2))], ["ant"])
    rows = seat_rows(match, Scoring())
    assert [(row["result"], row["points"], row["fault"]) for row in rows] == [("loss", 0.0, "forfeit"), ("win", 3.0, None)]
    assert rows[0]["fault_message"] == "Counts as a forfeit: ant quarantined"


def test_pandas_takes_them() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    assert pandas.DataFrame(Rows(ROWS)).shape == (30, 4)


def test_polars_takes_them() -> None:
    polars = pytest.importorskip("polars", reason="polars is not installed")
    assert polars.DataFrame(Rows(ROWS)).shape == (30, 4)
