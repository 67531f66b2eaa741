"""What a publisher gets: a tournament's results, as far as it was played, as plain values; and the record that it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tiltyard_engine.formats import NoOptions
from tiltyard_engine.match_record import Outcome
from tiltyard_engine.replay import Replay, Theme

Cell = str | int | float


@dataclass(frozen=True, slots=True)
class Table:
    """A table that can be shown in any format."""

    title: str
    headers: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


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


@dataclass(frozen=True, slots=True)
class Pairing:
    """Teams that are still to meet in a stage, or one team that has a bye there."""

    stage: str
    teams: tuple[str, ...]
    games: int
    """How many are still to be played, or how many won games the bye stands for."""


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
