"""The ratings of a season: a model over all versions, all games at once; Davidson's for games of two, Plackett-Luce for more.

The prior of a team's first version is as in tournaments. That of a later one is normal around the version before, since people
change their code more often than they replace it. Nothing decays: a version is fixed code. The order of games is of no importance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, inf, sqrt
from statistics import NormalDist
from typing import Final

import numpy as np

from tiltyard_tournaments.ratings.davidson import fit_pairs
from tiltyard_tournaments.ratings.model import ELO, PRIOR
from tiltyard_tournaments.ratings.newton import Matrix, Vector
from tiltyard_tournaments.ratings.plackett_luce import fit_orders as fit_plackett_luce
from tiltyard_tournaments.ratings.plackett_luce import slope

NEXT_PRIOR: Final = 150.0
"""Standard deviation, in Elo points, of a version's strength around that of the team's version before."""
MOST_FITS: Final = 8
CLOSE: Final = 0.95
"""An estimate of the spread that is less than 5 % smaller than the one before is good enough."""
_Z: Final = NormalDist().inv_cdf(0.975)
Counts = Mapping[tuple[int, int], tuple[int, int, int]]
"""Wins of the one, ties and wins of the other of each pair of versions."""
Order = tuple[tuple[int, ...], ...]
"""The versions of a game, best first; those that share a place stand together, by number."""
Results = Mapping[Order, int]
"""How many games ended in each order."""


@dataclass(frozen=True, slots=True)
class Fit:
    """Strengths of versions, and how sure they are."""

    place: Mapping[int, int]
    """Version to its place in what follows."""
    strengths: Vector
    """Natural logarithms. In games of two with ties, the logarithm of Davidson's parameter of ties stands after them."""
    covariance: Matrix
    of_pairs: bool = True
    """Whether it was fitted to games of two, by Davidson's model."""

    def rating(self, version: int, pin: int) -> tuple[float, float]:
        """Elo points above the pinned version, and half the width of the 95 % interval."""
        one, other = self.place[version], self.place[pin]
        variance = self.covariance[one, one] + self.covariance[other, other] - 2 * self.covariance[one, other]
        return ELO * float(self.strengths[one] - self.strengths[other]), ELO * _Z * sqrt(max(0.0, float(variance)))

    def chance(self, version: int, opponent: int) -> float:
        """The share of points that a version is expected to take from another one: how likely it is to finish before it."""
        apart = float(self.strengths[self.place[version]] - self.strengths[self.place[opponent]])
        return 1 / (1 + float(np.exp(-apart)))

    def share(self, version: int, opponents: Sequence[int]) -> float:
        """The share of its opponents in a game before whom a version is expected to finish, those that it ties with as halves."""
        return sum(self.chance(version, opponent) for opponent in opponents) / len(opponents)

    def change(self, order: Order, pin: int) -> dict[int, float]:
        """Elo points that one game of this order added to the rating of each version in it, above the pinned version.

        All games are fitted at once, so no game has a change of its own. This is the derivative of the ratings by the weight of
        the game, where it is 1: covariance times the slope of its likelihood. A fit without the game differs by so much, up to
        a part that shrinks as games grow in number. Changes of all games don't add up to the rating.
        """
        pull = np.zeros(len(self.strengths))
        for place, value in (self._slope_of_two(order) if self.of_pairs else self._slope(order)).items():
            pull[place] = value
        moves = ELO * (self.covariance @ pull)
        return {version: float(moves[self.place[version]] - moves[self.place[pin]]) for group in order for version in group}

    def _slope(self, order: Order) -> dict[int, float]:
        return slope(
            tuple(tuple(self.place[version] for version in group) for group in order),
            {self.place[version]: float(self.strengths[self.place[version]]) for group in order for version in group},
        )

    def _slope_of_two(self, order: Order) -> dict[int, float]:
        one, other = (self.place[version] for group in order for version in group)
        half = float(self.strengths[one] - self.strengths[other]) / 2
        with_ties = len(self.strengths) > len(self.place)
        tie = exp(float(self.strengths[-1]) if with_ties else -inf)
        total = exp(half) + tie + exp(-half)
        is_tie = len(order) == 1
        first = ((0 if is_tie else 1) - (exp(half) - exp(-half)) / total) / 2
        slopes = {one: first, other: -first}
        return {**slopes, len(self.place): is_tie - tie / total} if with_ties else slopes


def fit_versions(before: Mapping[int, int | None], counts: Counts) -> Fit:
    """The fit of a season of games of two.

    Args:
        before: each version with the team's one before it, None for its first one; earlier versions stand first.
        counts: wins, ties and losses of each pair.
    """
    place = {version: number for number, version in enumerate(before)}
    own_counts = {pair: count for pair, count in counts.items() if pair[0] in place and pair[1] in place}
    fit = fit_pairs(list(before), own_counts, _precision(before, place))
    return Fit(place, fit.point, fit.covariance)


def fit_orders(before: Mapping[int, int | None], results: Results, spread: float | None = None) -> Fit:
    """The fit of a season of games of three or more.

    Where groups are chosen by earlier ratings, a prior that is much too wide makes differences too large after few games. So the
    spread of first versions is estimated from the games: the one of greatest likelihood, by a few steps of the EM algorithm (A. P.
    Dempster, N. M. Laird, D. B. Rubin, JRSS B 39 (1977), 1-38).

    Args:
        before: as of ``fit_versions``.
        results: all games; one with a version that is not in ``before`` is passed over.
        spread: standard deviation of first versions before any game, in Elo points; None: it is estimated.
    """
    place = {version: number for number, version in enumerate(before)}
    own_results = {
        order: count for order, count in results.items() if all(version in place for group in order for version in group)
    }
    firsts = [place[version] for version, earlier in before.items() if earlier is None]
    here = spread or PRIOR
    for _ in range(MOST_FITS):
        fit = fit_plackett_luce(list(before), own_results, _precision(before, place, here))
        squares = fit.point[firsts] ** 2 + np.diag(fit.covariance)[firsts]
        estimated = max(NEXT_PRIOR, ELO * sqrt(float(np.mean(squares)))) if firsts else here
        if spread is not None or estimated > CLOSE * here:
            break
        here = estimated
    return Fit(place, fit.point, fit.covariance, of_pairs=False)


def _precision(before: Mapping[int, int | None], place: Mapping[int, int], spread: float = PRIOR) -> Matrix:
    """The inverse of the strengths' covariance before any game."""
    precision = np.zeros((len(before), len(before)))
    for version, earlier in before.items():
        here = place[version]
        weight = (ELO / (spread if earlier is None else NEXT_PRIOR)) ** 2
        precision[here, here] += weight
        if earlier is not None:
            there = place[earlier]
            precision[there, there] += weight
            precision[here, there] -= weight
            precision[there, here] -= weight
    return precision
