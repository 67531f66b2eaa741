"""Finds the plugins and maps that people name by names, files and folders."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tiltyard_engine.errors import MapError, UserError, each_once, some_of
from tiltyard_engine.named_paths import refuse_address
from tiltyard_engine.players import check_players, players_in_words, usual_players
from tiltyard_engine.records import Game
from tiltyard_engine.registry import Reference, Registry, Row
from tiltyard_engine.registry.lookup import choose, split_given_name
from tiltyard_engine.registry.registry import ALGORITHM, GAME, MANAGER, MAP
from tiltyard_engine.registry.sources import MANIFEST, PYPROJECT, Source, almost_plugin, is_plugin_file, path_sources
from tiltyard_engine.texts.names import is_same
from tiltyard_engine.texts.public_text import public_text
from tiltyard_engine.texts.sanitize import printable
from tiltyard_simulator.match.map_reading import read_map
from tiltyard_simulator.match.own_distributions import GAME_EXTRAS
from tiltyard_simulator.match.spec import MapSource
from tiltyard_simulator.registry.guarded_registry import GuardedLoader

__all__ = [
    "INSTALLED",
    "FoundPlugins",
    "FoundMaps",
    "Referee",
    "choose",
    "choose_all",
    "choose_map",
    "choose_maps",
    "default_manager",
    "find_game",
    "find_manager",
    "find_referee",
    "game_reference",
    "is_plain_folder",
    "no_usable_map",
    "read_map_file",
]

INSTALLED: Final = "installed"
"""Stands for all installed plugins of a kind, instead of a folder."""

MAX_MAP_BYTES: Final = 16_000_000


@dataclass(slots=True)
class FoundPlugins:
    """The plugins of a folder (or ``installed``) in order, and which were left out and why."""

    references: list[Reference] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)
    """The same for readers of a published table: the file's name in the folder and the reason, without paths of this machine."""
    labels: dict[Reference, str] = field(default_factory=dict)
    """Whose teams these are, where an intake knows: what to show in place of a name that the team itself declares."""

    def if_empty(self, folder: str, wanted: str) -> list[str]:
        """A line like those of ``left_out`` about the folder itself, if it has nothing that is ``wanted``."""
        return [] if self.references else [f"{folder}: contains no {wanted}"]


def choose_all(text: str, kind: str, registry: Registry, game: str | None = None) -> FoundPlugins:
    """All plugins of a kind in a folder, in the order of their files' names; all of a file; or all installed ones, by name.

    Raises:
        UserError: the file or folder is missing, or cannot be listed.
    """
    if text == INSTALLED:
        # A plugin for another game is nothing that is missing here, whatever is wrong with it.
        failed = [row for row in registry.failures() if row.kind in (kind, "plugin") and (not row.game or game in (None, row.game))]
        left_out = _left_out(failed)
        refused = [(row.name, public_text(row.reason)) for row in failed]
        return FoundPlugins([entry.reference for entry in registry.all(kind, game)], left_out, refused)
    refuse_address(text)
    folder = Path(text)
    if not folder.exists():
        raise UserError(f"{text}: no such file or folder")
    found = registry.of_paths([folder])
    if (folder / "__init__.py").is_file() and not any(entry.is_a(kind, game) for entry in found.entries):
        # With a stray __init__.py, a folder of plugins looks like a package, which contributes nothing itself.
        found = registry.of_paths(_list(folder, _may_be_plugin))
    chosen = FoundPlugins([entry.reference for entry in found.entries if entry.is_a(kind, game)])
    chosen.left_out = _left_out(found.failures())
    told = [(_in_folder(row.file, folder), public_text(row.reason.replace(f"{folder.resolve()}/", ""))) for row in found.failures()]
    chosen.refused = list(dict.fromkeys(told))
    heard_of = {reference.source for reference in chosen.references}
    reported = {row.file for row in found.failures()}
    silent = {entry.reference.source: entry.file for entry in found.entries if entry.reference.source not in heard_of}
    wanted = f"{kind} for {game}" if game else kind
    for file in (file for file in silent.values() if file not in reported):
        chosen.left_out.append(f"{_shown(file)}: contains no {wanted}")
        chosen.refused.append((_in_folder(file, folder), f"contains no {wanted}"))
    return chosen


def _left_out(rows: Iterable[Row]) -> list[str]:
    """A line for each file and reason: a file may contain a hundred plugins with one mistake."""
    files: dict[str, list[tuple[str, str]]] = {}
    for row in rows:
        files.setdefault(row.distribution or _shown(row.file), []).append((row.name, row.reason))
    return [f"{file}: {name}: {reason}" for file, problems in files.items() for name, reason in each_once(problems)]


def _in_folder(file: str, folder: Path) -> str:
    """What the file or folder that was handed in is called there."""
    whole = folder.resolve()
    path = Path(file)
    return printable(path.relative_to(whole).parts[0] if path.is_relative_to(whole) and path != whole else path.name)


def _shown(file: str) -> str:
    """A path as people would write it: relative if it is below the current folder."""
    path = Path(file)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else file


def find_game(registry: Registry, algorithms: Sequence[str] = (), maps: Sequence[str] = ()) -> str:
    """The name of the one game that fits the algorithms and the maps. Those that fit any game are ignored.

    Where names and algorithms don't tell, map files are read: which game can read them.

    Raises:
        UserError: no game fits, or several do. The message says what to write.
    """
    installed = [entry.name for entry in registry.all(GAME)]
    fitting = set(installed)
    games_of: dict[str, set[str]] = {}
    for kind, texts in ((ALGORITHM, algorithms), (MAP, maps)):
        for text in (split_given_name(text)[1] if kind == ALGORITHM else text for text in texts):
            games = {entry.reference.game for entry in registry.all(kind) if is_same(entry.name, text)}
            if not games and kind == ALGORITHM:
                games = _games_at(text, registry)
            if games:
                games_of[text] = games
                fitting &= games
    for text in maps:
        if len(fitting) > 1 and text not in games_of and (games := _games_that_read(text, registry, fitting)):
            fitting = games
    if len(fitting) == 1:
        return fitting.pop()
    if fitting:
        offered = fitting.intersection(registry.games_to_offer()) or fitting
        names = sorted({re.sub("/.*", "/...", name) for name in offered})
        known = " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))
        missing = [text for text in (*algorithms, *maps) if _is_missing(text)]
        hint = f"; no such file or folder: {', '.join(missing)}" if missing else ""
        unknown, broken = _unknown_names(registry, algorithms, maps), _broken_games(registry)
        if unknown and broken:
            raise UserError(broken, see="which-game")
        hint += unknown
        raise UserError(
            f"can't tell which game to play from the algorithms and maps: name the game, {known}, or a GameManager{hint}",
            see="which-game",
        )
    if installed:
        told = "; ".join(f"{text} is for {' or '.join(sorted(games))}" for text, games in games_of.items())
        raise UserError(f"the algorithms and maps aren't all for one game: {told}", see="which-game")
    to_install = f"no game is installed; install one of them: {', '.join(GAME_EXTRAS.values())}"
    raise UserError("; ".join(filter(None, [registry.failed_before(GAME), to_install])), see="no-game")


def _unknown_names(registry: Registry, algorithms: Sequence[str], maps: Sequence[str]) -> str:
    """A hint at words that are neither paths nor installed names, because they may be misspelt."""
    unknown: list[str] = []
    for kind, texts in ((ALGORITHM, algorithms), (MAP, maps)):
        known = {INSTALLED, *(entry.name for entry in registry.all(kind))}
        unknown += [text for text in texts if re.fullmatch(r"[\w-]+", text) and text not in known and not Path(text).exists()]
    names = [f"'{text}'" for text in dict.fromkeys(unknown)]
    return f"; nothing installed is called {' or '.join(filter(None, (', '.join(names[:-1]), names[-1])))}" if names else ""


def _broken_games(registry: Registry) -> str:
    """Why there are not more games: those that are trusted or installed, but have a mistake."""
    broken = [row for row in registry.failures() if row.kind == GAME or (row.kind == "plugin" and not row.distribution)]
    return "; ".join(f"the game '{row.name}' in {_shown(row.file)} can't be played: {row.reason}" for row in broken)


def _is_missing(text: str) -> bool:
    """Whether it can only be meant as the path of one file or folder, and there is none."""
    path = split_given_name(text)[1]
    is_path = "/" in path or Path(path).suffix != ""
    return is_path and not any(character in path for character in " *?[:") and not Path(path).exists()


def _inspect_together(texts: Iterable[str], registry: Registry) -> None:
    """Let the registry describe the files and folders among these words at once: one by one, each would need a process of its own.

    Whatever is wrong with them is said when they are chosen.
    """
    known = {entry.name for entry in registry.all(ALGORITHM)}
    paths = [path for text in texts if text not in known and (path := _path_in(split_given_name(text)[1])) is not None]
    loader = registry.loader
    if not isinstance(loader, GuardedLoader) or len(paths) < 2:
        return
    sources: dict[Source, None] = {}
    for path in paths:
        with suppress(UserError):
            # What is imported in this process needs no other one.
            sources |= dict.fromkeys(
                each for each in path_sources(path, registry.own) if not loader.isolation_policy.imports_here(each)
            )
    loader(list(sources))


def _path_in(text: str) -> Path | None:
    """The file or folder that a word names, perhaps with the name of one plugin in it; None if there is none."""
    try:
        path = Path(text if Path(text).exists() else text.rpartition(":")[0] or text)
        return path if path.exists() else None
    except (OSError, ValueError):
        # No file has such a name: it is too long, or has a zero byte.
        return None


def _games_at(text: str, registry: Registry) -> set[str]:
    """The games that the plugins of a file or folder are for; empty if there is no such file."""
    path = _path_in(text)
    if path is None:
        return set()
    try:
        return {entry.reference.game for entry in registry.of_paths([path]).entries if entry.reference.kind == ALGORITHM}
    except UserError:
        return set()


MOST_READ: Final = 20
"""Files of a folder in which a map is looked for."""


def _games_that_read(text: str, registry: Registry, names: Iterable[str]) -> set[str]:
    """Which of the games can read a map file, or the first file of a folder that any of them can read; empty if there is none."""
    path = Path(text)
    files = _list(path, lambda file: file.is_file() and not file.name.startswith(".")) if path.is_dir() else [path]
    for file in files[:MOST_READ]:
        if file.is_file() and (found := {name for name in names if _can_read(file, registry.game(name))}):
            return found
    return set()


def _can_read(file: Path, game: Game[Any]) -> bool:
    try:
        read_map(game, str(file), read_map_file(file).data, usual_players(game))
    except (MapError, UserError):
        return False
    return True


def find_manager(text: str | None, registry: Registry, game: str) -> Reference:
    """The GameManager that ``text`` names, or the game's default one.

    Raises:
        UserError: there is no such GameManager, or none for the game.
    """
    return choose(text, MANAGER, registry, game) if text else default_manager(registry, game)


@dataclass(frozen=True, slots=True)
class Referee:
    """The game that is played and the GameManager that runs it."""

    game: Reference
    manager: Reference


def find_referee(
    registry: Registry,
    *,
    game: str | None = None,
    manager: str | None = None,
    algorithms: Sequence[str] = (),
    maps: Sequence[str] = (),
) -> Referee:
    """Find the game and its GameManager by what was named: the game, a GameManager, algorithms or maps.

    Raises:
        UserError: something is missing, or it is not clear which game is meant.
    """
    _inspect_together(algorithms, registry)
    if game is not None:
        registry.find(GAME, game)
    elif manager is None:
        game = find_game(registry, algorithms, maps)
    chosen = choose(manager, MANAGER, registry, game) if manager else default_manager(registry, game or "")
    return Referee(game_reference(registry, chosen.game), chosen)


def game_reference(registry: Registry, name: str) -> Reference:
    """The game of that name."""
    return registry.find(GAME, name).reference


def default_manager(registry: Registry, game: str) -> Reference:
    """The default GameManager: the one that the game names, or the only one that it has.

    Raises:
        UserError: the game has no GameManager, or several without naming a default.
    """
    record: Game[Any] = game_reference(registry, game).load_as(Game)
    if record.default_manager:
        return registry.find(MANAGER, record.default_manager, game).reference
    known = [entry.reference for entry in registry.all(MANAGER, game)]
    if not known:
        raise UserError("; ".join(filter(None, [registry.failed_before(MANAGER), f"no GameManager for {game} is installed"])))
    if len(known) > 1:
        names = some_of([manager.name for manager in known])
        raise UserError(f"{game} has several GameManagers and names none of them as its default: choose one of {names}")
    return known[0]


def read_map_file(path: Path) -> MapSource:
    """Read a map file.

    Raises:
        UserError: the file is missing, unreadable or too large.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_MAP_BYTES + 1)
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    if len(data) > MAX_MAP_BYTES:
        raise UserError(f"{path}: too large for a map: more than {MAX_MAP_BYTES:,} bytes")
    return MapSource(path.stem, data)


def choose_map(text: str, registry: Registry, game: str | None = None) -> MapSource:
    """A map by its file or by the name of a shipped map, of any game if none is named.

    Raises:
        UserError: there is neither.
    """
    for entry in registry.all(MAP, game):
        if entry.name == text:
            return MapSource(entry.name, entry.contribution.data)
    refuse_address(text)
    path = Path(text)
    if not path.exists() and "/" not in text and not path.suffix:
        registry.find(MAP, text, game)
    return read_map_file(path)


@dataclass(slots=True)
class FoundMaps:
    """The maps to play on, and which were left out and why."""

    maps: list[MapSource] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def accept(self, source: MapSource, game: Game[Any], seats: int) -> bool:
        """Whether a map can be read for that many seats; if it can't, it is left out."""
        try:
            read_map(game, source.name, source.data, seats)
        except MapError as error:
            self.left_out.append(str(error))
            return False
        return True


def choose_maps(texts: Sequence[str], registry: Registry, game: Game[Any], seats: int) -> FoundMaps:
    """Maps by folders, files, names of shipped maps, or ``installed``. Each must be readable for that many seats.

    All files of a folder are read as maps, sorted by name. Those that are not maps are left out with a reason. ``installed`` skips
    maps for another number of players.

    Raises:
        UserError: the game is not for so many, a path is missing, or a map that was named directly cannot be used.
    """
    check_players(game, seats)
    found = FoundMaps()
    for text in texts:
        if text == INSTALLED:
            for entry in registry.all(MAP, game.name):
                source = MapSource(entry.name, entry.contribution.data)
                if entry.contribution.seats == seats or (not entry.contribution.seats and found.accept(source, game, seats)):
                    found.maps.append(source)
        elif Path(text).is_dir():
            _add_folder(found, Path(text), game, seats)
        else:
            source = choose_map(text, registry, game.name)
            read_map(game, text, source.data, seats)
            found.maps.append(source)
    return found


def no_usable_map(registry: Registry, game: Game[Any], players: int) -> UserError:
    """That there is no map for so many players, and for how many others the installed ones are."""
    others = sorted({entry.contribution.seats for entry in registry.all(MAP, game.name)} - {0, players})
    made = f"; the installed ones are for {' or '.join(map(str, others))}" if others else ""
    if not set(others) <= set(game.seats):
        made += f", and {game.name} is for {players_in_words(game)}: its author has to give each MapFile its 'seats'"
    return UserError(f"found no usable map for {game.name} with {players} players{made}")


def _add_folder(found: FoundMaps, folder: Path, game: Game[Any], seats: int) -> None:
    for path in _list(folder, lambda path: path.is_file() and not path.name.startswith(".")):
        try:
            source = read_map_file(path)
            read_map(game, str(path), source.data, seats)
        except (MapError, UserError) as error:
            found.left_out.append(str(error))
        else:
            found.maps.append(source)


def is_plain_folder(path: Path) -> bool:
    """Whether it is a folder that may contain plugins, and not a plugin itself."""
    return path.is_dir() and not any((path / name).exists() for name in ("__init__.py", PYPROJECT, MANIFEST))


def _may_be_plugin(path: Path) -> bool:
    if path.name.startswith((".", "__")):
        return False
    is_file = is_plugin_file(path) or bool(almost_plugin(path.name))
    return is_file or any((path / name).is_file() for name in ("__init__.py", PYPROJECT, MANIFEST))


def _list(folder: Path, wanted: Callable[[Path], bool]) -> list[Path]:
    try:
        return sorted((path for path in folder.iterdir() if wanted(path)), key=lambda path: path.name)
    except OSError as error:
        raise UserError(f"{folder}: cannot be listed: {error.strerror}") from error
