"""What the entry point ``tiltyard.files`` names for ``.so``: a plugin made of a team's file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.hooks import hookimpl
from tiltyard_engine.records import Manager, TankTeam
from tiltyard_engine.registry import FileLoader
from tiltyard_tanks_native.building import build_library, use_library
from tiltyard_tanks_native.elf.examining import Examined, examine
from tiltyard_tanks_native.elf.image import NotLoadableError
from tiltyard_tanks_native.managers import ManagerOf, manager_of
from tiltyard_tanks_native.teams import PlayerOf, team_of


class NativeFile:
    """A file as a plugin. Nothing of the file runs before its first match."""

    def __init__(self, path: Path, examined: Examined) -> None:
        self.path = path
        self._examined = examined

    @hookimpl
    def algorithms(self) -> Iterator[TankTeam]:
        """The file's algorithm, if it registers one."""
        if self._examined.is_algorithm:
            yield team_of(self.path, f"a compiled algorithm, {self.path.name}")

    @hookimpl
    def game_managers(self) -> Iterator[Manager]:
        """The file's GameManager, if it registers one."""
        if self._examined.is_manager:
            yield manager_of(self.path, f"a compiled GameManager, {self.path.name}")


def plugin_of(path: Path) -> NativeFile:
    """The plugin that a file is, by what is written in it; none of its code runs.

    Raises:
        UserError: it cannot be loaded on this machine, or registers nothing; why, in one line.
    """
    try:
        return NativeFile(path.absolute(), examine(path))
    except NotLoadableError as error:
        raise UserError(f"cannot be loaded: {error}") from error


def _plugin_of(path: Path, needs: Sequence[str]) -> NativeFile:
    # Where this runs the library may be readable, but not the cache, and nothing can be compiled.
    use_library(Path(needs[0]))
    return plugin_of(path)


LOADER: Final = FileLoader(_plugin_of, lambda: [str(build_library())])
"""What the registry knows of this package."""


def native_path(record: Any) -> Path | None:
    """The file behind a record of this package; None for every other record."""
    if isinstance(record, TankTeam) and isinstance(record.player, PlayerOf):
        return record.player.path
    if isinstance(record, Manager) and isinstance(record.create, ManagerOf):
        return record.create.path
    return None
