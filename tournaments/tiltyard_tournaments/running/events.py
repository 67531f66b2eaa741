"""What happens in a tournament, for those who watch: the screen, log files, plugins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from tiltyard_simulator.specs import MatchOutcome, MatchSpec


@dataclass(frozen=True, slots=True)
class TournamentStarted:
    """Before anything is played."""

    title: str
    teams: tuple[str, ...]
    stored: int
    """Matches that lie in the store from earlier runs, whether this one will need them or not."""
    expected: tuple[int, int] | None
    """The fewest and the most matches that it may take in all; None: the format cannot tell."""


@dataclass(frozen=True, slots=True)
class BatchStarted:
    """A batch of the format was drawn up."""

    number: int
    """From 1."""
    matches: int
    stored: int
    """So many of them were played in earlier runs."""


@dataclass(frozen=True, slots=True)
class MatchStarted:
    """A match was handed to a worker."""

    place: int
    """In the schedule, from 0."""
    spec: MatchSpec


@dataclass(frozen=True, slots=True)
class MatchFinished:
    """A match has an outcome, and that is in the store."""

    place: int
    spec: MatchSpec
    outcome: MatchOutcome
    key: str
    stage: str = ""
    played: bool = True
    """False: it was in the store already, or is a forfeit."""


@dataclass(frozen=True, slots=True)
class TournamentFinished:
    """The format wants nothing more, or the run was stopped."""

    matches: int
    complete: bool
    seconds: float


Event: TypeAlias = TournamentStarted | BatchStarted | MatchStarted | MatchFinished | TournamentFinished
