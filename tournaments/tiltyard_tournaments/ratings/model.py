"""What a fitted model says: ratings on the Elo scale, how sure they are, and who is better than whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log
from typing import Final

import numpy as np

from tiltyard_engine.data_classes import dataclass
from tiltyard_tournaments.ratings.newton import Vector
from tiltyard_tournaments.ratings.posterior import Posterior

ELO: Final = 400 / log(10)
"""Elo points of one unit of strength: 400 points are odds of ten to one."""

PRIOR: Final = 800.0
"""Standard deviation in Elo points of strengths before any game is seen."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number and its confidence interval, whose ends need not be equally far away."""

    value: float
    low: float
    high: float


class Ratings:
    """Fitted strengths of the teams that played; made by ``rate``, ``fit_davidson`` or ``fit_plackett_luce``.

    Args:
        model: what was fitted, for people.
        teams: in the order of the numbers that follow.
        posterior: of the natural logarithms of the teams' strengths; other parameters of the model stand after them.
        games: rated games a team.
        connected: whether everybody met everybody else, directly or by way of others.
        repeats: how many games were left out because they only repeat others.
        problem: why nobody is rated, if there should be ratings.
    """

    def __init__(
        self,
        model: str,
        teams: Sequence[str],
        posterior: Posterior,
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
        self._posterior = posterior
        strengths = {team: posterior.value(self._above_average(team)) for team in teams}
        self.teams = tuple(sorted(teams, key=lambda team: (-round(strengths[team], 9), team)))
        """Best first; equals by name."""

    def __contains__(self, team: object) -> bool:
        return team in self._place

    def games(self, team: str) -> int:
        """Rated games of a team."""
        return self._games.get(team, 0)

    def rating(self, team: str, confidence: float = 0.95) -> Estimate:
        """Elo points above the average of all rated teams. A team that played no rated game is a KeyError."""
        return self._estimate(self._above_average(team), confidence)

    def difference(self, one: str, other: str, confidence: float = 0.95) -> Estimate:
        """Elo points by which ``one`` is better. Its interval is not that of the two ratings added: they are correlated."""
        return self._estimate(self._weights({one: 1.0, other: -1.0}), confidence)

    def superiority(self, one: str, other: str) -> float:
        """The probability that ``one`` is stronger than ``other``."""
        return 0.5 if one == other else self._posterior.chance_above_zero(self._weights({one: 1.0, other: -1.0}))

    def _weights(self, of_teams: Mapping[str, float]) -> Vector:
        weights = np.zeros(len(self._posterior.point))
        for team, weight in of_teams.items():
            weights[self._place[team]] = weight
        return weights

    def _above_average(self, team: str) -> Vector:
        weights = self._weights({team: 1.0})
        weights[: len(self._place)] -= 1 / len(self._place)
        return weights

    def _estimate(self, weights: Vector, confidence: float) -> Estimate:
        low, high = self._posterior.interval(weights, confidence)
        return Estimate(ELO * self._posterior.value(weights), ELO * low, ELO * high)
