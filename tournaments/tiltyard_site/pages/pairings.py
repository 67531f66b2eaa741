"""Stage by stage who met whom, from the games and from what has no games: byes and what is still to be played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from tiltyard_engine.match_record import Outcome
from tiltyard_engine.publishing import Pairing
from tiltyard_site.pages.match_scripts import Listed
from tiltyard_tournaments.standings.scoring import number


@dataclass(slots=True)
class StagePairing:
    """Teams that meet in a stage, and their games there; one team alone has a bye."""

    teams: tuple[str, ...]
    games: list[Listed] = field(default_factory=list)
    to_play: int = 0
    """Games that are still to come."""

    @property
    def counting(self) -> list[Outcome]:
        """The games that count."""
        return [entry.match for entry in self.games if entry.match.counts]

    @property
    def word(self) -> str:
        """What to call it instead of a score; empty: it has one."""
        return unplayed_word(self.teams, [entry.match for entry in self.games])

    def score_of(self, team: str) -> Fraction:
        """Wins and half the ties, of the games that count."""
        shares = [Fraction(match.winner_name == team) if match.winner else Fraction(1, 2) for match in self.counting]
        return sum(shares, Fraction(0))

    def seats_of(self, team: str) -> list[int]:
        """The seats that a team has had, from 1, each once."""
        return sorted({entry.match.teams.index(team) + 1 for entry in self.games})

    def opponents_of(self, team: str) -> list[str]:
        """All teams but this one."""
        return [other for other in self.teams if other != team]


def unplayed_word(teams: Sequence[str], games: Sequence[Outcome]) -> str:
    """The word for a pairing that has no played result; empty if it has one."""
    if len(teams) < 2:
        return "bye"
    if not games:
        return "to play"
    if any(match.counts and not match.forfeits for match in games):
        return ""
    if any(match.counts for match in games):
        return "walkover"
    return "no result"


def stages(listed: Sequence[Listed], pairings: Sequence[Pairing]) -> dict[str, list[StagePairing]]:
    """The pairings of each stage, both in the order of the schedule; byes are at the end of their stage."""
    by_stage: dict[str, dict[frozenset[str], StagePairing]] = {}
    for entry in listed:
        match = entry.match
        stage = by_stage.setdefault(match.stage, {})
        stage.setdefault(frozenset(match.teams), StagePairing(match.teams)).games.append(entry)
    for pairing in sorted(pairings, key=lambda one: len(one.teams) < 2):
        stage = by_stage.setdefault(pairing.stage, {})
        own = stage.setdefault(frozenset(pairing.teams), StagePairing(pairing.teams))
        own.to_play += pairing.games if len(pairing.teams) > 1 else 0
    return {name: list(stage.values()) for name, stage in by_stage.items()}


def half(value: Fraction) -> str:
    """A score in wins and halves, such as ``1½``."""
    whole, rest = divmod(value, 1)
    if rest == Fraction(1, 2):
        return f"{whole or ''}\u00bd"
    return str(number(value))
