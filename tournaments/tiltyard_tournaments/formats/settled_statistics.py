"""What results say about who is better, for ``until-settled``. Whoever has better statistics can hand them to it instead."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

from tiltyard_engine.formats import FixtureResult
from tiltyard_tournaments.played import PlayedMatch
from tiltyard_tournaments.repeats import Course, without_repeats

if TYPE_CHECKING:
    from tiltyard_tournaments.ratings.model import Ratings


PRIOR: Final = 350.0
"""Standard deviation of strengths in Elo points before any game. Narrower than that of the ratings in the standings: with
theirs the normal approximation finds even 40 wins of 40 games less than 99 % certain."""


class Strengths(Protocol):
    """What is known of the teams."""

    def order(self) -> list[int]:
        """All teams, the strongest first."""
        ...

    def superiority(self, one: int, other: int) -> float:
        """The probability that ``one`` is stronger than ``other``."""
        ...


Statistics: TypeAlias = Callable[[Sequence[FixtureResult], int], Strengths]
"""``statistics(results, teams)``: results of matches of two, and how many teams there are."""


@dataclass(frozen=True, slots=True)
class RatedStrengths:
    """Strengths by the ratings that stand beside the standings; teams go by their numbers there."""

    ratings: Ratings
    teams: int

    def order(self) -> list[int]:
        return sorted(range(self.teams), key=lambda team: (-round(self._rating(team), 6), team))

    def superiority(self, one: int, other: int) -> float:
        if not {str(one), str(other)} <= set(self.ratings.teams):
            return 0.5
        # Rounded so that the last bits of another machine's arithmetic change no decision.
        return round(self.ratings.superiority(str(one), str(other)), 9)

    def _rating(self, team: int) -> float:
        """Elo points; a team without a rated match is an average one."""
        return self.ratings.rating(str(team)).value if str(team) in self.ratings else 0.0


def rated_strengths(results: Sequence[FixtureResult], teams: int) -> RatedStrengths:
    """The model of Bradley and Terry with Davidson's ties, fitted to all results (``ratings.davidson``)."""
    from tiltyard_tournaments.ratings.davidson import fit_davidson  # numpy takes a moment: every command imports this module

    matches = [
        PlayedMatch(tuple(map(str, result.fixture.seats)), str(result.fixture.map), result.winner, result.ranks)
        for result in results
    ]
    return RatedStrengths(fit_davidson(matches, prior=PRIOR), teams)


def course(result: FixtureResult) -> Course:
    """How a fixture went."""
    return Course(result.fixture.seats, result.fixture.map, result.digest)


def telling(results: Sequence[FixtureResult]) -> list[FixtureResult]:
    """The results that count as evidence: there was a result; and of a pair that repeats itself each game only once."""
    return without_repeats([result for result in results if result.counts], course)
