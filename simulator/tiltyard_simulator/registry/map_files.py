"""Reads map files, and tells which of several maps can be played on."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from tiltyard_engine.data_classes import dataclass, field
from tiltyard_engine.errors import MapError, UserError
from tiltyard_engine.errors.named_paths import near_path
from tiltyard_engine.records import Game, players_in_words
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import MAP
from tiltyard_simulator.match.map_reading import read_map
from tiltyard_simulator.match.spec import MapSource
from tiltyard_simulator.registry.plugin_list import files_in

MAX_MAP_BYTES: Final = 16_000_000


def read_map_file(path: Path) -> MapSource:
    """Read a map file.

    Raises:
        UserError: the file is missing, unreadable or too large.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_MAP_BYTES + 1)
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}{near_path(path)}") from error
    if len(data) > MAX_MAP_BYTES:
        raise UserError(f"{path}: too large for a map: more than {MAX_MAP_BYTES:,} bytes")
    return MapSource(path.stem, data)


def map_files_in(folder: Path) -> list[Path]:
    """All files of a folder that may be maps, by name.

    Raises:
        UserError: the folder cannot be listed.
    """
    return files_in(folder, lambda path: path.is_file() and not path.name.startswith("."))


@dataclass(slots=True)
class MapList:
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

    def add_folder(self, folder: Path, game: Game[Any], seats: int) -> None:
        """Add all files of a folder that can be read for that many seats; the others are left out."""
        for path in map_files_in(folder):
            try:
                source = read_map_file(path)
                read_map(game, str(path), source.data, seats)
            except (MapError, UserError) as error:
                self.left_out.append(str(error))
            else:
                self.maps.append(source)


def no_usable_map(registry: Registry, game: Game[Any], players: int) -> UserError:
    """That there is no map for so many players, and for how many others the installed ones are."""
    others = sorted({entry.contribution.seats for entry in registry.all(MAP, game.name)} - {0, players})
    hint = f"; the installed ones are for {' or '.join(map(str, others))}" if others else ""
    if not set(others) <= set(game.seats):
        hint += f", and {game.name} is for {players_in_words(game)}: its author has to give each MapFile its 'seats'"
    return UserError(f"found no usable map for {game.name} with {players} players{hint}")
