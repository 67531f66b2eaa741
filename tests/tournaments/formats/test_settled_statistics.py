"""Strengths and how certain they are."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tournaments.formats.playing import result_of

from tiltyard_engine.formats import Fixture, FixtureResult
from tiltyard_engine.match_record import Outcome
from tiltyard_tournaments.formats.settled_statistics import PRIOR, rated_strengths, telling
from tiltyard_tournaments.ratings.davidson import fit_davidson


def games(one: int, other: int, *winners: int) -> list[FixtureResult]:
    """Matches of two teams, each with a number of its own."""
    return [result_of(Fixture((one, other), 0, number), winner) for number, winner in enumerate(winners)]


matches = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 2)).filter(lambda match: match[0] != match[1]), max_size=60
)


def test_nothing_played_nothing_known() -> None:
    found = rated_strengths([], 3)
    assert found.order() == [0, 1, 2]
    assert [found.superiority(0, 1), found.superiority(1, 0)] == [0.5, 0.5]


def test_it_is_what_the_ratings_say() -> None:
    results = games(0, 1, *[1] * 30, *[2] * 10, 0) + games(1, 2, 1, 2, 1)
    matches = [
        Outcome(teams=tuple("abc"[team] for team in result.fixture.seats), map="m", winner=result.winner, ranks=())
        for result in results
    ]
    ratings = fit_davidson(matches, prior=PRIOR)
    found = rated_strengths(results, 3)
    assert found.superiority(0, 1) == pytest.approx(ratings.superiority("a", "b"))
    assert ["abc"[team] for team in found.order()] == list(ratings.teams)


def test_a_team_without_a_match_is_average_and_unknown() -> None:
    found = rated_strengths(games(0, 2, 1, 1), 4)
    assert found.order() == [0, 1, 3, 2]
    assert found.superiority(0, 1) == 0.5


def test_common_opponents_tell_something() -> None:
    results = games(0, 1, *[1] * 20) + games(1, 2, *[1] * 20)
    assert rated_strengths(results, 3).superiority(0, 2) > 0.99


@given(matches, st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=30)
def test_the_order_of_matches_does_not_matter_and_chances_add_up(played: list[tuple[int, int, int]], chance: random.Random) -> None:
    results = [result_of(Fixture((one, other), 0, number), winner) for number, (one, other, winner) in enumerate(played)]
    found = rated_strengths(results, 6)
    shuffled = results.copy()
    chance.shuffle(shuffled)
    again = rated_strengths(shuffled, 6)
    assert again.order() == found.order()
    assert all(again.superiority(a, b) == found.superiority(a, b) for a in range(6) for b in range(a))
    assert all(found.superiority(a, b) + found.superiority(b, a) == pytest.approx(1, abs=1e-8) for a in range(6) for b in range(a))
    # The order is that of the most likely strengths; half of what is likely may lie a little to the other side of them.
    assert [found.superiority(above, below) > 0.45 for above, below in zip(found.order(), found.order()[1:])] == [True] * 5


@given(st.integers(1, 5000))
@settings(max_examples=30, deadline=None)
def test_a_clean_sweep_of_any_length_is_finite(length: int) -> None:
    found = rated_strengths(games(0, 1, *[1] * length), 2)
    assert found.order() == [0, 1]
    assert 0.5 < found.superiority(0, 1) <= 1


def repeated(digests: list[str]) -> list[FixtureResult]:
    return [result_of(Fixture((0, 1), 0, number), 1, digest=digest) for number, digest in enumerate(digests)]


def test_of_games_that_repeat_each_other_one_counts() -> None:
    assert telling(repeated(["a", "a", "a"])) == repeated(["a"])
    assert telling(repeated(["a", "a", "b"])) == repeated(["a", "a", "b"])


def test_what_has_no_result_tells_nothing() -> None:
    assert telling([result_of(Fixture((0, 1), 0), 0, counts=False)]) == []
