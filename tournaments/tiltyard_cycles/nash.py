"""Nash averaging: each team against the mixture of teams that no team beats.

The game is one of two players who each choose a team; the payoff is the logarithm of the odds that the one's beats the other's.
Among its equilibria the one of greatest entropy is taken, so that copies of a team share what it had alone.

It is followed along a path. With a temperature t, the mixture p that answers itself by p = softmax(A p / t) is unique; it is the
saddle point of the payoff with t times the entropy of each side. As t goes to 0, it goes to the equilibrium of greatest entropy.
With x = A p / t the equation is t x = A softmax(x). Its derivative, t less a skew matrix times a positive one, is never singular.

Sources: D. Balduzzi, K. Tuyls, J. Perolat, T. Graepel, Re-evaluating evaluation, NeurIPS 2018; R. McKelvey, T. Palfrey, Quantal
response equilibria for normal form games, Games and Economic Behavior 10 (1995), 6-38 (the path); E. Allgower, K. Georg,
Introduction to numerical continuation methods, 2003 (how it is followed).
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tiltyard_cycles.many_fits import Values

LOWEST: Final = 1e-6
"""Of the greatest payoff: the temperature at which the path ends."""
COOLING: Final = 0.5
"""The temperature is multiplied by this where the path is smooth, and by a number nearer to 1 where it bends."""
SLOWEST: Final = 0.9999
MOST_STEPS: Final = 12
CLOSE: Final = 1e-6
"""Of an exponent."""


def log_odds(shares: Values) -> Values:
    """The payoffs: antisymmetric matrices."""
    return np.log(shares / (1 - shares))


def nash_mixtures(payoffs: Values) -> Values:
    """The equilibrium of greatest entropy of each antisymmetric matrix: a share of each team, which are 1 together.

    Raises:
        ArithmeticError: the path was lost, which such games don't do.
    """
    games = payoffs / np.maximum(np.abs(payoffs).max(axis=(1, 2), keepdims=True), 1e-12)
    temperature, cooling = float(games.shape[-1]), COOLING
    exponents = np.zeros(games.shape[:2])
    slope = -exponents
    while temperature > LOWEST:
        cooler = max(temperature * cooling, LOWEST)
        there = _solution(games, exponents + (cooler - temperature) * slope, cooler)
        if there is not None:
            exponents, temperature, cooling = there, cooler, max(cooling**2, COOLING)
            slope = -_solved(games, _softmax(exponents), temperature, exponents)
        elif cooling < SLOWEST:
            cooling = cooling**0.5
        else:
            raise ArithmeticError("no equilibrium found: the path to it bends too sharply")
    return _softmax(exponents)


def _solution(games: Values, exponents: Values, temperature: float) -> Values | None:
    """By Newton's method, from where the solution is thought to be; None: that isn't near enough."""
    for _ in range(MOST_STEPS):
        shares = _softmax(exponents)
        gap = temperature * exponents - np.einsum("sij,sj->si", games, shares)
        if np.abs(gap).max() < CLOSE * temperature:
            return exponents
        exponents = exponents - _solved(games, shares, temperature, gap)
    return None


def _solved(games: Values, shares: Values, temperature: float, side: Values) -> Values:
    """What the derivative of the equation turns into ``side``."""
    # A (diag p - p p'): each column less the average one, times its share.
    derivative = temperature * np.eye(games.shape[-1]) - (games - games @ shares[..., None]) * shares[:, None, :]
    return np.asarray(np.linalg.solve(derivative, side[..., None])[..., 0])


def _softmax(exponents: Values) -> Values:
    powers = np.exp(exponents - exponents.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))
