"""Checks of records before they are used: a wrong one is reported with what was expected."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from tiltyard_engine.errors import show
from tiltyard_engine.hooks import API_STATEMENT, API_VERSION
from tiltyard_engine.match import GameManager
from tiltyard_engine.programs import ProgramTeam
from tiltyard_engine.records import (
    Command,
    Game,
    GameDisplay,
    GameEncoding,
    GameInterface,
    GameLogs,
    GameMaps,
    GamePrograms,
    GameTeams,
    Manager,
    MapFile,
    Record,
    TankInterface,
    TankTeam,
    TurnInterface,
    TurnTeam,
)
from tiltyard_engine.seat_kinds.value_types import value_type_problem
from tiltyard_engine.tanks import Player, TankAlgorithm
from tiltyard_engine.turns import TurnAlgorithm

NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,63}")
"""Names stand in file names, tables and comma-separated lists."""
GAME_NAME: Final = re.compile(r"(?=.{1,64}\Z)[A-Za-z0-9_][A-Za-z0-9_.+-]*(/[A-Za-z0-9_][A-Za-z0-9_.+-]*)?")
"""A game's may have a family in front, as in ``openspiel/chess``. It never becomes part of a path."""
COMMAND_NAME: Final = re.compile(rf"(?=.{{1,64}}\Z)([a-z]+ )?{NAME.pattern}")
"""A command's may have that of a group in front, as in ``new game``."""

LONGEST_TEAM_NAME: Final = 64
NOT_IN_TEAM_NAMES: Final = "/\\:=,"
"""What separates names in paths, lists and words such as ``FILE:NAME`` and ``NAME=PATH``."""

NAME_IN_WORDS: Final = "1 to 64 letters, digits, '_', '.', '+' or '-'"
GAME_NAME_IN_WORDS: Final = f"{NAME_IN_WORDS}, which a game may have in two parts with a '/' between them"
COMMAND_NAME_IN_WORDS: Final = f"{NAME_IN_WORDS}, which a command may have after the word of a group and a space, as in 'new game'"
TEAM_NAME_IN_WORDS: Final = (
    f"1 to {LONGEST_TEAM_NAME} printable characters, none of {' '.join(NOT_IN_TEAM_NAMES)} and no space, '-' or '.' at the start"
)

MOST_SEATS: Final = 1_000

LOG_SUFFIX: Final = re.compile(r"[A-Za-z0-9_.-]{0,32}")
"""Stands at the end of a file's name."""
VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

TARGET: Final = re.compile(r"([A-Za-z_][\w.]*)?:[A-Za-z_]\w*")

GAME: Final = "game"
MANAGER: Final = "game manager"
ALGORITHM: Final = "algorithm"
HANDED_IN: Final = (ALGORITHM, MANAGER)
"""What people write and hand in without knowing of each other: it is called as they are, and several may have the same name."""
MAP: Final = "map"
FORMAT: Final = "format"
OBSERVER: Final = "observer"
PUBLISHER: Final = "publisher"
RECIPE: Final = "recipe"
COMMAND: Final = "command"

RULES_OF_NAMES: Final = {
    ALGORITHM: TEAM_NAME_IN_WORDS,
    MANAGER: TEAM_NAME_IN_WORDS,
    GAME: GAME_NAME_IN_WORDS,
    COMMAND: COMMAND_NAME_IN_WORDS,
}
"""In words, by kind where it is not the usual rule."""

KINDS: Final = (GAME, MANAGER, ALGORITHM, MAP, FORMAT, OBSERVER, PUBLISHER, RECIPE)
"""All but commands, which come from entry points of their own."""
FOR_ALL_GAMES: Final = (FORMAT, OBSERVER, PUBLISHER, RECIPE)
"""What need not name a game. A recipe may."""
RUN_BY_THE_RUNNER: Final = (GAME, FORMAT, OBSERVER, PUBLISHER, RECIPE)
"""What has code that runs in the runner's own process, so that only trusted plugins can contribute it."""

HOOK_KINDS: Final = {
    "games": GAME,
    "game_managers": MANAGER,
    "algorithms": ALGORITHM,
    "maps": MAP,
    "formats": FORMAT,
    "observers": OBSERVER,
    "publishers": PUBLISHER,
    "recipes": RECIPE,
    "commands": COMMAND,
}
"""Hook to the kind of record that it yields."""

RECORD_KINDS: Final[dict[type[Any], str]] = {
    Game: GAME,
    Manager: MANAGER,
    TankTeam: ALGORITHM,
    TurnTeam: ALGORITHM,
    ProgramTeam: ALGORITHM,
    MapFile: MAP,
    Command: COMMAND,
}
"""All but those of ``FOR_ALL_GAMES``."""


@cache
def kinds_for_all_games() -> dict[type[Any], str]:
    """The kinds of records that are for all games. They are imported where one is met: no team's process needs them."""
    from tiltyard_engine.formats import Format
    from tiltyard_engine.lifecycle import Observer, Publisher
    from tiltyard_engine.recipes import Recipe

    return {Format: FORMAT, Observer: OBSERVER, Publisher: PUBLISHER, Recipe: RECIPE}


def _classes_of(kind: str) -> tuple[type[Any], ...]:
    kinds = kinds_for_all_games() if kind in FOR_ALL_GAMES else RECORD_KINDS
    return tuple(record_class for record_class, own_kind in kinds.items() if own_kind == kind)


def kind_of(record: Record) -> str:
    """The kind of a record."""
    return _kind_in(RECORD_KINDS, record) or _kind_in(kinds_for_all_games(), record)


def _kind_in(kinds: Mapping[type[Any], str], record: Record) -> str:
    return next((kind for record_class, kind in kinds.items() if isinstance(record, record_class)), "")


def game_of(record: Record) -> str:
    """The game that a record belongs to; an empty string for those that are for every game."""
    return record.name if isinstance(record, Game) else getattr(record, "game", "")


def api_problem(stated: object) -> str:
    """Why a plugin that states this version of the API cannot be used here, or an empty string; None: it states nothing."""
    if stated is None or (type(stated) is int and stated == API_VERSION):
        return ""
    if type(stated) is not int or stated < 1:
        return f"{API_STATEMENT} is {show(stated)}, expected a version of the plugin API, such as {API_VERSION}"
    advice = "update tiltyard-engine" if stated > API_VERSION else "update the plugin"
    return f"written for version {stated} of the plugin API, but this is version {API_VERSION}: {advice}"


def problem_of(hook: str, record: Any) -> str:
    """What is wrong with what ``hook`` yielded, or an empty string."""
    return next(filter(None, _problems(hook, record)), "")


def _problems(hook: str, record: Any) -> Iterator[str]:
    """The problem that each check finds, empty if there is none. A check may rely on those before it."""
    kind = HOOK_KINDS[hook]
    classes = _classes_of(kind)
    if not isinstance(record, classes):
        yield f"{hook}() yielded {show(record)}, expected {_names(classes)}"
    for what, rule in (("name", kind), ("game", GAME)):
        name = getattr(record, what, None)
        if what == "game" and (not hasattr(record, what) or (not name and kind in FOR_ALL_GAMES)):
            continue
        if not is_name(rule, name):
            yield f"the {what} {name!r} is not a valid name: use {RULES_OF_NAMES.get(rule, NAME_IN_WORDS)}"
    description = getattr(record, "description", "")
    yield _unexpected("description", description, isinstance(description, str), "a line of text")
    if kind in FOR_ALL_GAMES:
        yield from _problems_for_all_games(kind, record)
    elif isinstance(record, TankTeam):
        yield _factory_problem("player", record.player, Player, 5)
        yield _factory_problem("tank", record.tank, TankAlgorithm, 2)
    elif isinstance(record, TurnTeam):
        yield _factory_problem("create", record.create, TurnAlgorithm, 1)
    elif isinstance(record, ProgramTeam):
        yield from _program_problems(record)
    elif isinstance(record, Manager):
        yield _unexpected("on_fault", record.on_fault, record.on_fault in ("idle", "raise"), "'idle' or 'raise'")
        suffix = record.log_suffix
        yield _unexpected("log_suffix", suffix, _matches(LOG_SUFFIX, suffix), "a file name suffix, such as '.txt'")
        yield _factory_problem("create", record.create, GameManager, 0)
    elif isinstance(record, Game):
        yield from _game_problems(record)
    elif isinstance(record, Command):
        yield _unexpected("help", record.help, isinstance(record.help, str), "a line of text")
        yield _unexpected("target", record.target, _matches(TARGET, record.target), "module:attribute")
    elif isinstance(record, MapFile):
        yield _unexpected("data", record.data, isinstance(record.data, bytes), "bytes")
        seats: Any = record.seats
        yield _unexpected("seats", seats, isinstance(seats, int) and 0 <= seats <= MOST_SEATS, "a number of players")


def _problems_for_all_games(kind: str, record: Any) -> Iterator[str]:
    # As ``kinds_for_all_games``.
    from tiltyard_engine.formats import TournamentFormat
    from tiltyard_engine.lifecycle import TournamentObserver
    from tiltyard_engine.registry.recipe_checks import recipe_problems

    if kind == RECIPE:
        yield from recipe_problems(record)
        return
    yield _options_problem("options", record.options)
    if kind == FORMAT:
        yield _factory_problem("create", record.create, TournamentFormat, 2)
    elif kind == OBSERVER:
        yield _factory_problem("create", record.create, TournamentObserver, 1)
    else:
        yield _function_problem("publish", record.publish, 2)


GAME_GROUPS: Final[dict[str, tuple[type[Any], ...]]] = {
    "maps": (GameMaps,),
    "interface": (TankInterface, TurnInterface, GameInterface),
    "programs": (GamePrograms, type(None)),
    "teams": (GameTeams,),
    "display": (GameDisplay,),
    "logs": (GameLogs,),
    "encoding": (GameEncoding, type(None)),
}
"""The records that a Game is made of."""

GAME_FUNCTIONS: Final = {
    "maps.read": 3,
    "maps.truncate": 2,
    "maps.generate": 3,
    "interface.player_arguments": 1,
    "programs.adapter": 2,
    "programs.introduce": 1,
    "teams.template": 1,
    "display.describe": 2,
    "logs.read": 3,
    "logs.is_transcript": 1,
    "logs.read_transcript": 1,
    "encoding.spaces": 1,
    "encoding.observe": 1,
    "encoding.answer": 2,
    "encoding.owners": 1,
    "encoding.is_lost": 1,
    "encoding.memory": 3,
}
"""How many positional arguments each function in them is called with."""


def _game_problems(record: Any) -> Iterator[str]:
    is_range = isinstance(record.seats, range) and len(record.seats) > 0
    yield _unexpected("seats", record.seats, is_range, "a range such as range(2, 10)")
    for name, classes in GAME_GROUPS.items():
        group = getattr(record, name)
        yield _unexpected(name, group, isinstance(group, classes), _names(classes))
    for place, arguments in GAME_FUNCTIONS.items():
        name, field = place.split(".")
        group = getattr(record, name)
        function = getattr(group, field, None)
        if function is not None or _is_required(group, field):
            yield _function_problem(place, function, arguments)
    if isinstance(record.interface, TurnInterface):
        yield value_type_problem("interface.position_type", record.interface.position_type)
        yield value_type_problem("interface.answer_type", record.interface.answer_type)
    if record.programs is not None and not isinstance(record.interface, TurnInterface):
        interface = type(record.interface).__name__
        yield f"programs is given, but the interface is a {interface}: external programs play only games with a TurnInterface"
    if record.encoding is not None:
        # Its class is imported by whoever made it.
        from tiltyard_engine.learning import TankEncoding, TurnEncoding

        for kind, fitting in ((TurnEncoding, TurnInterface), (TankEncoding, TankInterface)):
            if isinstance(record.encoding, kind) and not isinstance(record.interface, fitting):
                yield f"encoding is a {kind.__name__}, but the interface is a {type(record.interface).__name__}"
    if (record.logs.is_transcript is None) != (record.logs.read_transcript is None):
        yield "logs has only one of is_transcript and read_transcript, expected both or neither"
    limits, manager, modules = record.teams.limits, record.default_manager, record.display.modules
    are_names = isinstance(modules, tuple) and all(map(_is_word, modules))
    yield _unexpected("display.modules", modules, are_names, "a tuple of modules' names")
    yield _unexpected("teams.limits", limits, isinstance(limits, Mapping), "a mapping from a limit's name to a number")
    samples, package = record.teams.samples, record.compiled_package
    yield _unexpected(
        "teams.samples", samples, isinstance(samples, tuple) and all(map(_is_word, samples)), "a tuple of teams' names"
    )
    yield _unexpected("compiled_package", package, _is_word(package), "a package's name")
    yield _unexpected("default_manager", manager, not manager or _matches(NAME, manager), "a GameManager's name")
    yield _options_problem("maps.options", record.maps.options)


def _is_required(group: Any, name: str) -> bool:
    # The interface of another kind of seat may be any class.
    fields = dataclasses.fields(group) if dataclasses.is_dataclass(group) else ()
    return any(field.name == name and not _has_default(field) for field in fields)


def program_problem(record: ProgramTeam) -> str:
    """What is wrong with a program's record, or an empty string: other processes expect plain data."""
    return next(filter(None, _program_problems(record)), "")


def _program_problems(record: Any) -> Iterator[str]:
    for name, words in (("command", record.command), ("files", record.files), ("readable", record.readable)):
        yield _unexpected(name, words, isinstance(words, tuple) and all(map(_is_word, words)), "a tuple of strings")
    if not record.command or not record.command[0]:
        yield "command is empty, expected the program and its arguments"
    pairs = record.environment
    is_environment = isinstance(pairs, tuple) and all(map(_is_variable, pairs))
    yield _unexpected("environment", pairs, is_environment, "pairs of a variable name and its value")
    for name, text in (("folder", record.folder), ("protocol", record.protocol), ("description", record.description)):
        yield _unexpected(name, text, _is_word(text), "a string")
    if record.folder and not Path(record.folder).is_absolute():
        yield f"folder is {record.folder!r}, expected an absolute path"
    for path in record.files:
        if Path(path).is_absolute() or ".." in Path(path).parts:
            yield f"files: {path!r} is not in the program's folder"
    for path in record.readable:
        if not Path(path).is_absolute():
            yield f"readable: {path!r} is not an absolute path"
        if ".." in Path(path).parts:
            yield f"readable: {path!r} contains '..'; write the path without it"


def _is_word(value: object) -> bool:
    """Whether it is text that the system takes as an argument or a path."""
    try:
        return isinstance(value, str) and b"\0" not in value.encode()
    except UnicodeEncodeError:
        return False


def _is_variable(value: object) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and all(map(_is_word, value)) and _matches(VARIABLE, value[0])


def _options_problem(field: str, options: object) -> str:
    if not (isinstance(options, type) and dataclasses.is_dataclass(options)):
        return f"{field} is {show(options)}, expected a dataclass"
    demanding = [option.name for option in dataclasses.fields(options) if not _has_default(option)]
    return f"{field}: {options.__name__} has no default for {', '.join(demanding)}" if demanding else ""


def _has_default(field: dataclasses.Field[Any]) -> bool:
    return field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING


def _factory_problem(field: str, factory: Callable[..., Any], base: type[Any], arguments: int) -> str:
    """Why ``factory`` cannot make a ``base`` from that many positional arguments, as far as this is known without calling it."""
    if not callable(factory):
        return f"{field} is {show(factory)}, expected a class or another factory of {base.__name__}"
    if isinstance(factory, type):
        if not issubclass(factory, base):
            return f"{field} is the class {factory.__name__}, which is not a subclass of {base.__name__}"
        missing = sorted(getattr(factory, "__abstractmethods__", ()))
        if missing:
            return f"{field}: class {factory.__name__} does not implement {', '.join(missing)} of {base.__name__}"
    return _call_problem(field, factory, arguments)


def _function_problem(field: str, function: object, arguments: int) -> str:
    return _call_problem(field, function, arguments) if callable(function) else f"{field} is {show(function)}, expected a function"


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


def _unexpected(field: str, value: object, is_right: bool, expected: str) -> str:
    return "" if is_right else f"{field} is {show(value)}, expected {expected}"


def _names(classes: tuple[type[Any], ...]) -> str:
    return " or ".join("None" if each is type(None) else each.__name__ for each in classes)


def is_name(kind: str, name: object) -> bool:
    """Whether a record of that kind can be called so."""
    return is_team_name(name) if kind in HANDED_IN else _matches({GAME: GAME_NAME, COMMAND: COMMAND_NAME}.get(kind, NAME), name)


def is_team_name(name: object) -> bool:
    """Whether an algorithm or a GameManager can be called so.

    In any script, with spaces inside, but nothing that a command line reads otherwise.
    """
    return (
        isinstance(name, str)
        and 0 < len(name) <= LONGEST_TEAM_NAME
        and name.isprintable()
        and name == name.strip()
        and name[0] not in "-."
        and not any(sign in name for sign in NOT_IN_TEAM_NAMES)
    )


def _matches(pattern: re.Pattern[str], value: object) -> bool:
    return isinstance(value, str) and pattern.fullmatch(value) is not None
