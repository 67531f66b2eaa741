from __future__ import annotations

import pytest
from tests.cycles.test_words import circle, season
from tests.tournaments.made_matches import many

from tiltyard_cycles.hook import TABLES
from tiltyard_cycles.tables import table
from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import Outcome

OWN_TABLES = [name for name in TABLES if name != "fair-maps"]
GAMES = [*circle(30), *season(*((name, "dog", 24, 2, 4) for name in ("ant", "bee", "cat")))]


def numbers(name: str, games: list[Outcome]) -> dict[str, list[float]]:
    """The rows of a table by their teams."""
    return {str(team): [float(cell) for cell in cells] for team, *cells in table(name, games).rows}


def test_nash_weighs_a_circle_and_leaves_out_the_rest() -> None:
    rows = numbers("nash", GAMES)
    assert list(rows)[-1] == "dog"
    for name in ("ant", "bee", "cat"):
        weight, low, high, skill, _, _ = rows[name]
        assert weight == pytest.approx(100 / 3, abs=0.1)
        assert low < weight < high
        assert skill == 0
    weight, _, _, skill, least, most = rows["dog"]
    assert weight == 0
    assert least < skill < most < 0


def test_alpha_rank_gives_a_circle_all_the_time() -> None:
    shown = table("alpha-rank", GAMES)
    assert {row[0]: row[1] for row in shown.rows} == {"ant": 33.3, "bee": 33.3, "cat": 33.3, "dog": 0.0}


def test_pairs_that_never_met_have_what_the_ratings_expect() -> None:
    rows = numbers("nash", season(("ant", "bee", 30, 0, 10), ("bee", "cat", 30, 0, 10)))
    assert list(rows) == ["ant", "bee", "cat"]
    assert rows["ant"][0] > 99


def test_pairs_stand_in_the_order_of_what_is_off() -> None:
    shown = table("fit", season(("ant", "bee", 9, 0, 1), ("bee", "cat", 5, 0, 5), ("cat", "ant", 6, 2, 2)))
    off = [float(row[5]) for row in shown.rows]
    assert off == sorted(off, reverse=True)
    assert {row[:4] for row in shown.rows} == {("ant", "bee", 10, 9), ("bee", "cat", 10, 5), ("cat", "ant", 10, 7)}


@pytest.mark.parametrize("name", OWN_TABLES)
def test_two_teams_one_and_none(name: str) -> None:
    assert table(name, []).rows == ()
    assert len(table(name, season(("ant", "bee", 3, 1, 2))).rows) == (1 if name == "fit" else 2)


@pytest.mark.parametrize("name", OWN_TABLES)
def test_games_of_three_are_refused(name: str) -> None:
    with pytest.raises(UserError, match=f"the table {name} needs games of two"):
        table(name, [many(1, 2, 3)])
