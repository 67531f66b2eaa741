"""A sequential test between two teams: play on until it is shown which of two hypotheses holds, or the budget is used up.

The two hypotheses are Elo differences. The logarithm of the likelihood ratio of what was seen is compared with Wald's bounds:

    lower = log(beta / (1 - alpha))        upper = log((1 - beta) / alpha)

As strengths alone do not say how often two teams tie, the likelihoods are greatest ones over all distributions of a game's
score (0, 1/2, 1) with the expected score of the hypothesis: the generalized test as computer chess uses it for
three outcomes. Games in pairs (same map and seed, seats changed) are not independent; ``sprt_of_scores`` takes the average
scores of pairs, which are.

Sources: A. Wald, Sequential tests of statistical hypotheses, Annals of Mathematical Statistics 16 (1945), 117-186;
X. Li, J. Liu, Z. Ying, Generalized sequential probability ratio test for separate families of hypotheses, Sequential Analysis 33
(2014), 539-563.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from math import fsum, isfinite, log
from typing import Final

from tiltyard_engine.data_classes import dataclass
from tiltyard_engine.texts.quantities import counted

UNSEEN: Final = 1e-3
"""Stands for the number of times that an outcome which never came was seen, so that it stays possible."""


class SprtVerdict(Enum):
    """What a test has shown so far."""

    HIGH = "high"
    """The higher difference."""
    LOW = "low"
    """The lower difference."""
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True, kw_only=True)
class SprtResult:
    """Where a sequential test stands."""

    verdict: SprtVerdict
    llr: float
    """The logarithm of the likelihood ratio, of the higher over the lower hypothesis."""
    lower: float
    """The bound at which the lower one is accepted."""
    upper: float
    """The bound at which the higher one is accepted."""
    games: int
    low: float
    """Elo difference of the lower hypothesis."""
    high: float
    alpha: float
    beta: float

    def statement(self, one: str = "the first", other: str = "the second") -> str:
        """What was shown, and with what risk, in a sentence. It promises nothing about differences between the two."""
        if self.verdict is SprtVerdict.UNDECIDED:
            games = counted(self.games, "game")
            return f"undecided after {games}: neither {self.low:+g} nor {self.high:+g} Elo is shown for {one} over {other}"
        if self.verdict is SprtVerdict.HIGH:
            accepted, rejected, risk = self.high, self.low, self.alpha
        else:
            accepted, rejected, risk = self.low, self.high, self.beta
        side = "less" if self.verdict is SprtVerdict.HIGH else "more"
        return (
            f"after {counted(self.games, 'game')} {accepted:+g} Elo for {one} over {other} is accepted against {rejected:+g}; "
            f"were it {rejected:+g} or {side}, this would happen in about {100 * risk:g} % of tests at most"
        )


def sprt(
    wins: int, ties: int, losses: int, low: float = -20.0, high: float = 20.0, *, alpha: float = 0.05, beta: float = 0.05
) -> SprtResult:
    """The test on single games of the one against the other.

    With ``low`` = -``high`` it asks which of the two is better: HIGH the one, LOW the other.

    Args:
        wins: games that the one won.
        ties: games that nobody won.
        losses: games that the other won.
        low: the lower Elo difference, the one's over the other's: an expected score of 1 / (1 + 10 ** (-low / 400)).
        high: the higher one.
        alpha: accepted risk of HIGH where ``low`` holds.
        beta: accepted risk of LOW where ``high`` holds.

    Raises:
        ValueError: numbers that make no test.
    """
    return sprt_of_scores({0.0: losses, 0.5: ties, 1.0: wins}, low, high, alpha, beta)


def sprt_of_scores(
    counts: Mapping[float, int], low: float = -20.0, high: float = 20.0, alpha: float = 0.05, beta: float = 0.05, *, games: int = 1
) -> SprtResult:
    """The test on independent units with scores from 0 to 1, such as pairs of games: 0, 1/4, 1/2, 3/4, 1.

    Args:
        counts: how often each score was seen; name all that can occur, and 0 and 1 in any case.
        low: the lower Elo difference.
        high: the higher one.
        alpha: accepted risk of HIGH where ``low`` holds.
        beta: accepted risk of LOW where ``high`` holds.
        games: games in a unit.

    Raises:
        ValueError: numbers that make no test.
    """
    _check(counts, low, high, alpha, beta)
    lower, upper = log(beta / (1 - alpha)), log((1 - beta) / alpha)
    units = sum(counts.values())
    llr = 0.0
    if units:
        frequencies = {score: max(float(count), UNSEEN) for score, count in sorted(counts.items())}
        total = fsum(frequencies.values())
        llr = _log_likelihood(frequencies, total, expected_score(high)) - _log_likelihood(frequencies, total, expected_score(low))
    verdict = SprtVerdict.HIGH if llr >= upper else SprtVerdict.LOW if llr <= lower else SprtVerdict.UNDECIDED
    return SprtResult(
        verdict=verdict, llr=llr, lower=lower, upper=upper, games=units * games, low=low, high=high, alpha=alpha, beta=beta
    )


def expected_score(elo: float) -> float:
    """The expected share of points for an Elo difference."""
    return 1 / (1 + 10 ** (-elo / 400))


def _log_likelihood(frequencies: Mapping[float, float], total: float, mean: float) -> float:
    """The greatest one over distributions with this mean, less that of the frequencies that were seen.

    The distribution has the weights frequency / (1 + t * (score - mean)); its mean is as wanted where the sum of
    frequency * (score - mean) / (1 + t * (score - mean)) is 0, which falls with t and is found by halving.
    """
    below, above = -1 / (max(frequencies) - mean), -1 / (min(frequencies) - mean)
    for _ in range(200):
        middle = (below + above) / 2
        slope = fsum(count * (score - mean) / (1 + middle * (score - mean)) for score, count in frequencies.items())
        below, above = (middle, above) if slope > 0 else (below, middle)
        if not below < (below + above) / 2 < above:
            break
    return -fsum(count * log(1 + middle * (score - mean)) for score, count in frequencies.items())


def _check(counts: Mapping[float, int], low: float, high: float, alpha: float, beta: float) -> None:
    if not (0 < alpha < 0.5 and 0 < beta < 0.5):
        raise ValueError(f"the risks must be between 0 and 0.5, not {alpha} and {beta}")
    if not (isfinite(low) and isfinite(high) and low < high):
        raise ValueError(f"the lower difference must be below the higher one, not {low} and {high}")
    if not {0.0, 1.0} <= set(counts) or any(not 0 <= score <= 1 for score in counts) or any(count < 0 for count in counts.values()):
        raise ValueError(f"expected counts of at least 0 for scores from 0 to 1, with 0 and 1 among them, got {dict(counts)}")
