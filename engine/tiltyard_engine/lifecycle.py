"""What happens while a tournament is played, as plain values, and the records of those who want to hear of it.

The screen, log files and plugins' observers are told of the same events in the same order. What is told of has happened:
a match that finished is in the store. Nobody who hears of it can change it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from tiltyard_engine.formats import NoOptions
from tiltyard_engine.results import Fault


@dataclass(frozen=True, slots=True)
class TournamentStarted:
    """Before anything is played; also where a run goes on with what an earlier one left."""

    title: str
    teams: tuple[str, ...]
    stored: int
    """Matches that lie in the store from earlier runs, whether this one will need them or not."""
    expected: tuple[int, int] | None
    """The fewest and the most matches that it may take in all; None: the format cannot tell."""
    game: str = ""
    manager: str = ""
    format: str = ""
    maps: tuple[str, ...] = ()
    folder: str = ""
    """Where the results go."""


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
    key: str
    """The match's own, over all that its result depends on."""
    teams: tuple[str, ...]
    """Seat 1 first."""
    map: str
    seed: int = 0
    game: int = 0
    """Which of the games between the same teams on the same map, from 0."""
    stage: str = ""
    """What the format calls this part of the tournament, such as ``round 3``."""


@dataclass(frozen=True, slots=True)
class MatchFinished:
    """A match has an outcome, and that is in the store."""

    place: int
    key: str
    teams: tuple[str, ...]
    map: str
    winner: int
    """A seat from 1; 0 is a tie, or no result."""
    ranks: tuple[int, ...]
    """A place a seat, 1 is best, equal places shared."""
    seed: int = 0
    game: int = 0
    stage: str = ""
    scores: tuple[float, ...] = ()
    """The game's own score a seat; empty where it has none."""
    counts: bool = True
    """False: the GameManager or the machine failed, or everybody forfeited; nobody gets anything for it."""
    reason: str = ""
    """The game's own word for how it ended."""
    message: str = ""
    """One line for people on how it ended."""
    rounds: int = 0
    faults: tuple[Fault, ...] = ()
    held: tuple[str, ...] = ()
    """How each seat's code was held, such as ``sandbox, level A``."""
    incidents: tuple[str, ...] = ()
    """What the machine did meanwhile; nobody is charged with it."""
    seconds: float = 0.0
    """Wall time."""
    played: bool = True
    """False: it was in the store already, or is a forfeit."""
    digest: str = ""
    """A fingerprint of how it went: equal for two that went the same way, as far as their results tell. Empty: no result."""


@dataclass(frozen=True, slots=True)
class MatchFault:
    """Somebody failed in a match that was played now; told just before that match finishes, once a fault."""

    place: int
    key: str
    teams: tuple[str, ...]
    map: str
    who: str
    """The team's name, ``GameManager NAME``, or ``the machine``."""
    fault: Fault


@dataclass(frozen=True, slots=True)
class TournamentFinished:
    """The format wants nothing more, or the run was stopped."""

    matches: int
    complete: bool
    """Whether the format wants nothing more and every match has a result."""
    seconds: float
    voids: int = 0
    """Where the format wants nothing more: matches that the machine spoilt, and that the next run tries again."""


@dataclass(frozen=True, slots=True)
class Notice:
    """Something about the run itself that people should know, such as that a machine of a cluster was lost; it changes no result.

    The first ones may come before the tournament starts.
    """

    message: str
    """One line, or some."""


Event: TypeAlias = TournamentStarted | BatchStarted | MatchStarted | MatchFinished | MatchFault | Notice | TournamentFinished


class TournamentObserver:
    """Hears of a run as it goes. Methods that are not overridden do nothing.

    Each observer is told in a thread of its own, one event after the other: one that is slow keeps nobody waiting but itself.
    What a method raises is reported once, the observer hears of the next event all the same, and the run goes on.
    """

    def tournament_started(self, event: TournamentStarted) -> None:
        """Before anything is played."""

    def batch_started(self, event: BatchStarted) -> None:
        """The format drew up matches."""

    def match_started(self, event: MatchStarted) -> None:
        """A match was handed to a worker."""

    def match_finished(self, event: MatchFinished) -> None:
        """A match has an outcome; also those that earlier runs played, with ``played`` false."""

    def match_fault(self, event: MatchFault) -> None:
        """Somebody failed."""

    def notice(self, event: Notice) -> None:
        """Something happened to the run that changes no result."""

    def tournament_finished(self, event: TournamentFinished) -> None:
        """The last event of a run, complete or not."""


@dataclass(frozen=True, slots=True)
class Observer:
    """Somebody who hears of every run; ``create(options)`` makes one for each."""

    name: str
    create: Callable[[Any], TournamentObserver]
    options: type[Any] = NoOptions
    """A frozen dataclass whose fields have types of YAML and defaults, made with ``option``."""
    description: str = ""


def tell(observer: TournamentObserver, event: Event) -> None:
    """Call the observer's method for an event."""
    if isinstance(event, MatchStarted):
        observer.match_started(event)
    elif isinstance(event, MatchFinished):
        observer.match_finished(event)
    elif isinstance(event, MatchFault):
        observer.match_fault(event)
    elif isinstance(event, BatchStarted):
        observer.batch_started(event)
    elif isinstance(event, Notice):
        observer.notice(event)
    elif isinstance(event, TournamentStarted):
        observer.tournament_started(event)
    else:
        observer.tournament_finished(event)
