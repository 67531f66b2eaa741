"""The statistics that tell which team is better, for ``until-settled``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from tiltyard_engine.data_classes import dataclass
from tiltyard_engine.formats import FixtureResult
from tiltyard_engine.match_record import Outcome
from tiltyard_tournaments.ratings.repeats import GameDigest, without_repeats

if TYPE_CHECKING:
    from tiltyard_tournaments.ratings.model import Ratings


PRIOR: Final = 350.0
"""Standard deviation of strengths in Elo points before any game. Narrower than that of the ratings in the standings, which finds
two equal teams different too easily after the few games of a first batch."""


@dataclass(frozen=True, slots=True)
class RatedStrengths:
    """Strengths by the ratings that stand beside the standings; teams go by their numbers there."""

    ratings: Ratings
    teams: int

    def order(self) -> list[int]:
        """All teams, the strongest first."""
        return sorted(range(self.teams), key=lambda team: (-round(self._rating(team), 6), team))

    def superiority(self, one: int, other: int) -> float:
        """The probability that ``one`` is stronger than ``other``."""
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
        Outcome(teams=tuple(map(str, result.fixture.seats)), map=str(result.fixture.map), winner=result.winner, ranks=result.ranks)
        for result in results
    ]
    return RatedStrengths(fit_davidson(matches, prior=PRIOR), teams)


def game_digest(result: FixtureResult) -> GameDigest:
    """How a fixture went."""
    return GameDigest(result.fixture.seats, result.fixture.map, result.digest)


def telling(results: Sequence[FixtureResult]) -> list[FixtureResult]:
    """The results that count as evidence: there was a result; and of a pair that repeats itself each game only once."""
    return without_repeats([result for result in results if result.counts], game_digest)
