"""Davidson's model for many seasons of the same pairs at once: as the ratings have it, and held against them in the tests.

A test by simulation fits a few hundred seasons, so all of them take each step of Newton's method together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tiltyard_cycles.pair_counts import PairCounts
from tiltyard_tournaments.ratings.model import ELO, PRIOR

Values = NDArray[np.float64]

MOST_STEPS: Final = 40
LONGEST_STEP: Final = 2.0
"""Of a parameter at once: further off, the model's curvature is different."""
CLOSE: Final = 1e-4
"""Nothing that is shown here, and no exceedance, hangs on less."""
PRECISION: Final = (ELO / PRIOR) ** 2


@dataclass(frozen=True, slots=True, eq=False)
class Fits:
    """Fitted parameters, a row a season: the logarithms of strengths, and log(tie), which is minus infinity without ties."""

    strengths: Values
    tie: Values

    def chances(self, pairs: PairCounts) -> tuple[Values, Values, Values]:
        """Of a win of the one, a tie and a win of the other, a row a season and a column a pair."""
        half = (self.strengths[:, pairs.one] - self.strengths[:, pairs.other]) / 2
        tie = np.exp(self.tie)[:, None]
        # Over exp(|half|), so that nothing overflows.
        top = np.abs(half)
        win, tied, loss = np.exp(half - top), tie * np.exp(-top), np.exp(-half - top)
        total = win + tied + loss
        return win / total, tied / total, loss / total


def ends_of(pairs: PairCounts) -> Values:
    """A row a pair and a column a team: 1 for the one, -1 for the other."""
    ends, places = np.zeros((len(pairs.one), len(pairs.teams))), np.arange(len(pairs.one))
    ends[places, pairs.one], ends[places, pairs.other] = 1.0, -1.0
    return ends


def fit_all(pairs: PairCounts, results: Values, start: Fits | None = None) -> Fits:
    """The most likely strengths of each season.

    Args:
        pairs: who met.
        results: seasons by pairs by three: wins of the one, ties, wins of the other; each season has the same games.
        start: a fit that is near, of one season.
    """
    seasons, number = len(results), len(pairs.teams)
    games = results[0].sum(axis=-1)
    with_ties = bool(results[..., 1].any())
    strengths = np.zeros((seasons, number)) if start is None else np.repeat(start.strengths, seasons, axis=0)
    tie = np.full(seasons, (0.0 if start is None else start.tie[0]) if with_ties else -np.inf)
    won, ties = results[..., 0] - results[..., 2], results[..., 1].sum(axis=-1)
    information, surplus = np.zeros((2, seasons, number, number))
    diagonal = np.arange(number)
    for _ in range(MOST_STEPS):
        win, tied, loss = Fits(strengths, tie).chances(pairs)
        tilt, untied = win - loss, win + loss
        # Sums over matrices: for products as large, numpy's library would start threads that cost more than they save.
        surplus[:, pairs.one, pairs.other] = (won - games * tilt) / 2
        surplus[:, pairs.other, pairs.one] = -surplus[:, pairs.one, pairs.other]
        gradient = surplus.sum(axis=-1) - PRECISION * strengths
        weights = games * (untied - tilt**2) / 4
        information[:, diagonal, diagonal] = 0.0
        information[:, pairs.one, pairs.other] = information[:, pairs.other, pairs.one] = -weights
        information[:, diagonal, diagonal] = PRECISION - information.sum(axis=-1)
        step = np.linalg.solve(information, gradient[..., None])[..., 0]
        step = np.clip(step, -LONGEST_STEP, LONGEST_STEP)
        strengths = strengths + step
        length = np.abs(step).max(initial=0.0)
        if with_ties:
            slope = ties - tied @ games - PRECISION * tie
            step = np.clip(slope / ((tied * untied) @ games + PRECISION), -LONGEST_STEP, LONGEST_STEP)
            tie = tie + step
            length = max(length, np.abs(step).max())
        if length < CLOSE:
            break
    return Fits(strengths, tie)
