"""Which of two is better, or is neither? Wald's sequential test, both ways, on pairs of games in swapped seats.

Wald (1945), "Sequential tests of statistical hypotheses", Annals of Mathematical Statistics 16: after each look the logarithm
of the likelihood ratio of two hypotheses is compared with two bounds, and the test ends beyond either. Two such tests run side
by side, as Sobel and Wald (1949) decide among three hypotheses ("A sequential decision procedure for choosing one of three
hypotheses concerning the unknown mean of a normal distribution", the same journal, 20): one asks whether the first team is
better by a given difference in Elo points or equal, the other asks that of the second.

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
    """Both tests after some pairs of games."""

    ratios: tuple[float, float]
    """For each team the logarithm of how much likelier the results are if it is better than if both are equal."""
    upper: float
    """At or above it a team is shown to be better."""
    lower: float
    """At or below it a team is shown not to be better by as much as was asked."""

    @property
    def better(self) -> int | None:
        """The team, 0 or 1, that is shown to be better; None: neither, or not yet."""
        return next((team for team, ratio in enumerate(self.ratios) if ratio >= self.upper), None)

    @property
    def is_over(self) -> bool:
        """Whether one is better, or neither by as much as was asked."""
        return self.better is not None or max(self.ratios) <= self.lower


def expected_share(elo: float) -> float:
    """The share of the points that a team takes on average which is better by so many Elo points."""
    return 1 / (1 + 10 ** (-elo / 400))


def look(counts: Sequence[int], elo: float, error: float) -> SprtLook:
    """The tests after ``counts[i]`` pairs of games of outcome ``OUTCOMES[i]``, seen from the first team.

    ``elo``: the difference that matters; ``error``: the wanted probability of calling one better where both are equal, and of
    calling them equal where one is better by so much.
    """
    ratios: list[float] = []
    for seen in (counts, counts[::-1]):
        ratio = _log_likelihood(seen, expected_share(elo)) - _log_likelihood(seen, 0.5) if any(seen) else 0.0
        ratios.append(round(ratio, 9))
    # Half of the error for each team: either could be called better by mistake.
    upper, lower = math.log((1 - error) / (error / 2)), math.log(error / (1 - error / 2))
    return SprtLook((ratios[0], ratios[1]), upper, lower)


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
