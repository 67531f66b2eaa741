from __future__ import annotations

from dataclasses import replace

import pytest
from tests.tournaments.made_matches import duel, many

from tiltyard_engine.match_record import Outcome
from tiltyard_tournaments.ratings.rate import MOST_SURE, rate, ratings_table


def test_the_model_fits_the_matches() -> None:
    assert rate([duel("ant", "bee", 1)]).model == "Bradley-Terry"
    assert rate([duel("ant", "bee", 0)]).model == "Bradley-Terry with Davidson's ties"
    assert rate([duel("ant", "bee", 0), many(1, 2, 3)]).model == "Plackett-Luce"


def test_the_table_says_who_is_better_and_how_sure_that_is() -> None:
    matches = [duel("ant", "bee", 1)] * 8 + [duel("ant", "bee", 2)] * 2 + [duel("bee", "cat", 1)] * 6 + [duel("bee", "cat", 2)] * 4
    ratings = rate(matches)
    table = ratings_table(ratings, ["ant", "bee", "cat", "emu"])
    assert table.headers == ("algorithm", "rating", "from", "to", "games", "better than next, %")
    assert [row[0] for row in table.rows] == ["ant", "bee", "cat", "emu"]
    estimate = ratings.rating("ant")
    assert table.rows[0][1:4] == (round(estimate.value), round(estimate.low), round(estimate.high))
    assert table.rows[0][5] == pytest.approx(100 * ratings.superiority("ant", "bee"), abs=0.06)
    assert table.rows[2][4:] == (10, "")
    assert table.rows[3] == ("emu", "", "", "", 0, "")
    assert "cannot be compared" not in table.title


def test_nothing_is_called_certain() -> None:
    assert ratings_table(rate([duel("ant", "bee", 1)] * 500 + [duel("ant", "bee", 2)])).rows[0][5] == MOST_SURE


def test_groups_apart_are_announced() -> None:
    assert "can't be compared" in ratings_table(rate([duel("ant", "bee", 1), duel("cat", "dog", 1)])).title


def test_no_games_are_an_empty_table() -> None:
    assert ratings_table(rate([])).rows == ()


def ending(match: Outcome, reason: str) -> Outcome:
    """A match of which something is known: two that ended for one reason went the same way."""
    return replace(match, reason=reason, digest=f"{reason} {match.winner}")


def test_repeats_make_nothing_surer() -> None:
    once = [ending(duel(*teams, 1), "alike") for teams in (("ant", "bee"), ("bee", "ant"))]
    once += [duel("ant", "bee", 1, "n"), duel("bee", "cat", 1)]
    often = rate([*once[:2] * 50, *once[2:]])
    # What is not known of one game on another map is no reason to take these two for anything else.
    assert often.repeats == 0
    known = [match if match.digest else ending(match, "other") for match in once]
    often = rate([*known[:2] * 50, *known[2:]])
    assert often.repeats == 98
    assert [often.rating(team) for team in ["ant", "bee", "cat"]] == [rate(known).rating(team) for team in ["ant", "bee", "cat"]]
    assert "; 98 games that only repeat others are left out" in ratings_table(often).title
    assert "left out" not in ratings_table(rate(known)).title
    assert often.games("ant") == 3
