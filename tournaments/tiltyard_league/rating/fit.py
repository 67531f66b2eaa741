"""The ratings of a season: Davidson's model over versions, all games at once.

The prior of a team's first version is as in tournaments. That of a later one is normal around the version before, since people
change their code more often than they replace it. Nothing decays: a version is fixed code. The order of games is of no importance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Final

import numpy as np

from tiltyard_tournaments.ratings.davidson import fit_pairs
from tiltyard_tournaments.ratings.model import ELO, PRIOR
from tiltyard_tournaments.ratings.newton import Matrix, Vector

NEXT_PRIOR: Final = 150.0
"""Standard deviation, in Elo points, of a version's strength around that of the team's version before."""
_Z: Final = NormalDist().inv_cdf(0.975)
Counts = Mapping[tuple[int, int], tuple[int, int, int]]


@dataclass(frozen=True, slots=True)
class Fit:
    """Strengths of versions, and how sure they are."""

    place: Mapping[int, int]
    """Version to its place in what follows."""
    strengths: Vector
    """Natural logarithms."""
    covariance: Matrix

    def rating(self, version: int, pin: int) -> tuple[float, float]:
        """Elo points above the pinned version, and half the width of the 95 % interval."""
        one, other = self.place[version], self.place[pin]
        variance = self.covariance[one, one] + self.covariance[other, other] - 2 * self.covariance[one, other]
        return ELO * float(self.strengths[one] - self.strengths[other]), ELO * _Z * sqrt(max(0.0, float(variance)))

    def chance(self, version: int, opponent: int) -> float:
        """The share of points that a version is expected to take from another one."""
        apart = float(self.strengths[self.place[version]] - self.strengths[self.place[opponent]])
        return 1 / (1 + float(np.exp(-apart)))


def fit_versions(before: Mapping[int, int | None], counts: Counts) -> Fit:
    """The fit of a season.

    Args:
        before: each version with the team's one before it, None for its first one; earlier versions stand first.
        counts: wins, ties and losses of each two.
    """
    versions: Sequence[int] = list(before)
    place = {version: number for number, version in enumerate(versions)}
    precision = np.zeros((len(versions), len(versions)))
    for version, earlier in before.items():
        here = place[version]
        weight = (ELO / (PRIOR if earlier is None else NEXT_PRIOR)) ** 2
        precision[here, here] += weight
        if earlier is not None:
            there = place[earlier]
            precision[there, there] += weight
            precision[here, there] -= weight
            precision[there, here] -= weight
    own_counts = {pair: count for pair, count in counts.items() if pair[0] in place and pair[1] in place}
    strengths, covariance = fit_pairs(versions, own_counts, precision)
    return Fit(place, strengths, covariance)
