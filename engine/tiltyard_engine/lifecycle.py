"""The events of a tournament as plain values, and the observers that receive them; its results, and publishers.

The screen, log files and plugins' observers receive the same events in the same order. An event is sent after it happened: a
finished match is already in the store. Observers cannot change anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeAlias

from tiltyard_engine.data_classes import dataclass, field
from tiltyard_engine.decisions import Decision
from tiltyard_engine.formats import Bracket
from tiltyard_engine.match import NoOptions
from tiltyard_engine.match_record import Outcome
from tiltyard_engine.replay import Replay, Theme
from tiltyard_engine.results import Fault, PairingEnding


@dataclass(frozen=True, slots=True, kw_only=True)
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
    """How many of them were played in earlier runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
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
class MatchFault:
    """A team, the GameManager or the machine failed in a match that was played now; sent before the match finishes."""

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
    """Once the format is done: matches that failed because of the machine. The next run plays them again."""


@dataclass(frozen=True, slots=True)
class Notice:
    """Something about the run itself that people should know, such as that a machine of a cluster was lost; it changes no result.

    The first ones may come before the tournament starts.
    """

    message: str
    """One line, or some."""


Event: TypeAlias = TournamentStarted | BatchStarted | MatchStarted | Outcome | MatchFault | Notice | TournamentFinished
"""What observers, and the ``progress`` of a run, are told."""


class TournamentObserver:
    """Receives the events of a run. Methods that are not overridden do nothing.

    Each observer has a thread of its own, in which it gets one event after the other: a slow one delays nothing but itself.
    An error that a method raises is reported once; the observer still gets the next event, and the run goes on.
    """

    def tournament_started(self, event: TournamentStarted) -> None:
        """Before anything is played."""

    def batch_started(self, event: BatchStarted) -> None:
        """The format drew up matches."""

    def match_started(self, event: MatchStarted) -> None:
        """A match was handed to a worker."""

    def match_finished(self, record: Outcome) -> None:
        """A match has an outcome; also those that earlier runs played, with ``played`` false."""

    def match_fault(self, event: MatchFault) -> None:
        """A team or a GameManager failed in a match."""

    def notice(self, event: Notice) -> None:
        """Something happened to the run that changes no result."""

    def tournament_finished(self, event: TournamentFinished) -> None:
        """The last event of a run, complete or not."""


@dataclass(frozen=True, slots=True)
class Observer:
    """An observer of every run; ``create(options)`` makes a new one for each."""

    name: str
    create: Callable[[Any], TournamentObserver]
    options: type[Any] = NoOptions
    """A frozen dataclass whose fields have types of YAML and defaults, made with ``option``."""
    description: str = ""


def tell(observer: TournamentObserver, event: Event) -> None:
    """Call the observer's method for an event."""
    if isinstance(event, MatchStarted):
        observer.match_started(event)
    elif isinstance(event, Outcome):
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


Cell = str | int | float


@dataclass(frozen=True, slots=True)
class Table:
    """A table that can be shown in any format."""

    title: str
    headers: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    """What follows from it, in a sentence that stands below; empty: nothing is said."""


@dataclass(frozen=True, slots=True)
class Publication:
    """What the tournament file says about publishing, for every publisher alike."""

    title: str = ""
    """Empty: the tournament's."""
    logo: Path | None = None
    links: tuple[tuple[str, str], ...] = ()
    """(text, address)."""
    hide: frozenset[str] = frozenset(["output"])
    """What readers do not get to see: ``output``, ``faults``, ``replays``, ``ratings``."""
    folder: Path = Path("site")
    """Where the site goes, within the folder for all."""
    address: str = ""
    """Where readers will find the site, such as ``https://example.org/cup/``; empty: not known."""
    stages: tuple[tuple[str, str], ...] = ()
    """Of one of several stages: (text, address) of the page above them and of each one's site; its own is ``index.html``."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """Teams that are still to meet in a stage, or one team that has no opponent there, such as for a bye."""

    stage: str
    teams: tuple[str, ...]
    games: int
    """How many are still to be played, or how many games it stands for that a team has no opponent."""
    ending: PairingEnding = PairingEnding.BYE
    """Of one team: why it has no opponent."""
    points: float = 0.0
    """Those that a late team begins with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentResults:
    """A tournament as far as it was played. Names of teams and maps and all messages may come from strangers: escape them."""

    title: str
    game: str
    teams: tuple[str, ...]
    """In the order of the standings."""
    matches: tuple[Outcome, ...]
    """In the order of the schedule."""
    missing: int
    """Matches of the current batch that are still to be played; 0: it is complete."""
    folder: Path
    """Where to write."""
    tables: tuple[str, ...]
    """Names of the tables that there are: ``standings``, ``crosstable`` and others."""
    table: Callable[[str], Table]
    """Works a table out, by its name."""
    replay: Callable[[str], Replay | None]
    """A match's replay by its key; None where there is none, or where replays are hidden."""
    output: Callable[[str], tuple[str, ...]]
    """What each seat's code printed in the match with this key, seat 1 first; empty where nothing is kept or it is hidden."""
    replay_bytes: Callable[[str], bytes] | None = None
    """Quicker than ``replay``: its file as it is stored, compressed, with the names of then; empty where there is none."""
    publication: Publication = field(default_factory=Publication)
    description: str = ""
    notes: tuple[str, ...] = ()
    """Lines for people, such as how the teams' code was held."""
    theme: Theme | None = None
    """How the game's replays look."""
    format: str = ""
    """The tournament format's name, such as ``swiss``."""
    challengers: tuple[str, ...] = ()
    """Whom all others meet, in a format such as a gauntlet."""
    findings: tuple[str, ...] = ()
    """What the format says about these results. They are among the ``notes`` too."""
    pairings: tuple[Pairing, ...] = ()
    """Of which there are no games: those that were drawn and are still to be played, and byes."""
    is_scored: bool = False
    """Whether points are the game's own scores."""
    period: Callable[[], tuple[str, str]] = lambda: ("", "")
    """When the first and the last match ended, in ISO 8601 with the time zone; empty before that."""
    decisions: tuple[Decision, ...] = ()
    """What was decided about games, those that were taken back included."""
    brackets: tuple[Bracket[str], ...] = ()
    """What the format wants to be drawn of who meets whom; the first one leads to the winner."""
    store: Path | None = None
    """The folder of the store, beside which others may have written more about its games."""


@dataclass(frozen=True, slots=True)
class Publisher:
    """A way to publish results that can be chosen by name."""

    name: str
    publish: Callable[[TournamentResults, Any], Iterable[Path] | None]
    """``publish(results, options)`` writes or sends the results and gives the files to begin with, if there are any.

    It is called again after more was played. What it prints goes to standard error.
    """
    options: type[Any] = NoOptions
    """A frozen dataclass whose fields have types of YAML and defaults, made with ``option``."""
    description: str = ""
