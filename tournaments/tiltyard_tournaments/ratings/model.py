"""What a fitted model says: ratings on the Elo scale, how sure they are, and who is better than whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log, sqrt
from statistics import NormalDist
from typing import Final

import numpy as np

from tiltyard_tournaments.ratings.newton import Matrix, Vector

ELO: Final = 400 / log(10)
"""Elo points of one unit of strength: 400 points are odds of ten to one."""

PRIOR: Final = 800.0
"""Standard deviation in Elo points of strengths before any game is seen."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with the half width of its confidence interval."""

    value: float
    error: float

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return self.value - self.error

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        return self.value + self.error


class Ratings:
    """Fitted strengths of the teams that played; made by ``rate``, ``fit_davidson`` or ``fit_plackett_luce``.

    Args:
        model: what was fitted, for people.
        teams: in the order of the numbers that follow.
        strengths: natural logarithms of strength.
        covariance: of the strengths.
        games: rated games a team.
        connected: whether everybody met everybody else, directly or by way of others.
        repeats: how many games were left out because they only repeat others.
        problem: why nobody is rated, if there should be ratings.
    """

    def __init__(
        self,
        model: str,
        teams: Sequence[str],
        strengths: Vector,
        covariance: Matrix,
        games: Mapping[str, int],
        *,
        connected: bool = True,
        repeats: int = 0,
        problem: str = "",
    ) -> None:
        self.model = model
        self.connected = connected
        self.repeats = repeats
        self.problem = problem
        self._games = dict(games)
        self._place = {team: number for number, team in enumerate(teams)}
        centre = np.eye(len(teams)) - 1 / max(1, len(teams))
        self._strengths = centre @ strengths
        self._covariance = centre @ covariance @ centre
        self.teams = tuple(sorted(teams, key=lambda team: (-round(float(self._strengths[self._place[team]]), 9), team)))
        """Best first; equals by name."""

    def __contains__(self, team: object) -> bool:
        return team in self._place

    def games(self, team: str) -> int:
        """Rated games of a team."""
        return self._games.get(team, 0)

    def rating(self, team: str, confidence: float = 0.95) -> Estimate:
        """Elo points above the average of all rated teams. A team that played no rated game is a KeyError."""
        place = self._place[team]
        variance = float(self._covariance[place, place])
        return _estimate(float(self._strengths[place]), variance, confidence)

    def difference(self, one: str, other: str, confidence: float = 0.95) -> Estimate:
        """Elo points by which ``one`` is better. Its error is not that of the two ratings added: they are correlated."""
        return _estimate(*self._difference(one, other), confidence)

    def superiority(self, one: str, other: str) -> float:
        """The probability that ``one`` is stronger than ``other``, by the normal approximation."""
        if one == other:
            return 0.5
        difference, variance = self._difference(one, other)
        return NormalDist().cdf(difference / sqrt(variance))

    def _difference(self, one: str, other: str) -> tuple[float, float]:
        first, second = self._place[one], self._place[other]
        variance = self._covariance[first, first] + self._covariance[second, second] - 2 * self._covariance[first, second]
        return float(self._strengths[first] - self._strengths[second]), float(variance)


def _estimate(strength: float, variance: float, confidence: float) -> Estimate:
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    return Estimate(ELO * strength, ELO * z * sqrt(max(0.0, variance)))
