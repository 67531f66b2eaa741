"""From what people write to what is played: names, files and folders become references and maps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tiltyard_engine.errors import MapError, UserError
from tiltyard_engine.records import Game
from tiltyard_engine.registry import Reference, Registry
from tiltyard_engine.registry.choosing import choose, is_a
from tiltyard_engine.registry.registry import GAME, MAP
from tiltyard_engine.registry.sources import MANIFEST, PLUGIN_SUFFIXES, PYPROJECT
from tiltyard_simulator.specs import MapSource

__all__ = [
    "INSTALLED",
    "Chosen",
    "Maps",
    "choose",
    "choose_all",
    "choose_map",
    "choose_maps",
    "game_reference",
    "is_plain_folder",
    "read_map_file",
    "usual_players",
]

INSTALLED: Final = "installed"
"""Stands for all installed plugins of a kind, in place of a folder."""

MAX_MAP_BYTES: Final = 16_000_000


@dataclass(slots=True)
class Chosen:
    """What a folder (or ``installed``) holds, in order, and what was left out of it and why."""

    references: list[Reference] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def choose_all(text: str, kind: str, registry: Registry, game: str | None = None) -> Chosen:
    """All plugins of a kind in a folder, in the order of their files' names; or all installed ones, by name.

    Raises:
        UserError: the folder is missing or cannot be listed.
    """
    if text == INSTALLED:
        failed = [row for row in registry.failures() if row.kind in (kind, "plugin")]
        left_out = [f"{row.distribution or _shown(row.file)}: {row.name}: {row.reason}" for row in failed]
        return Chosen([entry.reference for entry in registry.all(kind, game)], left_out)
    folder = Path(text)
    if not folder.is_dir():
        raise UserError(f"{text}: {'not a folder' if folder.exists() else 'no such folder'}")
    found = registry.of_paths([folder])
    if (folder / "__init__.py").is_file() and not any(is_a(entry, kind, game) for entry in found.entries):
        # A stray __init__.py makes a folder of plugins look like a package, which contributes nothing itself.
        found = registry.of_paths(_list(folder, _may_be_plugin))
    chosen = Chosen([entry.reference for entry in found.entries if is_a(entry, kind, game)])
    chosen.left_out = [f"{_shown(row.file)}: {row.name}: {row.reason}" for row in found.failures()]
    heard_of = {reference.source for reference in chosen.references}
    reported = {row.file for row in found.failures()}
    silent = {entry.reference.source: entry.file for entry in found.entries if entry.reference.source not in heard_of}
    wanted = f"{kind} for {game}" if game else kind
    chosen.left_out += [f"{_shown(file)}: contributes no {wanted}" for file in silent.values() if file not in reported]
    return chosen


def _shown(file: str) -> str:
    """A path as people would write it: relative where it is below the current folder."""
    path = Path(file)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else file


def game_reference(registry: Registry, name: str) -> Reference:
    """The game that a manager or an algorithm is for."""
    return registry.find(GAME, name).reference


def read_map_file(path: Path) -> MapSource:
    """A map's bytes.

    Raises:
        UserError: the file is missing, unreadable or absurdly large.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_MAP_BYTES + 1)
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    if len(data) > MAX_MAP_BYTES:
        raise UserError(f"{path}: too large for a map: more than {MAX_MAP_BYTES:,} bytes")
    return MapSource(path.stem, data)


def choose_map(text: str, registry: Registry, game: str) -> MapSource:
    """A map file, or a shipped map by name.

    Raises:
        UserError: there is neither.
    """
    for entry in registry.all(MAP, game):
        if entry.name == text:
            return MapSource(entry.name, entry.contribution.data)
    path = Path(text)
    if not path.exists() and "/" not in text and not path.suffix:
        registry.find(MAP, text, game)
    return read_map_file(path)


@dataclass(slots=True)
class Maps:
    """The maps to play on, and what was left out and why."""

    maps: list[MapSource] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def choose_maps(texts: Sequence[str], registry: Registry, game: Game[Any], seats: int) -> Maps:
    """Maps from folders, files, names of shipped maps, or ``installed``; each must be readable for that many seats.

    In a folder every file is taken for a map, sorted by name; those that are none are left out with a reason. A
    shipped map made for another number of players is left out of ``installed`` without remark.

    Raises:
        UserError: a path is missing, or a map that was named itself cannot be used.
    """
    found = Maps()
    for text in texts:
        if text == INSTALLED:
            for entry in registry.all(MAP, game.name):
                if entry.contribution.seats == seats:
                    found.maps.append(MapSource(entry.name, entry.contribution.data))
        elif Path(text).is_dir():
            _add_folder(found, Path(text), game, seats)
        else:
            source = choose_map(text, registry, game.name)
            game.read_map(text, source.data, seats)
            found.maps.append(source)
    return found


def _add_folder(found: Maps, folder: Path, game: Game[Any], seats: int) -> None:
    for path in _list(folder, lambda path: path.is_file() and not path.name.startswith(".")):
        try:
            source = read_map_file(path)
            game.read_map(str(path), source.data, seats)
        except (MapError, UserError) as error:
            found.left_out.append(str(error))
        else:
            found.maps.append(source)


def usual_players(game: Game[Any]) -> int:
    """How many play where nobody says: two, or as few as the game is for."""
    return 2 if 2 in game.seats else game.seats[0]


def is_plain_folder(path: Path) -> bool:
    """A folder that may hold plugins, not one that is a plugin itself."""
    return path.is_dir() and not any((path / name).exists() for name in ("__init__.py", PYPROJECT, MANIFEST))


def _may_be_plugin(path: Path) -> bool:
    if path.name.startswith((".", "__")):
        return False
    return path.suffix in PLUGIN_SUFFIXES or any((path / name).is_file() for name in ("__init__.py", PYPROJECT, MANIFEST))


def _list(folder: Path, wanted: Callable[[Path], bool]) -> list[Path]:
    try:
        return sorted((path for path in folder.iterdir() if wanted(path)), key=lambda path: path.name)
    except OSError as error:
        raise UserError(f"{folder}: cannot be listed: {error.strerror}") from error
