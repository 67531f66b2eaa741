"""What a plugin contributes, in plain data: made where the plugin is imported, which need not be where it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, TypeAlias

from tiltyard_engine.errors import UserError
from tiltyard_engine.formats import Format
from tiltyard_engine.lifecycle import Observer
from tiltyard_engine.programs import ProgramTeam
from tiltyard_engine.publishing import Publisher
from tiltyard_engine.records import Game, Manager, MapFile, Record
from tiltyard_engine.registry.checks import LOG_SUFFIX, MOST_SEATS, NAME, game_of, program_problem
from tiltyard_engine.registry.file_loaders import get_loader
from tiltyard_engine.registry.loading import Problem, load_source
from tiltyard_engine.registry.sources import Source

GAME: Final = "game"
MANAGER: Final = "game manager"
ALGORITHM: Final = "algorithm"
MAP: Final = "map"
FORMAT: Final = "format"
OBSERVER: Final = "observer"
PUBLISHER: Final = "publisher"
KINDS: Final = (GAME, MANAGER, ALGORITHM, MAP, FORMAT, OBSERVER, PUBLISHER)
FOR_ALL_GAMES: Final = (FORMAT, OBSERVER, PUBLISHER)
RUN_BY_THE_RUNNER: Final = (GAME, FORMAT, OBSERVER, PUBLISHER)
"""What has code that runs in the runner's own process, so that only trusted plugins can contribute it."""

LONGEST_DESCRIPTION: Final = 2_000


@dataclass(frozen=True, slots=True)
class Contribution:
    """All that must be known of a record before its plugin's code is needed."""

    kind: str
    name: str
    game: str
    """Empty where it is for all games."""
    description: str = ""
    on_fault: Literal["idle", "raise"] = "idle"
    """Of a GameManager, as in its record."""
    log_suffix: str = ".txt"
    """Of a GameManager, as in its record."""
    seats: int = 0
    """Of a map: the players that it was made for."""
    data: bytes = b""
    """Of a map: the map file."""
    program: ProgramTeam | None = None
    """Of a program: its whole record, which is plain data."""


@dataclass(slots=True)
class Description:
    """What became of loading one source."""

    file: str = ""
    contributions: list[Contribution] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


Loader: TypeAlias = Callable[[Sequence[Source]], Sequence[Description]]
"""Loads sources, wherever it does that, and tells of each in their order. Raises nothing for what a plugin does wrong."""


def load_here(sources: Sequence[Source]) -> list[Description]:
    """The loader that imports in this process: for code that is trusted."""
    return [describe_source(source) for source in sources]


def describe_source(source: Source) -> Description:
    """Import ``source`` in this process and tell what it contributes."""
    if source.loader and not source.error:
        try:
            get_loader(source.loader).examine(Path(source.value))
        except UserError as error:
            return Description(source.value, problems=[Problem(str(error))])
    plugin = load_source(source)
    return Description(plugin.file, [contribution_of(record) for record in plugin.records], list(plugin.problems))


def kind_of(record: Record) -> str:
    """The word for what a record is."""
    if isinstance(record, Game):
        return GAME
    if isinstance(record, Manager):
        return MANAGER
    if isinstance(record, Format):
        return FORMAT
    if isinstance(record, Observer):
        return OBSERVER
    if isinstance(record, Publisher):
        return PUBLISHER
    return MAP if isinstance(record, MapFile) else ALGORITHM


def contribution_of(record: Record) -> Contribution:
    """What must be known of a record that passed the checks."""
    kind, name, game, description = kind_of(record), _plain(record.name), _plain(game_of(record)), _plain(record.description)
    if isinstance(record, Manager):
        return Contribution(kind, name, game, description, on_fault=record.on_fault, log_suffix=_plain(record.log_suffix))
    if isinstance(record, MapFile):
        return Contribution(kind, name, game, description, seats=int(record.seats), data=bytes(record.data))
    return Contribution(kind, name, game, description, program=_plain_program(record) if isinstance(record, ProgramTeam) else None)


def contribution_problem(told: Contribution) -> str:
    """Why what another process says of a record cannot be, or an empty string. Its types have been checked."""
    if told.kind not in KINDS:
        return f"the kind {told.kind!r:.60} is none"
    if not NAME.fullmatch(told.name) or not (NAME.fullmatch(told.game) or (told.kind in FOR_ALL_GAMES and not told.game)):
        return f"the name {told.name!r:.80} or the game {told.game!r:.80} is not usable"
    if not LOG_SUFFIX.fullmatch(told.log_suffix):
        return f"log_suffix is {told.log_suffix!r:.60}"
    if not 0 <= told.seats <= MOST_SEATS:
        return f"seats is {told.seats}"
    if told.program is not None:
        if (told.kind, told.name, told.game) != (ALGORITHM, told.program.name, told.program.game):
            return f"the program {told.program.name!r:.80} is told under another name"
        problem = program_problem(told.program)
        if problem:
            return f"the program {told.name}: {problem}"
    if len(told.description) > LONGEST_DESCRIPTION:
        return f"the description has {len(told.description):,} characters, at most {LONGEST_DESCRIPTION:,} are taken"
    return ""


def _plain_program(record: ProgramTeam) -> ProgramTeam:
    words = [tuple(_plain(word) for word in words) for words in (record.command, record.files, record.readable)]
    return ProgramTeam(
        _plain(record.name),
        _plain(record.game),
        words[0],
        _plain(record.folder),
        words[1],
        words[2],
        tuple((_plain(name), _plain(value)) for name, value in record.environment),
        _plain(record.protocol),
        _plain(record.description),
    )


def _plain(text: str) -> str:
    """A string of the plainest type: a plugin may have derived its own, which would not travel."""
    return str.__str__(text)
