"""How often each team beats each other one, as a matrix that has a number for every two, also for those that never met.

Results are mixed with PSEUDO_GAMES that went as the ratings expect: a pair that never met has what the ratings say, and a team that
won every game against another one still has no certain win. Intervals come from drawing the games of each pair again from what is
mixed so (a parametric bootstrap; B. Efron, R. Tibshirani, An Introduction to the Bootstrap, 1993).
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tiltyard_cycles.many_fits import Values, fit_all
from tiltyard_cycles.pair_counts import PairCounts

PSEUDO_GAMES: Final = 1.0
RESAMPLES: Final = 199
CONFIDENCE: Final = 95


def win_shares(pairs: PairCounts) -> Values:
    """Matrices of the share of points of the row's team against the column's: of the season, and of RESAMPLES drawn from it.

    A share and that of the other side are 1 together, and a team's own is 1/2.
    """
    number = len(pairs.teams)
    fit = fit_all(pairs, pairs.results[None])
    half = (fit.strengths[0][:, None] - fit.strengths[0]) / 2
    tie = float(np.exp(fit.tie[0]))
    top = np.abs(half)
    expected = (np.exp(half - top) + tie * np.exp(-top) / 2) / (np.exp(half - top) + tie * np.exp(-top) + np.exp(-half - top))
    prior = PSEUDO_GAMES * np.stack([chance[0] for chance in fit.chances(pairs)], axis=-1)
    chances = (pairs.results + prior) / (pairs.games + PSEUDO_GAMES)[:, None]
    draw = np.random.default_rng(0)
    resamples = draw.multinomial(pairs.games.astype(np.int64), chances, (RESAMPLES, len(chances)))
    seasons = np.concatenate([pairs.results[None], resamples]) + prior
    points = (seasons @ np.array([1.0, 0.5, 0.0])) / (pairs.games + PSEUDO_GAMES)
    shares = np.repeat(expected[None], len(seasons), axis=0)
    shares[:, pairs.one, pairs.other], shares[:, pairs.other, pairs.one] = points, 1 - points
    shares[:, np.arange(number), np.arange(number)] = 0.5
    return shares


def interval(values: Values) -> tuple[Values, Values]:
    """The ends of the interval of each column, from the rows of what was drawn."""
    low, high = np.percentile(values, [(100 - CONFIDENCE) / 2, (100 + CONFIDENCE) / 2], axis=0)
    return low, high
