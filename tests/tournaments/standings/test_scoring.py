from __future__ import annotations

from fractions import Fraction
from math import inf, nan

import pytest
from tests.tournaments.made_matches import NO_RESULT, duel, fault, many, scored

from tiltyard_engine.match_record import Outcome, bye
from tiltyard_engine.results import Termination
from tiltyard_tournaments.standings.scoring import Finish, Scoring, finishes, number, was_played
from tiltyard_tournaments.standings.scoring import points as exact_points

COURSE = Scoring()


def points(match: Outcome, scoring: Scoring) -> tuple[float | Fraction, ...]:
    return exact_points(match, scoring)


@pytest.mark.parametrize(("winner", "expected"), [(1, (3, 0)), (2, (0, 3)), (0, (1, 1))])
def test_three_for_a_win_one_for_a_tie(winner: int, expected: tuple[int, int]) -> None:
    assert points(duel("a", "b", winner), COURSE) == expected


def test_between_two_the_winner_decides_whatever_the_ranks_say() -> None:
    assert points(Outcome(teams=("a", "b"), map="m", winner=1, ranks=(1, 1)), COURSE) == (3, 0)
    assert points(Outcome(teams=("a", "b"), map="m", winner=0, ranks=(1, 2)), COURSE) == (1, 1)


def test_among_more_the_ranks_decide() -> None:
    assert finishes(many(2, 1, 2, 4)) == (Finish(2, 2), Finish(1, 1), Finish(2, 2), Finish(4, 1))
    assert points(many(2, 1, 2, 4), COURSE) == (0, 3, 0, 0)
    assert points(many(1, 1, 3), COURSE) == (1, 1, 0)


def test_ranks_need_not_be_places() -> None:
    assert finishes(Outcome(teams=("a", "b", "c"), map="m", winner=0, ranks=(0, 7, 7))) == (
        Finish(1, 1),
        Finish(2, 2),
        Finish(2, 2),
    )


def test_the_winner_stands_before_those_who_share_its_rank() -> None:
    assert finishes(Outcome(teams=("a", "b", "c"), map="m", winner=2, ranks=(1, 1, 1))) == (
        Finish(2, 2),
        Finish(1, 1),
        Finish(2, 2),
    )


def test_points_by_place_are_shared_by_those_who_share_places() -> None:
    scoring = Scoring(places=(5, 3, 1))
    assert points(many(1, 2, 3, 4), scoring) == (5, 3, 1, 0)
    assert points(many(1, 1, 3, 4), scoring) == (4, 4, 1, 0)
    assert points(many(1, 2, 2, 2), scoring) == (5, Fraction(4, 3), Fraction(4, 3), Fraction(4, 3))
    assert points(duel("a", "b", 0), scoring) == (4, 4)


def test_the_games_own_score() -> None:
    assert points(scored(duel("a", "b", 1), 2.5, -1), Scoring(by="score")) == (2.5, -1)
    assert points(duel("a", "b", 1), Scoring(by="score")) == (0, 0)


@pytest.mark.parametrize(("scores", "expected"), [((nan, 1.0), (0, 1)), ((inf,), (0, 0)), ((1.0, 2.0, 3.0), (1, 2))])
def test_scores_that_make_no_sense_are_nothing(scores: tuple[float, ...], expected: tuple[int, int]) -> None:
    assert points(scored(duel("a", "b", 1), *scores), Scoring(by="score")) == expected


@pytest.mark.parametrize("scoring", [COURSE, Scoring(places=(3, 1)), Scoring(by="score")])
def test_a_match_that_does_not_count_gives_nothing(scoring: Scoring) -> None:
    match = scored(duel("a", "b", 0, "m", NO_RESULT), 5, 5)
    assert (match.counts, points(match, scoring)) == (False, (0, 0))


def test_a_bye_is_a_win_and_not_played() -> None:
    assert points(bye("a"), COURSE) == (3,)
    assert not was_played(bye("a"))


def test_a_forfeit_is_not_played_and_a_crash_is() -> None:
    assert not was_played(duel("a", "b", 2, "m", fault(1, Termination.FORFEIT)))
    assert was_played(duel("a", "b", 2, "m", fault(1)))


def test_points_must_be_numbers() -> None:
    with pytest.raises(ValueError, match="finite"):
        Scoring(win=inf)
    with pytest.raises(ValueError, match="finite"):
        Scoring(places=(nan,))


def test_numbers_for_tables() -> None:
    shown = [number(value) for value in (Fraction(6, 2), Fraction(1, 3), 2.5)]
    assert [repr(value) for value in shown] == ["3", "0.333", "2.5"]
