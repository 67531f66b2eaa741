"""The sequential test: its numbers, its symmetry, and how often it is wrong."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltyard_tournaments.formats.two_team_test import OUTCOMES, sprt_state
from tiltyard_tournaments.ratings.sprt import expected_score

counts_of_all_kinds = st.lists(st.integers(0, 200), min_size=5, max_size=5)


def test_the_bounds_are_walds() -> None:
    """Half of the error is for each of the two teams that could be called better by mistake."""
    now = sprt_state([0] * 5, 50, 0.05)
    assert [now.upper, now.lower] == pytest.approx([math.log(0.95 / 0.025), math.log(0.05 / 0.975)])
    assert (now.better, now.is_over) == (None, False)


@given(counts_of_all_kinds, st.floats(5, 200))
def test_swapped_teams_swap_the_ratios(counts: list[int], elo: float) -> None:
    first, second = sprt_state(counts, elo, 0.05).ratios
    assert sprt_state(counts[::-1], elo, 0.05).ratios == (second, first)


@pytest.mark.parametrize("outcome", range(4))
def test_a_better_outcome_is_better_for_the_first_team(outcome: int) -> None:
    counts = [10, 20, 40, 20, 10]
    better = counts.copy()
    better[outcome] -= 1
    better[outcome + 1] += 1
    (first, second), (more, less) = sprt_state(counts, 50, 0.05).ratios, sprt_state(better, 50, 0.05).ratios
    assert more > first
    assert less < second


def test_with_two_outcomes_it_is_walds_test_of_a_coin() -> None:
    """Where every pair of games is won or lost as a whole, the likelihoods are those of a coin with the two shares."""
    share = expected_score(80)
    wins, losses = 70, 40
    ratio = wins * math.log(share / 0.5) + losses * math.log((1 - share) / 0.5)
    assert sprt_state([losses, 0, 0, 0, wins], 80, 0.05).ratios[0] == pytest.approx(ratio, abs=0.05)


def test_ties_make_it_faster() -> None:
    """The same share with less variance is more certain."""
    wide, narrow = [40, 0, 0, 0, 60], [0, 0, 60, 40, 0]
    assert sum(count * outcome for count, outcome in zip(narrow, OUTCOMES)) == 60
    assert sprt_state(narrow, 50, 0.05).ratios[0] > 2 * sprt_state(wide, 50, 0.05).ratios[0]


@pytest.mark.parametrize(("elo", "right"), [(0, None), (100, 0), (-100, 1)])
def test_it_is_wrong_as_rarely_as_wanted(elo: float, right: int | None) -> None:
    """At the differences that the test is for, none and 100 Elo points, and with 5 % allowed; 150 tests with fixed chance."""
    wrong = pairs = 0
    share = expected_score(elo)
    for run in range(150):
        chance = random.Random(run)
        counts = [0] * 5
        while not (now := sprt_state(counts, 100, 0.05)).is_over:
            for _ in range(8):
                counts[2 * ((chance.random() < share) + (chance.random() < share))] += 1
                pairs += 1
        wrong += now.better != right
    assert wrong <= 12
    assert pairs / 150 < 80
