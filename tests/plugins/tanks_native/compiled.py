"""Compiled files for tests: two sources, compiled once a session; what a file does wrong, its name says.

``Algorithm_throws.so`` is a copy of ``algorithm.so`` that throws; ``Algorithm_script_7.so`` one that plays script 7.
"""

from __future__ import annotations

import contextlib
import fcntl
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from tiltyard_engine.match import GameManager, Match
from tiltyard_engine.records import Manager, TankTeam
from tiltyard_engine.results import GameResult
from tiltyard_engine.seat_kinds.inline import InlineTankSeat
from tiltyard_engine.seat_kinds.seat_ports import OnFault
from tiltyard_engine.seats import TankSeat
from tiltyard_engine.tanks import ActionRequest, BattleInfo, Player, SatelliteView, TankAlgorithm
from tiltyard_tanks.maps import TankMap, player_arguments
from tiltyard_tanks_native.builds import find_compiler
from tiltyard_tanks_native.elf.errors import NativeError
from tiltyard_tanks_native.files import NativeFile

SOURCES: Final = Path(__file__).parent / "cpp"
VARIANTS: Final = {
    "algorithm": ("algorithm.cpp",),
    "manager": ("manager.cpp",),
    "old_headers": ("algorithm.cpp", "-DOLD_HEADERS"),
    "missing_source": ("algorithm.cpp", "-DMISSING_SOURCE"),
    "nothing": ("nothing.cpp",),
    "draft": ("draft.cpp",),
    "newer_system": ("newer_system.cpp", "-Wl,-soname,libstdc++.so.6", f"-Wl,--version-script={SOURCES / 'newer_system.map'}"),
    "newer": (),
}
BOARD: Final = TankMap(title="test", max_steps=120, num_shells=10, grid=("#########", " 1  2    ", "   @  #  ", " 2    1  "))


@contextlib.contextmanager
def locked(file: Path) -> Iterator[None]:
    """Alone among the processes that test."""
    with file.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@dataclass(frozen=True)
class Files:
    """Makes files for one test."""

    shared: Path
    folder: Path

    def compiled(self, variant: str) -> Path:
        """The file as the compiler made it."""
        try:
            compiler = find_compiler()
        except NativeError as error:
            pytest.skip(str(error))
        made = self.shared / f"{variant}.so"
        if variant == "newer":
            VARIANTS[variant] = ("algorithm.cpp", "-DNEWER", "-nodefaultlibs", str(self._newer_libraries()), "-lc", "-lgcc_s")
        with locked(self.shared / f"{variant}.lock"):
            if not made.exists():
                source, *options = VARIANTS[variant]
                new = self.shared / f"{variant}.new"
                flags = ["-std=c++20", "-O0", "-shared", "-fPIC", "-pthread", "-o", str(new)]
                subprocess.run([*compiler, *flags, str(SOURCES / source), *options], check=True)
                new.rename(made)
        return made

    def _newer_libraries(self) -> Path:
        """Something to link with that has what newer libraries have, in their names and versions."""
        return self.compiled("newer_system")

    def named(self, name: str, variant: str) -> Path:
        """A copy under a name of its own."""
        path = self.folder / name
        if not path.exists():
            shutil.copy(self.compiled(variant), path)
        return path

    def algorithm(self, word: str) -> Path:
        return self.named(f"Algorithm_{word}.so", "algorithm")

    def manager(self, word: str) -> Path:
        return self.named(f"GameManager_{word}.so", "manager")

    def team(self, word: str) -> TankTeam:
        return next(NativeFile(self.algorithm(word)).algorithms())

    def referee(self, word: str) -> Manager:
        return next(NativeFile(self.manager(word)).game_managers())


def play_inline(
    manager: GameManager[TankMap, TankSeat],
    teams: Sequence[TankTeam],
    tank_map: TankMap = BOARD,
    on_fault: OnFault = "idle",
    *,
    verbose: bool = False,
) -> tuple[GameResult, list[InlineTankSeat]]:
    """Play in this process; the seats come back for their faults."""
    seats = [InlineTankSeat(index, team, player_arguments(tank_map), on_fault) for index, team in enumerate(teams, start=1)]
    return manager.run(Match(map=tank_map, map_name="board", seats=list(seats), verbose=verbose)), seats


# The script of algorithm.cpp, in Python

_WORD: Final = (1 << 64) - 1


def mixed(value: int) -> int:
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _WORD
    return value ^ (value >> 31)


class _Info(BattleInfo):
    def __init__(self, digest: int) -> None:
        self.digest = digest


class _Tank(TankAlgorithm):
    def __init__(self, number: int, player: int, tank: int) -> None:
        self._seed = number * 1000003 + player * 10007 + tank * 101
        self._digest = 0
        self._round = 0

    def get_action(self) -> ActionRequest:
        self._round += 1
        return ActionRequest(mixed(mixed((self._seed + self._round) & _WORD) ^ self._digest) % 9)

    def update_battle_info(self, info: BattleInfo) -> None:
        if isinstance(info, _Info):
            self._digest = info.digest


class _Coach(Player):
    def __init__(self, player_index: int, x: int, y: int, max_steps: int, num_shells: int) -> None:
        self._size = x, y

    def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None:
        digest = 0
        for character in "".join(satellite_view.get_rows(*self._size)):
            digest = mixed((digest * 31 + ord(character)) & _WORD)
        tank.update_battle_info(_Info(digest))


def script(number: int) -> TankTeam:
    """What ``Algorithm_script_<number>.so`` plays."""
    return TankTeam(f"script{number}", _Coach, lambda player, tank: _Tank(number, player, tank))
