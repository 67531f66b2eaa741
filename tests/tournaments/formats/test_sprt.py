"""The sequential test: its numbers, its symmetry, and how often it is wrong."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltyard_tournaments.formats.sprt import OUTCOMES, expected_share, look

counts_of_all_kinds = st.lists(st.integers(0, 200), min_size=5, max_size=5)


def test_elo_points_as_they_are_known() -> None:
    assert expected_share(0) == 0.5
    assert expected_share(400) == pytest.approx(10 / 11)


def test_the_bound_is_walds() -> None:
    assert look([0] * 5, 50, 0.05).bound == pytest.approx(math.log(19))


@given(counts_of_all_kinds, st.floats(5, 200))
def test_swapped_teams_swap_the_sign(counts: list[int], elo: float) -> None:
    assert look(counts, elo, 0.05).ratio == pytest.approx(-look(counts[::-1], elo, 0.05).ratio, abs=1e-6)


@given(counts_of_all_kinds, st.integers(0, 4))
def test_a_better_outcome_raises_the_ratio(counts: list[int], outcome: int) -> None:
    counts[outcome] += 1
    better = counts.copy()
    if outcome < 4:
        better[outcome] -= 1
        better[outcome + 1] += 1
        assert look(better, 50, 0.05).ratio > look(counts, 50, 0.05).ratio


def test_with_two_outcomes_it_is_walds_test_of_a_coin() -> None:
    """Where every pair of games is won or lost as a whole, the likelihoods are those of a coin with the two shares."""
    share = expected_share(80)
    wins, losses = 70, 40
    ratio = (wins - losses) * math.log(share / (1 - share))
    assert look([losses, 0, 0, 0, wins], 80, 0.05).ratio == pytest.approx(ratio, abs=0.05)


def test_ties_make_it_faster() -> None:
    """The same share with less variance is more certain."""
    wide, narrow = [40, 0, 0, 0, 60], [0, 0, 60, 40, 0]
    assert sum(count * outcome for count, outcome in zip(narrow, OUTCOMES)) == 60
    assert look(narrow, 50, 0.05).ratio > 2 * look(wide, 50, 0.05).ratio


def test_the_worse_team_is_named_as_rarely_as_wanted() -> None:
    """At the very difference that the test is for, and with 5 % allowed; 200 tests with fixed chance."""
    elo, wrong, length = 80.0, 0, 0
    share = expected_share(elo)
    for run in range(200):
        chance = random.Random(run)
        counts = [0] * 5
        while not (verdict := look(counts, elo, 0.05).verdict):
            for _ in range(4):
                counts[2 * ((chance.random() < share) + (chance.random() < share))] += 1
                length += 1
        wrong += verdict < 0
    assert wrong <= 16
    assert length / 200 < 60
