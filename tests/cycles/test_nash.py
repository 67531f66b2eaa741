from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltyard_cycles.many_fits import Values
from tiltyard_cycles.nash import log_odds, nash_mixtures


def antisymmetric(number: int, seed: int) -> Values:
    values = np.random.default_rng(seed).normal(size=(number, number))
    return np.asarray(values - values.T)


@given(st.integers(2, 12), st.integers(0, 10_000))
def test_nothing_beats_the_mixture(number: int, seed: int) -> None:
    payoffs = antisymmetric(number, seed)
    (mixture,) = nash_mixtures(payoffs[None])
    assert mixture.sum() == pytest.approx(1)
    assert (payoffs @ mixture).max() < 1e-5 * np.abs(payoffs).max()


@pytest.mark.parametrize("number", [3, 7, 20])
def test_it_is_the_solution_of_the_linear_programme(number: int) -> None:
    """Such games have one equilibrium alone, which any solver finds."""
    optimize = pytest.importorskip("scipy.optimize")
    games = np.stack([antisymmetric(number, seed) for seed in range(5)])
    for payoffs, mixture in zip(games, nash_mixtures(games), strict=True):
        bounds = {"A_ub": payoffs, "b_ub": np.full(number, 1e-12), "A_eq": np.ones((1, number)), "b_eq": [1.0]}
        assert mixture == pytest.approx(optimize.linprog(np.zeros(number), **bounds, method="highs").x, abs=1e-4)


def test_of_several_equilibria_the_one_of_greatest_entropy() -> None:
    """Scissors stand in the field twice: they share the weight that one had. All alike: all have the same."""
    circle = np.array([[0, 1, -1, -1], [-1, 0, 1, 1], [1, -1, 0, 0], [1, -1, 0, 0]], dtype=np.float64)
    mixtures = nash_mixtures(np.stack([circle, np.zeros((4, 4))]))
    assert mixtures[0] == pytest.approx([1 / 3, 1 / 3, 1 / 6, 1 / 6], abs=1e-5)
    assert mixtures[1] == pytest.approx([1 / 4] * 4)


def test_where_one_number_is_true_the_best_team_is_the_mixture() -> None:
    strengths = np.array([0.5, 3.0, 2.0])
    payoffs = (strengths[:, None] - strengths)[None]
    (mixture,) = nash_mixtures(payoffs)
    assert mixture == pytest.approx([0, 1, 0], abs=1e-9)
    assert payoffs[0] @ mixture == pytest.approx(strengths - 3)


def test_payoffs_are_the_logarithms_of_odds() -> None:
    assert log_odds(np.array([[0.5, 0.75], [0.25, 0.5]])) == pytest.approx(np.array([[0, np.log(3)], [-np.log(3), 0]]))
