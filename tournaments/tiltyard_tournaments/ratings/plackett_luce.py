"""Plackett-Luce: strengths from orders of finishing of any number of seats.

The first place is drawn with chances in proportion to exp(strength), then the second from those that are left, and so on. For
two seats it is Bradley-Terry's model.

Ties are no outcome of their own here: nothing is said about how likely they are. Of those that share a place, it was not seen who
is better, so the likelihood is the sum over all their orders, as Kalbfleisch and Prentice have it for equal times. Where all share
the last place, or the only one, that adds nothing. So a difference of strengths is about games in which two don't share a place,
as in Davidson's model. The mean of the logarithm over all orders would pull together whoever shares places, and intervals would
miss the truth: ``benchmarks/ratings.py groups`` measures how often they hold it.

The sum needs no list of orders. Of the tied, f(S) is the probability that those in S come before the rest R in any order:
f(S) = sum over i in S of exp(strength of i) f(S without i), divided by the sum of exp(strength) of S and R. The logarithm of the
whole is concave, as the integral of a log-concave density over a convex set is log-concave (Prékopa).

Sources: R. L. Plackett, The analysis of permutations, Applied Statistics 24 (1975), 193-202; R. D. Luce, Individual choice
behavior, 1959; J. D. Kalbfleisch, R. L. Prentice, Marginal likelihoods based on Cox's regression and life model, Biometrika 60
(1973), 267-278; A. Prékopa, On logarithmic concave measures and functions, Acta Scientiarum Mathematicarum 34 (1973), 335-343.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tiltyard_engine.match_record import Outcome
from tiltyard_tournaments.ratings.counts import Order, T, count_orders, games_by_team, is_connected, rated, repeats
from tiltyard_tournaments.ratings.model import ELO, PRIOR, Ratings
from tiltyard_tournaments.ratings.newton import Evaluated, Matrix, Vector, inverse, maximise
from tiltyard_tournaments.ratings.posterior import Posterior


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
    return Ratings(
        "Plackett-Luce", teams, posterior, games, connected=is_connected(rated_matches), repeats=repeats(all_matches, rated_matches)
    )


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


class _Likelihood:
    """The logarithm of likelihood and prior.

    Where nobody shares a place, it is chosen . strengths - sum of weight * log-sum-exp(strengths of a set).
    """

    def __init__(self, teams: Sequence[T], orders: Mapping[Order[T], float], precision: Matrix) -> None:
        place = {team: number for number, team in enumerate(teams)}
        self._precision = precision
        self._times_chosen: Vector = np.zeros(len(teams))
        shapes: dict[tuple[int, int], dict[tuple[int, ...], float]] = {}
        for order, count in orders.items():
            rest = [place[team] for group in order for team in group]
            for group in order[:-1]:
                tied, later = sorted(rest[: len(group)]), rest[len(group) :]
                # One that is alone is one of the set from which it was drawn; of several, it matters who they are.
                key = tuple(sorted(rest)) if len(tied) == 1 else (*tied, *sorted(later))
                sets = shapes.setdefault((len(tied), len(key)), {})
                sets[key] = sets.get(key, 0.0) + count
                if len(tied) == 1:
                    self._times_chosen[tied[0]] += count
                rest = later
        self._sets: list[tuple[int, NDArray[np.intp], Vector]] = []
        for (tied_ones, _), sets in sorted(shapes.items()):
            keys = sorted(sets)
            self._sets.append((tied_ones, np.array(keys, dtype=np.intp), np.array([sets[key] for key in keys])))

    def __call__(self, point: Vector) -> Evaluated:
        number = len(point)
        pull = self._precision @ point
        value = float(self._times_chosen @ point) - float(pull @ point) / 2
        gradient = self._times_chosen - pull
        information = self._precision.copy()
        for tied, members, weights in self._sets:
            strengths = point[members]
            powers = np.exp(strengths - strengths.max(axis=1, keepdims=True))
            if tied > 1:
                chances, slopes, bends = _sum_over_orders(powers, tied)
                value += float(weights @ np.log(chances))
                gradient += np.bincount(members.ravel(), (weights[:, None] * slopes).ravel(), number)
                cells = members[:, :, None] * number + members[:, None, :]
                flat = np.bincount(cells.ravel(), (weights[:, None, None] * bends).ravel(), number * number)
                information -= flat.reshape(number, number)
                continue
            sums = powers.sum(axis=1, keepdims=True)
            shares = powers / sums
            value -= float(weights @ (strengths.max(axis=1, keepdims=True) + np.log(sums))[:, 0])
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
        for tied, members, weights in self._sets:
            strengths = point[members]
            top = strengths.max(axis=1)
            powers = np.exp(strengths - top[:, None])
            if tied > 1:
                value += float(weights @ np.log(_sum_over_orders(powers, tied)[0]))
            else:
                value -= float(weights @ (top + np.log(powers.sum(axis=1))))
        return value


def _sum_over_orders(powers: Matrix, tied: int) -> tuple[Vector, Matrix, NDArray[np.float64]]:
    """How likely the first so many of each row are to come before its others in any order.

    Args:
        powers: the exponentials of strengths, a row for each set.
        tied: how many come first, at least 1; there are others.

    Returns:
        The chances, and first and second derivatives of their logarithms by the strengths.
    """
    rows, columns = powers.shape
    unit = np.eye(columns)
    # By those that have been placed, as bits: chance, its first and its second derivatives.
    none = np.ones(rows), np.zeros((rows, columns)), np.zeros((rows, columns, columns))
    table = [none]
    for front in range(1, 2**tied):
        own = [place for place in range(tied) if front >> place & 1]
        among = powers * np.array([place in own or place >= tied for place in range(columns)])
        total = among.sum(axis=1)
        chance, slope, bend = (np.zeros_like(each) for each in none)
        for one in own:
            before, its_slope, its_bend = table[front ^ 1 << one]
            weight = powers[:, one]
            cross = its_slope[:, :, None] * unit[one]
            chance += weight * before
            slope += weight[:, None] * (its_slope + before[:, None] * unit[one])
            own_bend = before[:, None, None] * np.outer(unit[one], unit[one])
            bend += weight[:, None, None] * (its_bend + cross + cross.transpose(0, 2, 1) + own_bend)
        chance /= total
        slope = (slope - chance[:, None] * among) / total[:, None]
        cross = slope[:, :, None] * among[:, None, :]
        bend = (bend - cross - cross.transpose(0, 2, 1) - chance[:, None, None] * among[:, :, None] * unit) / total[:, None, None]
        table.append((chance, slope, bend))
    chance, slope, bend = table[-1]
    slopes = slope / chance[:, None]
    return chance, slopes, bend / chance[:, None, None] - slopes[:, :, None] * slopes[:, None, :]
