"""Strengths and how certain they are."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tournaments.formats.playing import result_of

from tiltyard_engine.formats import Fixture, FixtureResult
from tiltyard_tournaments.formats.settled_statistics import PRIOR_DEVIATION, bradley_terry, repeats_itself, telling


def games(one: int, other: int, *winners: int) -> list[FixtureResult]:
    """Matches of two teams, each with a number of its own."""
    return [result_of(Fixture((one, other), 0, number), winner) for number, winner in enumerate(winners)]


matches = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 2)).filter(lambda match: match[0] != match[1]), max_size=60
)


def test_nothing_played_nothing_known() -> None:
    found = bradley_terry([], 3)
    assert found.order() == [0, 1, 2]
    assert [found.superiority(0, 1), found.superiority(1, 0)] == [0.5, 0.5]


def test_two_teams_by_hand() -> None:
    """The most probable difference solves wins - games * p = difference / (2 * prior variance), p its logistic."""
    found = bradley_terry(games(0, 1, *[1] * 30, *[2] * 10), 2)
    difference = found.values[0] - found.values[1]
    chance = 1 / (1 + math.exp(-difference))
    assert 30 - 40 * chance == pytest.approx(difference / (2 * PRIOR_DEVIATION**2), abs=1e-6)
    deviation = 1 / math.sqrt(40 * chance * (1 - chance) + 1 / (2 * PRIOR_DEVIATION**2))
    assert found.superiority(0, 1) == pytest.approx(0.5 * (1 + math.erf(difference / deviation / math.sqrt(2))), abs=1e-5)


def test_common_opponents_tell_something() -> None:
    results = games(0, 1, *[1] * 20) + games(1, 2, *[1] * 20)
    assert bradley_terry(results, 3).superiority(0, 2) > 0.99


def test_ties_are_half_a_win() -> None:
    assert bradley_terry(games(0, 1, 0, 0), 2).values == bradley_terry(games(0, 1, 1, 2), 2).values


@given(matches, st.randoms(use_true_random=False))
@settings(deadline=None)
def test_the_order_of_matches_does_not_matter_and_chances_add_up(played: list[tuple[int, int, int]], chance: random.Random) -> None:
    results = [result_of(Fixture((one, other), 0, number), winner) for number, (one, other, winner) in enumerate(played)]
    found = bradley_terry(results, 6)
    shuffled = results.copy()
    chance.shuffle(shuffled)
    assert bradley_terry(shuffled, 6) == found
    assert all(found.superiority(a, b) + found.superiority(b, a) == pytest.approx(1, abs=2e-6) for a in range(6) for b in range(a))
    assert [found.superiority(above, below) >= 0.5 for above, below in zip(found.order(), found.order()[1:])] == [True] * 5


@given(st.integers(1, 5000))
@settings(max_examples=30, deadline=None)
def test_a_clean_sweep_of_any_length_is_finite(length: int) -> None:
    found = bradley_terry(games(0, 1, *[1] * length), 2)
    assert 0 < found.values[0] < 10
    assert 0.5 < found.superiority(0, 1) <= 1


def repeated(digests: list[str]) -> list[FixtureResult]:
    return [result_of(Fixture((0, 1), 0, number), 1, digest=digest) for number, digest in enumerate(digests)]


@pytest.mark.parametrize(
    ("digests", "repeats"),
    [(["a"], False), (["a", "a"], True), (["a", "b"], False), (["a", "a", "b"], False), (["", ""], False), ([], False)],
)
def test_games_that_repeat_are_seen_by_their_digests(digests: list[str], repeats: bool) -> None:
    assert repeats_itself(repeated(digests)) is repeats
    assert len(telling(repeated(digests))) == (1 if repeats else len(digests))


def test_what_has_no_result_tells_nothing() -> None:
    assert telling([result_of(Fixture((0, 1), 0), 0, counts=False)]) == []


def test_different_maps_and_seats_are_no_repetition() -> None:
    fixtures = [Fixture((0, 1), 0), Fixture((1, 0), 0), Fixture((0, 1), 1)]
    results = [result_of(fixture, 1, digest="same") for fixture in fixtures]
    assert not repeats_itself(results)
    assert telling(results) == results
