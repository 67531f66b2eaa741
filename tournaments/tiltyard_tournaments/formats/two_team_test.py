"""Which of two is better, or is neither? The sequential test of ``ratings.sprt``, both ways, on pairs of games in swapped seats.

One test asks whether the first team is better by a given difference in Elo points, or equal; the other asks that of the second.
So Sobel and Wald decide among three hypotheses (1949, "A sequential decision procedure for choosing one of three hypotheses
concerning the unknown mean of a normal distribution", Annals of Mathematical Statistics 20). A single test of "better" against
"worse" would name one of two equal teams the better one every time.

Two games on one map with one seed in swapped seats are not independent, so both together count as one draw of five outcomes, as the
Fishtest of the chess engine Stockfish counts them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tiltyard_engine.data_classes import dataclass
from tiltyard_tournaments.ratings.sprt import sprt_of_scores

OUTCOMES: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The share of the points that the first team can take from a pair of games."""


@dataclass(frozen=True, slots=True)
class SprtState:
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


def sprt_state(counts: Sequence[int], elo: float, error: float) -> SprtState:
    """The tests after ``counts[i]`` pairs of games of outcome ``OUTCOMES[i]``, seen from the first team.

    ``elo``: the difference that matters; ``error``: the wanted probability of calling one better where both are equal, and of
    calling them equal where one is better by so much; below 0.5.
    """
    # Half of the error for each team: either could be called better by mistake.
    first, second = (
        sprt_of_scores(dict(zip(OUTCOMES, each)), 0.0, elo, alpha=error / 2, beta=error, games=2) for each in (counts, counts[::-1])
    )
    return SprtState((round(first.llr, 9), round(second.llr, 9)), first.upper, first.lower)
