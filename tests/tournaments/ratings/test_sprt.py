from __future__ import annotations

import random
from math import log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tiltyard_tournaments.ratings.sprt import SprtResult, SprtVerdict, expected_score, sprt, sprt_of_scores

COUNT = st.integers(0, 400)


def test_walds_bounds() -> None:
    result = sprt(0, 0, 0, alpha=0.01, beta=0.1)
    assert (result.lower, result.upper) == pytest.approx((log(0.1 / 0.99), log(0.9 / 0.01)))
    assert (result.llr, result.games, result.verdict) == (0, 0, SprtVerdict.UNDECIDED)


@given(COUNT, COUNT, COUNT)
@settings(deadline=None)
def test_changing_sides_changes_the_sign(wins: int, ties: int, losses: int) -> None:
    assert sprt(wins, ties, losses).llr == pytest.approx(-sprt(losses, ties, wins).llr, abs=1e-6)


@given(COUNT, COUNT, COUNT)
@settings(deadline=None)
def test_a_win_more_never_speaks_for_the_lower(wins: int, ties: int, losses: int) -> None:
    assert sprt(wins + 1, ties, losses).llr > sprt(wins, ties, losses).llr - 1e-6


@given(st.integers(1, 400), st.integers(1, 400))
@settings(deadline=None)
def test_without_ties_it_is_the_test_of_a_coin(wins: int, losses: int) -> None:
    low, high = expected_score(-30), expected_score(50)
    expected = wins * log(high / low) + losses * log((1 - high) / (1 - low))
    assert sprt_of_scores({0.0: losses, 1.0: wins}, -30, 50).llr == pytest.approx(expected, abs=1e-6)


@given(st.integers(1, 300), st.integers(1, 300), st.integers(1, 300))
@settings(deadline=None)
def test_near_the_middle_it_is_the_normal_approximation(wins: int, ties: int, losses: int) -> None:
    games = wins + ties + losses
    mean = (wins + ties / 2) / games
    variance = (wins + ties / 4) / games - mean**2
    low, high = expected_score(-1), expected_score(1)
    shift = abs(mean - 0.5) / variance**0.5
    if shift < 0.1:
        expected = games * (high - low) * (2 * mean - low - high) / (2 * variance)
        assert sprt(wins, ties, losses, -1, 1).llr == pytest.approx(expected, rel=0.15, abs=0.01)


def test_decides_both_ways_and_says_so() -> None:
    assert sprt(40, 5, 2).verdict is SprtVerdict.HIGH
    assert sprt(2, 5, 40).verdict is SprtVerdict.LOW
    assert sprt(22, 5, 20).verdict is SprtVerdict.UNDECIDED
    assert sprt(40, 5, 2).statement("ant", "bee") == (
        "after 47 games +20 Elo for ant over bee is accepted against -20; "
        "were it -20 or less, this would happen in about 5 % of tests at most"
    )
    assert "-20 Elo for ant over bee is accepted against +20; were it +20 or more" in sprt(2, 5, 40).statement("ant", "bee")
    assert sprt(22, 5, 20).statement("ant", "bee").startswith("undecided after 47 games")


def test_a_clean_sheet_decides_only_after_enough_games() -> None:
    verdicts = [sprt(games, 0, 0).verdict for games in range(60)]
    assert verdicts[5] is SprtVerdict.UNDECIDED
    assert verdicts[-1] is SprtVerdict.HIGH


def play(chance: random.Random, score: float) -> SprtResult:
    """Pairs of games of a third ties until it is decided."""
    counts = [0, 0, 0]
    while True:
        for _ in range(10):
            roll = chance.random()
            counts[0 if roll < score - 1 / 6 else 1 if roll < score + 1 / 6 else 2] += 1
        result = sprt(counts[0], counts[1], counts[2], -60, 60, alpha=0.1, beta=0.1)
        if result.verdict is not SprtVerdict.UNDECIDED:
            return result


def test_errs_about_as_seldom_as_promised() -> None:
    chance = random.Random(4)
    wrong = sum(play(chance, expected_score(-60)).verdict is SprtVerdict.HIGH for _ in range(400))
    # 10 % are promised; 400 tests with 13 % or more of errors would be a chance of 3 in 100 at exactly 10 %.
    assert wrong <= 52


def test_pairs_count_their_games() -> None:
    result = sprt_of_scores({0.0: 1, 0.25: 0, 0.5: 8, 0.75: 4, 1.0: 3}, games=2)
    assert result.games == 32
    assert result.llr > 0


@pytest.mark.parametrize(
    ("change", "part"),
    [({"alpha": 0}, "risks"), ({"beta": 0.5}, "risks"), ({"low": 5, "high": 5}, "below"), ({"high": float("inf")}, "below")],
)
def test_numbers_that_make_no_test_are_refused(change: dict[str, float], part: str) -> None:
    with pytest.raises(ValueError, match=part):
        sprt(1, 1, 1, **change)


@pytest.mark.parametrize("counts", [{0.0: 1, 0.5: 2}, {0.0: 1, 1.0: -1}, {0.0: 1, 1.0: 1, 2.0: 1}])
def test_scores_that_make_no_test_are_refused(counts: dict[float, int]) -> None:
    with pytest.raises(ValueError, match="scores from 0 to 1"):
        sprt_of_scores(counts)
