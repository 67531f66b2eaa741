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


def maximise(function: Callable[[Vector], Evaluated], start: Vector) -> tuple[Vector, Matrix]:
    """Where a strictly concave function is greatest, and the information there.

    Raises:
        ArithmeticError: it was not found, which a strictly concave function does not do.
    """
    point = start
    value, gradient, information = function(point)
    for _ in range(MOST_STEPS):
        step = np.asarray(np.linalg.solve(information, gradient), dtype=np.float64)
        if float(np.max(np.abs(step), initial=0.0)) < CLOSE:
            return point, information
        rounding = 1e-12 * (1 + abs(value))
        for _ in range(MOST_STEPS):
            tried = function(point + step)
            if tried[0] >= value - rounding:
                break
            step = step / 2
        point = point + step
        value, gradient, information = tried
    raise ArithmeticError(f"no maximum found in {MOST_STEPS} steps")


def inverse(information: Matrix) -> Matrix:
    """The covariance that belongs to an information matrix."""
    return np.asarray(np.linalg.inv(information), dtype=np.float64)
