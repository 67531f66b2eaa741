"""The maximum of a concave function by Newton's method with halved steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Evaluated = tuple[float, Vector, Matrix]
"""Value, gradient, and the negative of the matrix of second derivatives (the observed information)."""

MOST_STEPS: Final = 200
CLOSE: Final = 1e-11
SMALL: Final = 0.1
"""Along a smaller step the curvature of the models' functions hardly changes, so it needs no check. The value could not check it:
sums over many games are rounded by more than the step gains."""
ROUNDING: Final = 1e-6
"""A step that is smaller than this share of the point, and no shorter than the one before it, is rounding of the gradient alone."""


def maximise(function: Callable[[Vector], Evaluated], start: Vector) -> tuple[Vector, Matrix]:
    """Where a strictly concave function is greatest, and the information there.

    Args:
        function: its second derivatives change little where no parameter changes by more than SMALL.
        start: the first point.

    Raises:
        ArithmeticError: it was not found, which such a function does not do.
    """
    point = start
    value, gradient, information = function(point)
    before = np.inf
    for _ in range(MOST_STEPS):
        step = np.asarray(np.linalg.solve(information, gradient), dtype=np.float64)
        length = float(np.max(np.abs(step), initial=0.0))
        if not np.isfinite(length):
            raise ArithmeticError("no maximum found: a step is not a number")
        if length < CLOSE or before <= length < ROUNDING * max(1.0, float(np.max(np.abs(point), initial=0.0))):
            return point, information
        before = length
        tried = function(point + step)
        while tried[0] < value and float(np.max(np.abs(step))) > SMALL:
            step = step / 2
            tried = function(point + step)
        point = point + step
        value, gradient, information = tried
    raise ArithmeticError(f"no maximum found in {MOST_STEPS} steps")


def inverse(information: Matrix) -> Matrix:
    """The covariance that belongs to an information matrix."""
    return np.asarray(np.linalg.inv(information), dtype=np.float64)
