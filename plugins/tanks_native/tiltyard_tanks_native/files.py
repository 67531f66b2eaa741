"""What the entry point ``tiltyard.files`` names for ``.so``: a plugin made of a team's file."""

from __future__ import annotations

import mmap
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.hooks import hookimpl
from tiltyard_engine.records import Manager, TankTeam
from tiltyard_engine.registry import FileLoader
from tiltyard_tanks_native.builds import build_library, use_library
from tiltyard_tanks_native.host import CompiledHost
from tiltyard_tanks_native.host_protocol import read_claim
from tiltyard_tanks_native.library import open_template
from tiltyard_tanks_native.managers import manager_of, prepare_match
from tiltyard_tanks_native.teams import team_of

REGISTERS_TANK: Final = b"_ZN25TankAlgorithmRegistrationC"
REGISTERS_MANAGER: Final = b"_ZN23GameManagerRegistrationC"
"""How the names of the constructors begin that an algorithm's and a GameManager's file call."""
UNUSABLE: Final = re.compile(r"[^\w.+-]+")
LONGEST_NAME: Final = 64


class NativeFile:
    """A file as a plugin. Nothing of the file runs before its first match."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = name_of(path)
        # Private, because a process from which cells are forked can't share memory.
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ) as data:
            self._registers_tank = data.find(REGISTERS_TANK) >= 0
            self._registers_manager = data.find(REGISTERS_MANAGER) >= 0

    @hookimpl
    def algorithms(self) -> Iterator[TankTeam]:
        """The file's algorithm, if it registers one."""
        if self._registers_tank:
            yield team_of(self.path, self.name, f"a compiled algorithm, {self.path.name}")

    @hookimpl
    def game_managers(self) -> Iterator[Manager]:
        """The file's GameManager, if it registers one."""
        if self._registers_manager:
            yield manager_of(self.path, self.name, f"a compiled GameManager, {self.path.name}")


def name_of(path: Path) -> str:
    """The file's name without its suffix, in characters that names may have: of ``Algorithm_1 (2).so`` ``Algorithm_1-2``."""
    return UNUSABLE.sub("-", path.stem).strip("-.+")[:LONGEST_NAME] or "plugin"


def examine_file(path: Path) -> None:
    """Look whether a file could be loaded on this machine; none of its code runs.

    Raises:
        UserError: it could not, or registers nothing; why, in one line.
    """
    # Matches do not wait for these to be imported.
    from tiltyard_tanks_native.elf.examination import examine
    from tiltyard_tanks_native.elf.image import NotLoadableError

    try:
        examine(path)
    except NotLoadableError as error:
        raise UserError(f"cannot be loaded: {error}") from error


def _plugin_of(path: Path, needs: Sequence[str]) -> NativeFile:
    # Where this runs the library may be readable, but not the cache, and nothing can be compiled.
    use_library(Path(needs[0]))
    return NativeFile(path)


LOADER: Final = FileLoader(
    _plugin_of, examine_file, lambda: [str(build_library())], CompiledHost, open_template, prepare_match, read_claim
)
"""What the registry knows of this package."""
