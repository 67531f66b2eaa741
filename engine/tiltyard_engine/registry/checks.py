"""Looking at a record before anything is built on it: a wrong one is reported with what was expected."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from tiltyard_engine.formats import Format, TournamentFormat
from tiltyard_engine.lifecycle import Observer, TournamentObserver
from tiltyard_engine.match import GameManager
from tiltyard_engine.programs import ProgramTeam
from tiltyard_engine.publishing import Publisher
from tiltyard_engine.records import Command, Game, Manager, MapFile, Record, TankTeam, TurnTeam
from tiltyard_engine.tanks import Player, TankAlgorithm
from tiltyard_engine.turns import TurnAlgorithm

NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,63}")
"""Names stand in file names, tables and comma-separated lists."""

MOST_SEATS: Final = 1_000

LOG_SUFFIX: Final = re.compile(r"[A-Za-z0-9_.-]{0,32}")
"""Stands at the end of a file's name."""
VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

TARGET: Final = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")

HOOK_RECORDS: Final[dict[str, tuple[type[Any], ...]]] = {
    "games": (Game,),
    "game_managers": (Manager,),
    "algorithms": (TankTeam, TurnTeam, ProgramTeam),
    "maps": (MapFile,),
    "formats": (Format,),
    "observers": (Observer,),
    "publishers": (Publisher,),
    "commands": (Command,),
}
"""What each collecting hook may yield."""


def problem_of(hook: str, record: Any) -> str:
    """What is wrong with what ``hook`` yielded, or an empty string."""
    kinds = HOOK_RECORDS[hook]
    if not isinstance(record, kinds):
        expected = " or ".join(kind.__name__ for kind in kinds)
        return f"{hook}() yielded {_show(record)}, expected {expected}"
    for what, name in (("name", record.name), ("game", getattr(record, "game", record.name))):
        if not _is_name(name):
            return f"the {what} {name!r} is not usable: expected 1 to 64 letters, digits, '_', '.', '+' or '-'"
    description = getattr(record, "description", "")
    if not isinstance(description, str):
        return f"description is {_show(description)}, expected a line of text"
    if isinstance(record, TankTeam):
        return _factory_problem("player", record.player, Player, 5) or _factory_problem("tank", record.tank, TankAlgorithm, 2)
    if isinstance(record, TurnTeam):
        return _factory_problem("create", record.create, TurnAlgorithm, 1)
    if isinstance(record, ProgramTeam):
        return program_problem(record)
    if isinstance(record, Manager):
        if record.on_fault not in ("idle", "raise"):
            return f"on_fault is {record.on_fault!r}, expected 'idle' or 'raise'"
        if not _is_suffix(record.log_suffix):
            return f"log_suffix is {_show(record.log_suffix)}, expected the end of a file's name, such as '.txt'"
        return _factory_problem("create", record.create, GameManager, 0)
    if isinstance(record, Game):
        return _game_problem(record)
    if isinstance(record, Format):
        return _options_problem(record) or _factory_problem("create", record.create, TournamentFormat, 2)
    if isinstance(record, Observer):
        return _options_problem(record) or _factory_problem("create", record.create, TournamentObserver, 1)
    if isinstance(record, Publisher):
        return _options_problem(record) or _publisher_problem(record)
    if isinstance(record, Command):
        return _command_problem(record)
    if isinstance(record, MapFile):
        return _map_problem(record)
    return ""


def _map_problem(record: MapFile) -> str:
    if not isinstance(record.data, bytes):
        return f"data is {_show(record.data)}, expected the bytes of a map file"
    if not _is_number_of_players(record.seats):
        return f"seats is {_show(record.seats)}, expected a number of players"
    return ""


def _game_problem(record: Game[Any]) -> str:
    if not _is_range(record.seats):
        return f"seats is {record.seats!r}, expected a range such as range(2, 10)"
    if not callable(record.read_map):
        return f"read_map is {_show(record.read_map)}, expected a function"
    return _call_problem("read_map", record.read_map, 3)


def _options_problem(record: Format | Observer | Publisher) -> str:
    options: object = record.options
    if not (isinstance(options, type) and dataclasses.is_dataclass(options)):
        return f"options is {_show(options)}, expected a dataclass"
    demanding = [field.name for field in dataclasses.fields(options) if not _has_default(field)]
    if demanding:
        return f"options: {options.__name__} has no default for {', '.join(demanding)}"
    return ""


def _publisher_problem(record: Publisher) -> str:
    if not callable(record.publish):
        return f"publish is {_show(record.publish)}, expected a function"
    return _call_problem("publish", record.publish, 2)


def _has_default(field: dataclasses.Field[Any]) -> bool:
    return field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING


def program_problem(record: ProgramTeam) -> str:
    """Whether a program's record is the plain data that other processes expect."""
    lists: tuple[tuple[str, object], ...] = (("command", record.command), ("files", record.files), ("readable", record.readable))
    for field, words in lists:
        if not (isinstance(words, tuple) and all(_is_word(word) for word in words)):
            return f"{field} is {_show(words)}, expected a tuple of strings"
    if not record.command or not record.command[0]:
        return "command is empty, expected the program and its arguments"
    pairs: object = record.environment
    if not isinstance(pairs, tuple) or not all(_is_variable(pair) for pair in pairs):
        return f"environment is {_show(pairs)}, expected pairs of a variable's name and its value"
    for field, text in (("folder", record.folder), ("protocol", record.protocol), ("description", record.description)):
        if not _is_word(text):
            return f"{field} is {_show(text)}, expected a string"
    if record.folder and not Path(record.folder).is_absolute():
        return f"folder is {record.folder!r}, expected an absolute path"
    for path in record.files:
        if Path(path).is_absolute() or ".." in Path(path).parts:
            return f"files: {path!r} does not lie in the program's folder"
    for path in record.readable:
        if not Path(path).is_absolute():
            return f"readable: {path!r} is not an absolute path"
    return ""


def _is_word(value: object) -> bool:
    return isinstance(value, str) and "\0" not in value


def _is_variable(value: object) -> bool:
    if not (isinstance(value, tuple) and len(value) == 2 and all(_is_word(part) for part in value)):
        return False
    return VARIABLE.fullmatch(value[0]) is not None


def _command_problem(record: Command) -> str:
    if not isinstance(record.help, str):
        return f"help is {_show(record.help)}, expected a line of text"
    target: object = record.target
    if not (isinstance(target, str) and TARGET.fullmatch(target)):
        return f"target is {target!r}, expected module:attribute"
    return ""


def game_of(record: Record) -> str:
    """The game that a record belongs to; an empty string for those that are for every game."""
    if isinstance(record, Format | Observer | Publisher):
        return ""
    return record.name if isinstance(record, Game) else record.game


def _factory_problem(field: str, factory: Callable[..., Any], base: type[Any], arguments: int) -> str:
    """Whether ``factory`` can make a ``base`` from that many positional arguments, as far as can be told without calling it."""
    if not callable(factory):
        return f"{field} is {_show(factory)}, expected a class or another factory of {base.__name__}"
    if isinstance(factory, type):
        if not issubclass(factory, base):
            return f"{field} is the class {factory.__name__}, which does not derive from {base.__name__}"
        missing = sorted(getattr(factory, "__abstractmethods__", ()))
        if missing:
            return f"{field}: class {factory.__name__} leaves out {', '.join(missing)} of {base.__name__}"
    return _call_problem(field, factory, arguments)


def _call_problem(field: str, function: Callable[..., Any], arguments: int) -> str:
    try:
        signature = inspect.signature(function)
    except (ValueError, TypeError):
        return ""  # built-in callables may hide their signature; a wrong call shows in the first match
    try:
        signature.bind(*range(arguments))
    except TypeError as error:
        name = getattr(function, "__name__", "the factory")
        return f"{field}: {name}{signature} cannot be called with {arguments} positional arguments: {error}"
    return ""


def _is_name(value: object) -> bool:
    return isinstance(value, str) and NAME.fullmatch(value) is not None


def _is_suffix(value: object) -> bool:
    return isinstance(value, str) and LOG_SUFFIX.fullmatch(value) is not None


def _is_number_of_players(value: object) -> bool:
    return isinstance(value, int) and 0 < value <= MOST_SEATS


def _is_range(value: object) -> bool:
    return isinstance(value, range) and len(value) > 0


def _show(value: object) -> str:
    text = repr(value)
    return f"{text if len(text) <= 60 else text[:57] + '...'} of type {type(value).__name__}"
