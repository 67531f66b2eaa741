"""The schedule that ``tiltyard plan`` prints."""

from __future__ import annotations

from tests.tournaments.formats.playing import field_of

from tiltyard_engine.formats import Fixture
from tiltyard_simulator.play.tables import render
from tiltyard_tournaments.cli.plan import headers_of, schedule_rows


def test_a_row_a_match() -> None:
    field = field_of(3, 2)
    rows = list(schedule_rows(field, [Fixture((2, 0), 1, 0, "final"), Fixture((0, 1), 0, 4)]))
    assert render(headers_of(field), rows, "csv").splitlines() == [
        "match,stage,map,game,player 1,player 2",
        "1,final,map-1,1,team-2,team-0",
        "2,,map-0,5,team-0,team-1",
    ]


def test_a_column_a_seat() -> None:
    assert headers_of(field_of(4, seats=4))[-4:] == ("player 1", "player 2", "player 3", "player 4")
