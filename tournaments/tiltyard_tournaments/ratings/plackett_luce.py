"""Plackett-Luce: strengths from orders of finishing of any number of seats.

The first place is drawn with chances in proportion to exp(strength), then the second from those that are left, and so on. For
two seats it is Bradley-Terry's model.

Ties are no outcome of their own here: nothing is said about how likely they are.

- Teams that share the last place behind others are drawn no more: which of them is better was not seen, so nothing is counted.
- Of teams that share a place before that, or all places, the logarithm of the likelihood is averaged over all their orders. A tie
  of two is so half a win for each, and weighs as one game.

The average needs no list of orders. The m-th step among t tied teams leaves each set of t - m + 1 of them equally often, so
the function is a weighted sum of log-sum-exps over sets of teams, which is concave.

Sources: R. L. Plackett, The analysis of permutations, Applied Statistics 24 (1975), 193-202; R. D. Luce, Individual choice
behavior, 1959; D. R. Hunter, MM algorithms for generalized Bradley-Terry models, Annals of Statistics 32 (2004), 384-406.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from math import comb
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tiltyard_engine.match_record import Outcome
from tiltyard_tournaments.ratings.counts import count_orders, games_by_team, is_connected, rated, repeats
from tiltyard_tournaments.ratings.model import ELO, PRIOR, Ratings
from tiltyard_tournaments.ratings.newton import Evaluated, Matrix, Vector, inverse, maximise
from tiltyard_tournaments.ratings.posterior import Posterior

T = TypeVar("T", bound=Hashable)
Order = tuple[tuple[T, ...], ...]
"""Who finished where: best first; those that share a place stand together."""


def fit_plackett_luce(matches: Iterable[Outcome], prior: float = PRIOR) -> Ratings:
    """Ratings from matches of two or more.

    The work grows as 2 to the power of the teams that share a place: fine up to a dozen.

    Args:
        matches: those that do not count, that somebody forfeited, without an opponent, or that only repeat others, are passed over.
        prior: standard deviation of strengths before any game, in Elo points.

    Raises:
        ValueError: the prior is not above 0.
    """
    if not prior > 0:
        raise ValueError(f"the prior's standard deviation must be above 0, not {prior}")
    all_matches = list(matches)
    rated_matches = rated(all_matches)
    games = games_by_team(rated_matches)
    teams = list(games)
    posterior = fit_orders(teams, count_orders(rated_matches), np.eye(len(teams)) * (ELO / prior) ** 2)
    return Ratings("Plackett-Luce", teams, posterior, games, connected=is_connected(rated_matches), repeats=repeats(all_matches))


def fit_orders(teams: Sequence[T], orders: Mapping[Order[T], float], precision: Matrix) -> Posterior:
    """Strengths from counts of orders, with a prior in which teams may belong together.

    Args:
        teams: the teams, in the order of the parameters.
        orders: how often each order was seen.
        precision: the inverse of the strengths' covariance before any game, which is positive definite; their mean is 0.
    """
    likelihood = _Likelihood(teams, orders, precision)
    point, information = maximise(likelihood, np.zeros(len(teams)))
    return Posterior(point, inverse(information), partial(likelihood.along, point))


def slope(order: Order[T], strengths: Mapping[T, float]) -> dict[T, float]:
    """The derivatives of the logarithm of an order's likelihood: how far one game pulls at the strength of each in it."""
    teams = [team for group in order for team in group]
    likelihood = _Likelihood(teams, {order: 1}, np.zeros((len(teams), len(teams))))
    return dict(zip(teams, map(float, likelihood(np.array([strengths[team] for team in teams]))[1]), strict=True))


def drawn_groups(order: Order[T]) -> Order[T]:
    """The groups whose places were drawn: all but the last one, if there is more than one."""
    return order[:-1] if len(order) > 1 else order


def choices(order: Order[T]) -> Iterator[tuple[tuple[T, ...], float]]:
    """The sets of teams from which a place was drawn, with their weights; sets of one are left out."""
    teams_left = [team for group in order for team in group]
    for group in drawn_groups(order):
        rest = teams_left[len(group) :]
        for placed_before in range(len(group)):
            share = 1 / comb(len(group), placed_before)
            for staying in combinations(group, len(group) - placed_before):
                if len(staying) + len(rest) > 1:
                    yield (*staying, *rest), share
        teams_left = rest


class _Likelihood:
    """The logarithm of likelihood and prior: chosen . strengths - sum of weight * log-sum-exp(strengths of a set)."""

    def __init__(self, teams: Sequence[T], orders: Mapping[Order[T], float], precision: Matrix) -> None:
        place = {team: number for number, team in enumerate(teams)}
        self._precision = precision
        weights: dict[tuple[int, ...], float] = {}
        self._times_chosen: Vector = np.zeros(len(teams))
        for order, count in orders.items():
            for group in drawn_groups(order):
                for team in group:
                    self._times_chosen[place[team]] += count
            if len(order) == 1:
                # Whoever is drawn last is drawn from a set of one.
                for team in order[0]:
                    self._times_chosen[place[team]] -= count / len(order[0])
            for names, share in choices(order):
                key = tuple(sorted(place[name] for name in names))
                weights[key] = weights.get(key, 0.0) + count * share
        sizes = sorted({len(key) for key in weights})
        self._sets: list[tuple[NDArray[np.intp], Vector]] = []
        for size in sizes:
            keys = sorted(key for key in weights if len(key) == size)
            self._sets.append((np.array(keys, dtype=np.intp), np.array([weights[key] for key in keys])))

    def __call__(self, point: Vector) -> Evaluated:
        number = len(point)
        pull = self._precision @ point
        value = float(self._times_chosen @ point) - float(pull @ point) / 2
        gradient = self._times_chosen - pull
        information = self._precision.copy()
        for members, weights in self._sets:
            strengths = point[members]
            top = strengths.max(axis=1, keepdims=True)
            powers = np.exp(strengths - top)
            sums = powers.sum(axis=1, keepdims=True)
            shares = powers / sums
            value -= float(weights @ (top + np.log(sums))[:, 0])
            weighted = weights[:, None] * shares
            totals = np.bincount(members.ravel(), weights=weighted.ravel(), minlength=number)
            gradient = gradient - totals
            information += np.diag(totals)
            for column in range(members.shape[1]):
                cells = members[:, column, None] * number + members
                products = weighted[:, column, None] * shares
                flat = np.bincount(cells.ravel(), weights=products.ravel(), minlength=number * number)
                information -= flat.reshape(number, number)
        return value, gradient, information

    def along(self, point: Vector, direction: Vector, steps: Vector) -> Vector:
        """The values at ``point + step * direction``."""
        return np.array([self._value(point + step * direction) for step in steps])

    def _value(self, point: Vector) -> float:
        value = float(self._times_chosen @ point) - float(self._precision @ point @ point) / 2
        for members, weights in self._sets:
            strengths = point[members]
            top = strengths.max(axis=1)
            value -= float(weights @ (top + np.log(np.exp(strengths - top[:, None]).sum(axis=1))))
        return value
