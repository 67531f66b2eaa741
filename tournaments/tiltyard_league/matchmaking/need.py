"""Which two versions should meet next: the two of whose ratings a game would tell most.

There is no queue. Whenever a worker is free, this is asked again. The answer follows only from the arguments: no clock, no memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
Values = NDArray[np.float64]

JITTER: Final = 0.1
"""The need of each version is multiplied by a number drawn from 1 - JITTER to 1 + JITTER: equal ones take turns."""
LONGEST_WAIT: Final = 3.0
"""Whoever has waited so many times the mean interval between two fixtures of a version comes first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What a choice rests on, for the active versions; all arrays have one row for each of them."""

    strengths: Values
    """Natural logarithms of strength, by the last fit."""
    covariance: Values
    """Of the strengths."""
    met: Numbers
    """How many fixtures each two have had in all, those that are being played among them."""
    pending: Numbers
    """How many fixtures of each the last fit did not know yet."""
    waited: Numbers
    """How many fixtures were begun since the last one of each."""
    most: int
    """How many fixtures two may have: one on each map."""

    @property
    def mean_interval(self) -> float:
        """After how many fixtures the turn of a version comes on average: two play in each."""
        return len(self.strengths) / 2


def choose_pair(situation: Situation, draw: np.random.Generator, spread: float = 0.0) -> tuple[int, int] | None:
    """The two that meet next, the one in need first; None if all pairs have had all their fixtures.

    Args:
        situation: the active versions.
        draw: decides between versions that need a game as much.
        spread: how far chance changes the worth of an opponent: it is multiplied by a number drawn from 1 - spread to 1 + spread.
    """
    here = situation
    number = len(here.strengths)
    # Drawn in any case, so that a choice doesn't depend on which branch is taken here.
    jitter = draw.uniform(1 - JITTER, 1 + JITTER, number)
    chances = draw.uniform(1 - spread, 1 + spread, number)
    open_pairs = here.met < here.most
    np.fill_diagonal(open_pairs, val=False)
    may_play = open_pairs.any(axis=1)
    if not may_play.any():
        return None
    variances = np.diag(here.covariance)
    waited = np.where(may_play, here.waited, -1)
    one = int(np.argmax(waited))
    if waited[one] <= LONGEST_WAIT * here.mean_interval:
        one = int(np.argmax(np.where(may_play, variances / (1 + here.pending / 2) * jitter, -1.0)))
    chance = 1 / (1 + np.exp(here.strengths[one] - here.strengths))
    variance = variances + variances[one] - 2 * here.covariance[one]
    worth = chance * (1 - chance) * variance / (1 + here.met[one] / 2) * chances
    other = int(np.argmax(np.where(open_pairs[one], worth, -1.0)))
    return one, other
