"""What a plugin contributes, as plain data: it is made in the process that imports the plugin, which may be another one."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from tiltyard_engine.data_classes import dataclass, field, fields, replace
from tiltyard_engine.errors import UserError, describe
from tiltyard_engine.programs import ProgramTeam
from tiltyard_engine.records import Manager, MapFile, Record, TurnTeam
from tiltyard_engine.registry.checks import (
    ALGORITHM,
    FOR_ALL_GAMES,
    GAME,
    KINDS,
    LOG_SUFFIX,
    MOST_SEATS,
    game_of,
    is_name,
    kind_of,
    program_problem,
)
from tiltyard_engine.registry.file_loaders import get_loader
from tiltyard_engine.registry.loading import Problem, load_source
from tiltyard_engine.registry.sources import Source

LONGEST_DESCRIPTION: Final = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
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
    """Of a map: the players that it was made for; 0: any number."""
    data: bytes = b""
    """Of a map: the map file."""
    is_partner: bool = False
    """Of an algorithm: whether it follows from a game's rules, and plays only where somebody names it."""
    program: ProgramTeam | None = None
    """Of a program: its whole record, which is plain data."""


@dataclass(slots=True)
class Description:
    """The result of loading one source."""

    file: str = ""
    contributions: list[Contribution] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


Loader: TypeAlias = Callable[[Sequence[Source]], Sequence[Description]]
"""Loads sources in this process or another and describes each, in their order. Never raises for what a plugin does wrong."""


def load_here(sources: Sequence[Source]) -> list[Description]:
    """The loader that imports in this process: for code that is trusted."""
    return [describe_source(source) for source in sources]


def describe_source(source: Source) -> Description:
    """Import ``source`` in this process and describe what it contributes."""
    if source.loader and not source.error:
        try:
            get_loader(source.loader).examine(Path(source.value))
        except UserError as error:
            return Description(source.value, problems=[Problem(str(error))])
        except Exception as error:
            # The file is somebody's who may have made it for this; the others are described all the same.
            detail = "".join(traceback.format_exception(error))
            return Description(source.value, problems=[Problem(f"cannot be examined: {describe(error)}", detail=detail)])
    plugin = load_source(source)
    return Description(plugin.file, [contribution_of(record) for record in plugin.records], list(plugin.problems))


def contribution_of(record: Record) -> Contribution:
    """What must be known of a record that passed the checks."""
    contribution = Contribution(
        kind=kind_of(record),
        name=_plain(record.name),
        game=_plain(game_of(record)),
        description=_plain(record.description),
    )
    if isinstance(record, Manager):
        return replace(contribution, on_fault=record.on_fault, log_suffix=_plain(record.log_suffix))
    if isinstance(record, MapFile):
        return replace(contribution, seats=int(record.seats), data=bytes(record.data))
    if isinstance(record, TurnTeam):
        return replace(contribution, is_partner=record.is_partner)
    return replace(contribution, program=_plain_program(record)) if isinstance(record, ProgramTeam) else contribution


def contribution_problem(contribution: Contribution) -> str:
    """What is wrong with another process's description of a record, or an empty string. Its types have been checked."""
    if contribution.kind not in KINDS:
        return f"unknown kind {contribution.kind!r:.60}"
    if not is_name(contribution.kind, contribution.name) or not (
        is_name(GAME, contribution.game) or (contribution.kind in FOR_ALL_GAMES and not contribution.game)
    ):
        return f"the name {contribution.name!r:.80} or the game {contribution.game!r:.80} is not valid"
    if not LOG_SUFFIX.fullmatch(contribution.log_suffix):
        return f"log_suffix is {contribution.log_suffix!r:.60}"
    if not 0 <= contribution.seats <= MOST_SEATS:
        return f"seats is {contribution.seats}"
    if contribution.program is not None:
        if (contribution.kind, contribution.name, contribution.game) != (
            ALGORITHM,
            contribution.program.name,
            contribution.program.game,
        ):
            return f"the program {contribution.program.name!r:.80} is listed under a different name"
        problem = program_problem(contribution.program)
        if problem:
            return f"the program {contribution.name}: {problem}"
    if len(contribution.description) > LONGEST_DESCRIPTION:
        return f"the description has {len(contribution.description):,} characters; the limit is {LONGEST_DESCRIPTION:,}"
    return ""


def _plain_program(record: ProgramTeam) -> ProgramTeam:
    return ProgramTeam(**{each.name: _plain(getattr(record, each.name)) for each in fields(record)})


def _plain(value: Any) -> Any:
    """A string, or a tuple of such, of the plainest type: a plugin may have derived its own, which would not travel."""
    return tuple(map(_plain, value)) if isinstance(value, tuple) else str.__str__(value)
