"""Which of two is better? Wald's sequential test on pairs of games in swapped seats.

Wald (1945), "Sequential tests of statistical hypotheses", Annals of Mathematical Statistics 16: after each look the logarithm
of the likelihood ratio of two hypotheses is compared with two bounds, and the test ends beyond either. The hypotheses here
are that the first team is worse, or better, by a given difference in Elo points.

Two games on one map with one seed and swapped seats are not independent, so a pair of games counts as one draw of five
outcomes (0, 0.5, 1, 1.5 or 2 points). How likely each outcome is, is not known beforehand: the likelihood under a hypothesis
is that of the best fitting distribution whose mean is the hypothesis's (generalized SPRT; Van den Bergh, "A practical
introduction to the GSPRT"; the Fishtest of the chess engine Stockfish counts the same five outcomes).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

OUTCOMES: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The share of the points that the first team can take from a pair of games."""
UNSEEN: Final = 0.001
"""How often an outcome counts that was never seen: no hypothesis may be impossible."""
_HALVINGS: Final = 200


@dataclass(frozen=True, slots=True)
class SprtLook:
    """The test after some pairs of games."""

    ratio: float
    """The logarithm of the likelihood ratio, to 9 digits after the point: positive where the first team looks better."""
    bound: float
    """Beyond it, up or down, the test ends."""

    @property
    def verdict(self) -> int:
        """1: the first team is better; -1: it is worse; 0: not known yet."""
        return (self.ratio >= self.bound) - (self.ratio <= -self.bound)


def expected_share(elo: float) -> float:
    """The share of the points that a team takes on average which is better by so many Elo points."""
    return 1 / (1 + 10 ** (-elo / 400))


def look(counts: Sequence[int], elo: float, error: float) -> SprtLook:
    """The test after ``counts[i]`` pairs of games of outcome ``OUTCOMES[i]``.

    ``elo``: the difference that matters; ``error``: the wanted probability of naming the worse team where the two differ by that
    much, either way round.
    """
    share = expected_share(elo)
    ratio = _log_likelihood(counts, share) - _log_likelihood(counts, 1 - share) if any(counts) else 0.0
    return SprtLook(round(ratio, 9), math.log((1 - error) / error))


def _log_likelihood(counts: Sequence[int], mean: float) -> float:
    """Of the best fitting distribution over the outcomes with that mean, up to a term that is the same for every mean.

    By Lagrange's method its probabilities are in proportion to ``count / (1 + tilt * (outcome - mean))``, where the tilt makes the
    mean right; the probabilities then add up to 1 by themselves.
    """
    seen = [max(count, UNSEEN) for count in counts]
    low, high = -1 / (OUTCOMES[-1] - mean), 1 / (mean - OUTCOMES[0])
    for _ in range(_HALVINGS):
        tilt = (low + high) / 2
        if sum(count * (outcome - mean) / (1 + tilt * (outcome - mean)) for count, outcome in zip(seen, OUTCOMES)) > 0:
            low = tilt
        else:
            high = tilt
    return -sum(count * math.log(1 + tilt * (outcome - mean)) for count, outcome in zip(seen, OUTCOMES))
