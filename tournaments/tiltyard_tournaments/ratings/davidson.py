"""Bradley-Terry with ties after Davidson: strengths from the games of two against each other.

With u = strength of the one - strength of the other, the chances of a game are

    win : tie : loss  =  exp(u / 2) : tie : exp(-u / 2)

Without ties this is Bradley and Terry's model. The logarithm of the likelihood is concave in the strengths and log(tie), so
Newton's method finds its one maximum, and the observed information is Fisher's.

The prior takes each of these parameters as normal around 0 with the same standard deviation. It keeps teams that never lost
finite, and joins groups of teams that never met. It is weak: with games on both sides it moves nothing that matters.

Sources: R. A. Bradley, M. E. Terry, Rank analysis of incomplete block designs I, Biometrika 39 (1952), 324-345;
R. R. Davidson, On extending the Bradley-Terry model to accommodate ties in paired comparison experiments, JASA 65 (1970),
317-328; D. R. Hunter, MM algorithms for generalized Bradley-Terry models, Annals of Statistics 32 (2004), 384-406.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import partial
from typing import TypeVar

import numpy as np

from tiltyard_engine.match_record import Outcome
from tiltyard_tournaments.ratings.counts import count_pairs, games_by_team, is_connected, rated, repeats
from tiltyard_tournaments.ratings.model import ELO, PRIOR, Ratings
from tiltyard_tournaments.ratings.newton import Evaluated, Matrix, Vector, inverse, maximise
from tiltyard_tournaments.ratings.posterior import Posterior

T = TypeVar("T", bound=Hashable)


def fit_davidson(matches: Iterable[Outcome], prior: float = PRIOR) -> Ratings:
    """Ratings from matches of two.

    Args:
        matches: those that do not count, that somebody forfeited, without an opponent, or that only repeat others, are passed over.
        prior: standard deviation of strengths before any game, in Elo points.

    Raises:
        ValueError: a match has more than two seats, or the prior is not above 0.
    """
    if not prior > 0:
        raise ValueError(f"the prior's standard deviation must be above 0, not {prior}")
    all_matches = list(matches)
    rated_matches = rated(all_matches)
    if any(len(match.teams) != 2 for match in rated_matches):
        raise ValueError("matches of more than two seats need fit_plackett_luce")
    games = games_by_team(rated_matches)
    teams = list(games)
    likelihood = _Likelihood(teams, count_pairs(rated_matches), prior / ELO)
    point, information = maximise(likelihood, np.zeros(likelihood.size))
    return Ratings(
        "Bradley-Terry with Davidson's ties" if likelihood.with_ties else "Bradley-Terry",
        teams,
        Posterior(point, inverse(information), partial(likelihood.along, point)),
        games,
        connected=is_connected(rated_matches),
        repeats=repeats(all_matches, rated_matches),
    )


def fit_pairs(
    teams: Sequence[T], pairs: Mapping[tuple[T, T], tuple[int, int, int]], precision: Matrix, deviation: float = PRIOR
) -> Posterior:
    """Strengths from counts, and log(tie) after them if there are ties, with a prior in which teams may belong together.

    Args:
        teams: the teams, in the order of what is returned.
        pairs: wins of the one, ties and wins of the other of each pair that met.
        precision: the inverse of the strengths' covariance before any game, which is positive definite; their mean is 0.
        deviation: standard deviation of log(tie), as of ``fit_davidson``.
    """
    likelihood = _Likelihood(teams, pairs, deviation / ELO, precision)
    point, information = maximise(likelihood, np.zeros(likelihood.size))
    return Posterior(point, inverse(information), partial(likelihood.along, point))


class _Likelihood:
    """The logarithm of likelihood and prior. Parameters: strengths, and log(tie) if there are ties.

    ``precision`` is that of the strengths before any game; None: that of independent ones with the same ``deviation``.
    """

    def __init__(
        self,
        teams: Sequence[T],
        pairs: Mapping[tuple[T, T], tuple[int, int, int]],
        deviation: float,
        precision: Matrix | None = None,
    ) -> None:
        place = {team: number for number, team in enumerate(teams)}
        self._one = np.array([place[one] for one, _ in pairs], dtype=np.intp)
        self._other = np.array([place[other] for _, other in pairs], dtype=np.intp)
        counts = np.array(list(pairs.values()), dtype=np.float64).reshape(len(pairs), 3)
        self._wins, self._ties, self._losses = counts.T
        self._games = counts.sum(axis=1)
        # Without ties their parameter would wander off to minus infinity, were it not for the prior: it is left out.
        self.with_ties = bool(self._ties.any())
        self._number = len(teams)
        self.size = len(teams) + self.with_ties
        self._precision = np.eye(self.size) / deviation**2
        if precision is not None:
            self._precision[: self._number, : self._number] = precision

    def __call__(self, point: Vector) -> Evaluated:
        half = (point[self._one] - point[self._other]) / 2
        tie = np.full_like(half, point[-1] if self.with_ties else -np.inf)
        total = np.logaddexp(np.logaddexp(half, -half), tie)
        win, tied, loss = np.exp(half - total), np.exp(tie - total), np.exp(-half - total)
        won = self._wins - self._losses
        value = float(np.sum(won * half - self._games * total))
        pull = self._precision @ point
        value -= float(pull @ point) / 2
        if self.with_ties:
            value += float(self._ties.sum() * point[-1])

        # Not 1 - tied, of which nothing is left where nearly all games are ties.
        untied, tilt = win + loss, win - loss
        gradient = self._spread((won - self._games * tilt) / 2) - pull
        weights = self._games * (untied - tilt**2) / 4
        information = self._information(weights) + self._precision
        if self.with_ties:
            gradient[-1] += float(np.sum(self._ties * untied - (self._wins + self._losses) * tied))
            information[-1, -1] += float(np.sum(self._games * tied * untied))
            crossed = self._spread(-self._games * tied * tilt / 2)
            information[-1, :] += crossed
            information[:, -1] += crossed
        return value, gradient, information

    def along(self, point: Vector, direction: Vector, steps: Vector) -> Vector:
        """The values at ``point + step * direction``."""
        points = point + steps[:, None] * direction
        half = (points[:, self._one] - points[:, self._other]) / 2
        tie = points[:, -1:] if self.with_ties else np.full((len(steps), 1), -np.inf)
        total = np.logaddexp(np.logaddexp(half, -half), tie)
        values: Vector = half @ (self._wins - self._losses) - total @ self._games
        values -= np.sum(points @ self._precision * points, axis=1) / 2
        return values + self._ties.sum() * tie[:, 0] if self.with_ties else values

    def _spread(self, values: Vector) -> Vector:
        """Sums over pairs of a value times the change of u with each parameter."""
        number = self._number
        sums: Vector = np.zeros(self.size)
        sums[:number] = np.bincount(self._one, values, number) - np.bincount(self._other, values, number)
        return sums

    def _information(self, weights: Vector) -> Matrix:
        """Sums over pairs of a weight times the product of the changes of u with each pair of parameters."""
        number = self._number
        meetings = np.bincount(self._one * number + self._other, weights, number * number).reshape(number, number)
        both = meetings + meetings.T
        sums: Matrix = np.zeros((self.size, self.size))
        sums[:number, :number] = np.diag(both.sum(axis=1)) - both
        return sums
