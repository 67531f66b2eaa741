"""Which versions should meet next: those of whose ratings a game would tell most.

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
    """How many fixtures each pair has had in all, those that are being played among them."""
    left: Numbers
    """How many fixtures each pair must still have."""
    pending: Numbers
    """How many fixtures of each the last fit did not know yet."""
    waited: Numbers
    """How many fixtures were begun since the last one of each."""
    players: int = 2
    """How many meet in a fixture."""

    @property
    def mean_interval(self) -> float:
        """After how many fixtures the turn of a version comes on average."""
        return len(self.strengths) / self.players

    def worth(self, one: int) -> Values:
        """How much a game of a version with each other one tells about their difference."""
        chance = 1 / (1 + np.exp(self.strengths[one] - self.strengths))
        variances = np.diag(self.covariance)
        variance = variances + variances[one] - 2 * self.covariance[one]
        worth: Values = chance * (1 - chance) * variance / (1 + self.met[one] / 2)
        return worth


def choose_group(situation: Situation, draw: np.random.Generator, spread: float = 0.0) -> tuple[int, ...] | None:
    """Who meets next, the one in need first; None if all pairs have had all their fixtures, or there are too few versions.

    The second is the one of whom a game with the first tells most. Each further one is that of whom a game tells most about all
    pairs that it makes with those before it; whoever has waited too long comes before them.

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
    open_pairs = here.left > 0
    np.fill_diagonal(open_pairs, val=False)
    may_play = open_pairs.any(axis=1)
    if number < here.players or not may_play.any():
        return None
    longest = LONGEST_WAIT * here.mean_interval
    waited = np.where(may_play, here.waited, -1)
    one = int(np.argmax(waited))
    if waited[one] <= longest:
        one = int(np.argmax(np.where(may_play, np.diag(here.covariance) / (1 + here.pending / 2) * jitter, -1.0)))
    worth = here.worth(one) * chances
    group = [one, int(np.argmax(np.where(open_pairs[one], worth, -1.0)))]
    # From the third on, many would do. So pairs that have met enough add nothing, and who has games to come is needed less.
    worth = np.where(open_pairs[one], worth, 0.0)
    for _ in range(here.players - 2):
        waited[group] = -1
        newest = group[-1]
        worth += np.where(open_pairs[newest], here.worth(newest) * chances, 0.0)
        following = int(np.argmax(waited))
        if waited[following] <= longest:
            need = (worth + 1e-9 / (1 + here.met[group].sum(axis=0))) / (1 + here.pending / 2)
            need[group] = -1.0
            following = int(np.argmax(need))
        group.append(following)
    return tuple(group)
