"""How sure a fitted quantity is, without taking its distribution for a normal one.

After few games, and after clean sweeps, the logarithm of the density is no parabola: a team that won 3 of 3 may be far stronger
than its opponent, but hardly weaker. Both numbers here look at the density on one line through its maximum, on which all other
parameters follow as they would in the normal approximation. For two teams without ties nothing lies beside that line.

- An interval ends where the likelihood ratio to the maximum is that of the confidence. Its ends need not be equally far away.
- A chance is an integral along the line; where the density is nearly normal, DiCiccio and Martin's formula gives it.

Sources: S. S. Wilks, The large-sample distribution of the likelihood ratio, Annals of Mathematical Statistics 9 (1938), 60-62;
T. J. DiCiccio, M. A. Martin, Approximations of marginal tail probabilities for a class of smooth functions with applications to
Bayesian and conditional inference, Biometrika 78 (1991), 891-902.
``benchmarks/ratings.py`` measures how often the intervals hold the truth.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from statistics import NormalDist
from typing import Final

import numpy as np

from tiltyard_engine.data_classes import dataclass
from tiltyard_tournaments.ratings.newton import Matrix, Vector

_MOST_STEPS: Final = 50
_CLOSE: Final = 1e-3
"""Standard deviations: ends of intervals are shown in whole Elo points."""
_NEARLY_NORMAL: Final = 0.01
"""Standard deviations by which the likelihood ratio's root may differ from a normal distribution's. Then a formula with four values
of the density is as good as an integral over fifty."""
_NEGLIGIBLE: Final = 35.0
"""The integral ends where the logarithm of the density is so much below its maximum."""
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)


@dataclass(frozen=True, slots=True, eq=False)
class Posterior:
    """A density around its maximum.

    Args:
        point: where the maximum is.
        covariance: the inverse of the information there.
        along: the logarithm of the density at ``point + step * direction``, for a direction and some steps.
    """

    point: Vector
    covariance: Matrix
    along: Callable[[Vector, Vector], Vector]

    def value(self, weights: Vector) -> float:
        """The most likely value of a weighted sum of the parameters."""
        return float(weights @ self.point)

    def interval(self, weights: Vector, confidence: float) -> tuple[float, float]:
        """The interval of a weighted sum of the parameters."""
        value, moved, deviation = self._spread(weights)
        if deviation == 0:
            return value, value
        line, bound = _Line(self.along, moved / deviation**2), NormalDist().inv_cdf((1 + confidence) / 2)
        sides = np.array([-1.0, 1.0])
        # The root of twice the logarithm of the likelihood ratio is nearly linear, so secants find its bound in a few steps.
        before, root_before = np.zeros(2), np.zeros(2)
        step = sides * bound * deviation
        for _ in range(_MOST_STEPS):
            root = line.root(step)
            if np.max(np.abs(root - bound)) < _CLOSE:
                break
            slope = (root - root_before) / np.where(step == before, 1.0, step - before)
            change = np.where(np.abs(root - bound) < _CLOSE, 0.0, (bound - root) / np.where(slope == 0, 1.0, slope))
            before, root_before, step = step, root, step + change
        return value + float(step[0]), value + float(step[1])

    def chance_above_zero(self, weights: Vector) -> float:
        """The probability that a weighted sum of the parameters is above 0."""
        value, moved, deviation = self._spread(weights)
        if deviation == 0:
            return 0.5
        line = _Line(self.along, moved / deviation**2)
        normal = -value / deviation
        # The formula divides by the distance to the maximum. Near it, its line through two points further off is as good.
        near = [-0.5, 0.5] if abs(normal) < 0.5 else [normal]
        roots, corrected = line.corrected_roots(deviation, np.array(near))
        if np.max(np.abs(roots - near)) < _NEARLY_NORMAL:
            below = corrected[0] if len(near) == 1 else np.interp(normal, near, corrected)
            return 1 - NormalDist().cdf(float(below))
        low, high = line.end(-deviation), line.end(deviation)
        zero = min(max(-value, low), high)
        below, above = line.integral(low, zero), line.integral(zero, high)
        return above / (below + above)

    def _spread(self, weights: Vector) -> tuple[float, Vector, float]:
        """The most likely sum, its covariances with all parameters, and its standard deviation."""
        moved = self.covariance @ weights
        return self.value(weights), moved, sqrt(max(0.0, float(weights @ moved)))


class _Line:
    """The logarithm of the density along a direction, less its maximum."""

    def __init__(self, along: Callable[[Vector, Vector], Vector], direction: Vector) -> None:
        self._along = along
        self._direction = direction
        self._top = float(along(direction, np.zeros(1))[0])

    def root(self, steps: Vector) -> Vector:
        """The root of twice the logarithm of the likelihood ratio to the maximum: a normal distribution's standard deviations."""
        return np.sqrt(np.maximum(0.0, 2 * (self._top - self._along(self._direction, steps))))

    def corrected_roots(self, deviation: float, distances: Vector) -> tuple[Vector, Vector]:
        """The signed roots so many standard deviations away, and those that DiCiccio and Martin's formula makes of them."""
        short = 5e-4 * deviation
        steps = distances * deviation
        roots = np.sign(steps) * self.root(steps)
        changes = self._along(self._direction, steps + short) - self._along(self._direction, steps - short)
        slopes = -deviation * changes / (2 * short)
        return roots, roots + np.log(np.maximum(slopes / roots, 1e-300)) / roots

    def end(self, step: float) -> float:
        """A step so far to this side that nothing beyond it counts."""
        while self._top - float(self._along(self._direction, np.array([step]))[0]) < _NEGLIGIBLE:
            step *= 1.5
        return step

    def integral(self, low: float, high: float) -> float:
        """Of the density over its maximum."""
        steps = low + (high - low) * (_NODES + 1) / 2
        return float(_WEIGHTS @ np.exp(self._along(self._direction, steps) - self._top)) * (high - low) / 2
