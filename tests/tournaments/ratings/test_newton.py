from __future__ import annotations

from itertools import combinations
from math import exp

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tiltyard_tournaments.ratings.davidson import _Likelihood
from tiltyard_tournaments.ratings.newton import Evaluated, Vector, maximise

COUNTS = st.sampled_from([0, 0, 1, 2, 10, 1000, 10**6])


def names(number: int) -> list[str]:
    return [f"team{each:03}" for each in range(number)]


@pytest.mark.parametrize(("teams", "ties"), [(2, 1), (142, 10), (20, 10**6), (2, 10**9)])
def test_ties_alone_however_many(teams: int, ties: int) -> None:
    """Sums of very many games are rounded by more than a step is worth."""
    pairs = dict.fromkeys(combinations(names(teams), 2), (0, ties, 0))
    likelihood = _Likelihood(names(teams), pairs, 4.6)
    point, _ = maximise(likelihood, np.zeros(likelihood.size))
    assert list(point[:-1]) == pytest.approx([0.0] * teams, abs=1e-9)
    # Where the derivative by log(tie) is 0: games that were no ties by the model, less the prior's pull.
    no_ties = len(pairs) * ties * 2 / (2 + exp(point[-1]))
    assert no_ties == pytest.approx(point[-1] / 4.6**2, rel=1e-6)


@given(st.lists(st.tuples(COUNTS, COUNTS, COUNTS), min_size=6, max_size=6), st.sampled_from([0.5, 4.6]))
@example([(0, 10**6, 0), (0, 0, 1), (1, 0, 0), (0, 0, 0), (10**6, 0, 0), (0, 1, 0)], 4.6)
@settings(max_examples=100, deadline=None)
def test_a_maximum_is_found_whatever_was_played(counts: list[tuple[int, int, int]], deviation: float) -> None:
    likelihood = _Likelihood(names(4), dict(zip(combinations(names(4), 2), counts)), deviation)
    point, information = maximise(likelihood, np.zeros(likelihood.size))
    _, gradient, _ = likelihood(point)
    assert np.max(np.abs(np.linalg.solve(information, gradient)), initial=0.0) < 1e-6 * max(1.0, np.max(np.abs(point)))


def test_nothing_to_be_found_is_where_it_started() -> None:
    point, _ = maximise(lambda point: (0.0, np.zeros(0), np.eye(0)), np.zeros(0))
    assert point.shape == (0,)


def test_a_function_without_a_maximum_is_an_error() -> None:
    def rising(point: Vector) -> Evaluated:
        return float(point[0]), np.ones(1), np.eye(1)

    with pytest.raises(ArithmeticError, match="no maximum found in 200 steps"):
        maximise(rising, np.zeros(1))


def test_numbers_that_are_none_are_an_error() -> None:
    with pytest.raises(ArithmeticError, match="no maximum found: a step is not a number"):
        maximise(lambda point: (0.0, np.full(1, np.nan), np.eye(1)), np.zeros(1))
