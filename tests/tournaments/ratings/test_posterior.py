"""Chances and intervals after few games and clean sweeps, held against integrals that know nothing of the code under test."""

from __future__ import annotations

import random
from itertools import combinations
from math import exp, log, log1p

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tournaments.made_matches import NAMES, duel, many, orders

from tiltyard_engine.match_record import Outcome
from tiltyard_tournaments.ratings import posterior
from tiltyard_tournaments.ratings.model import ELO, PRIOR, Ratings
from tiltyard_tournaments.ratings.posterior import Posterior
from tiltyard_tournaments.ratings.rate import rate

COUNT = st.integers(0, 40)


def played(wins: int, losses: int, ties: int = 0) -> list[Outcome]:
    """Games of ant against bee."""
    return [duel("ant", "bee", winner) for winner, count in ((1, wins), (2, losses), (0, ties)) for _ in range(count)]


def log_density(difference: float, wins: int, losses: int) -> float:
    """Of the difference of two strengths in Bradley and Terry's model, up to a constant."""
    prior = -(difference**2) / 4 / (PRIOR / ELO) ** 2
    return prior - sum(count * log1p(exp(-side * difference)) for side, count in ((1, wins), (-1, losses)))


def integrated(wins: int, losses: int) -> float:
    """The probability that the first of two is stronger: a sum over fine steps."""
    steps = np.arange(0.0005, 40, 0.001)
    above, below = (sum(exp(log_density(side * step, wins, losses)) for step in steps) for side in (1, -1))
    return above / (above + below)


@pytest.mark.parametrize(
    ("wins", "losses", "chance"), [(3, 0, 0.9899), (10, 0, 0.99997), (9, 1, 0.9978), (30, 0, 1.0), (29, 1, 1.0), (2, 1, 0.7438)]
)
def test_of_two_teams_it_is_the_integral_of_the_model(wins: int, losses: int, chance: float) -> None:
    assert integrated(wins, losses) == pytest.approx(chance, abs=5e-5)
    assert rate(played(wins, losses)).superiority("ant", "bee") == pytest.approx(integrated(wins, losses), abs=2e-4)


@pytest.mark.parametrize(("wins", "losses"), [(3, 0), (10, 0), (9, 1), (1, 2)])
def test_an_interval_ends_where_the_likelihood_ratio_is_that_of_its_confidence(wins: int, losses: int) -> None:
    estimate = rate(played(wins, losses)).difference("ant", "bee")
    top = log_density(estimate.value / ELO, wins, losses)
    for end in (estimate.low, estimate.high):
        assert 2 * (top - log_density(end / ELO, wins, losses)) == pytest.approx(1.959964**2, abs=0.01)


@given(COUNT, COUNT, COUNT)
@settings(deadline=None)
def test_a_win_more_never_lowers_what_is_said_of_a_team(wins: int, losses: int, ties: int) -> None:
    one, more = rate(played(wins, losses, ties + 1)), rate(played(wins + 1, losses, ties + 1))
    assert more.superiority("ant", "bee") >= one.superiority("ant", "bee") - 1e-4
    before, after = one.difference("ant", "bee"), more.difference("ant", "bee")
    assert after.low > before.low
    assert after.value > before.value
    assert after.high > before.high


@given(orders(), st.permutations(NAMES))
@settings(deadline=None, max_examples=12)
def test_a_win_more_among_others_never_lowers_what_is_said_of_a_team(matches: list[Outcome], names: tuple[str, ...]) -> None:
    winner, *rest = names
    base = [*matches, many(1, 1, 1, 1)]
    one, more = rate(base), rate([*base, many(1, 2, 2, 2, teams=names)])
    for other in rest:
        assert more.superiority(winner, other) >= one.superiority(winner, other) - 1e-3
        assert more.difference(winner, other).low > one.difference(winner, other).low


@pytest.mark.parametrize("wins", [1, 3, 10, 100, 2000])
def test_a_clean_sweep_is_surer_the_longer_it_is(wins: int) -> None:
    shorter, longer = rate(played(wins, 0)), rate(played(wins + 1, 0))
    assert longer.superiority("ant", "bee") >= shorter.superiority("ant", "bee") > 0.9
    assert longer.difference("ant", "bee").low > shorter.difference("ant", "bee").low


def test_the_formula_near_the_normal_distribution_is_the_integral(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(4)
    for count in (1500, 4000, 20000):
        matches = played(chance.randint(count - 60, count + 60), count, count // 3)
        by_formula = rate(matches).superiority("ant", "bee")
        with monkeypatch.context() as patched:
            patched.setattr(posterior, "_NEARLY_NORMAL", -1.0)
            by_integral = rate(matches).superiority("ant", "bee")
        assert by_formula == pytest.approx(by_integral, abs=1e-4)
        assert by_formula != by_integral, "one way was taken twice"


def test_what_does_not_vary_is_a_point() -> None:
    still = Posterior(np.array([1.5]), np.zeros((1, 1)), lambda _, steps: np.zeros(len(steps)))
    assert still.interval(np.ones(1), 0.95) == (1.5, 1.5)
    assert rate([]).teams == ()


def coverage(ratings: Ratings, strengths: dict[str, float]) -> list[bool]:
    """Whether the intervals of the differences hold the true ones."""
    truth = {pair: strengths[pair[0]] - strengths[pair[1]] for pair in combinations(sorted(strengths), 2)}
    estimates = {pair: ratings.difference(*pair) for pair in truth}
    return [estimates[pair].low <= truth[pair] <= estimates[pair].high for pair in truth]


@pytest.mark.parametrize("spread", [200.0, 600.0])
def test_five_games_a_pair_and_sweeps_are_covered(spread: float) -> None:
    chance = random.Random(11)
    held: list[bool] = []
    for _ in range(150):
        strengths = {name: chance.gauss(0, spread) for name in NAMES}
        odds = {pair: 1 / (1 + exp((strengths[pair[1]] - strengths[pair[0]]) / ELO)) for pair in combinations(NAMES, 2)}
        matches = [duel(*pair, 1 if chance.random() < odds[pair] else 2) for pair in odds for _ in range(5)]
        held += coverage(rate(matches), strengths)
    assert 0.93 <= sum(held) / len(held) <= 0.98


def test_shared_last_places_are_covered() -> None:
    chance = random.Random(12)
    held: list[bool] = []
    for _ in range(100):
        strengths = {name: chance.gauss(0, 200) for name in NAMES}
        matches = []
        for _ in range(12):
            drawn = sorted(NAMES, key=lambda name: log(chance.expovariate(1)) - strengths[name] / ELO)
            seen = chance.choice((1, 2))
            matches.append(many(*range(1, seen + 1), *[seen + 1] * (4 - seen), teams=drawn))
        held += coverage(rate(matches), strengths)
    assert 0.93 <= sum(held) / len(held) <= 0.98
