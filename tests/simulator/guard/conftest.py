"""Cells for tests of the guard: one holder for all of them, and teams written for each test."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.engine.making import write

from tiltyard_engine.registry import Reference, Registry
from tiltyard_engine.registry.registry import ALGORITHM, GAME
from tiltyard_engine.seat_kinds.seat_ports import OnFault
from tiltyard_engine.tanks import SatelliteView
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.guard.cells.cell_port import SeatSpec
from tiltyard_simulator.guard.seats import TANKS
from tiltyard_simulator.match.isolation import Isolation

Teams = Mapping[str, Reference]
WriteTeams = Callable[..., Teams]

HEAD = """\
from tiltyard_engine import ActionRequest, BattleInfo, Player, SatelliteView, TankAlgorithm, TankTeam, hookimpl

class Tank(TankAlgorithm):
    def __init__(self, player_index, tank_index):
        self.rounds = 0
    def get_action(self):
        self.rounds += 1
        return self.misbehave() if self.rounds == 2 else ActionRequest.SHOOT
    def misbehave(self):
        return ActionRequest.SHOOT
    def update_battle_info(self, info):
        pass

class Commander(Player):
    def update_tank_with_battle_info(self, tank, satellite_view):
        tank.update_battle_info(BattleInfo())

def team(name, misbehave=None, player=Commander, tank=None):
    own = type("Own", (Tank,), {} if misbehave is None else {"misbehave": lambda self: misbehave()})
    return TankTeam(name, player=player, tank=tank or own)

"""
"""What each written team begins with: a tank that does something else in its second round."""


class Walls(SatelliteView):
    """A view full of walls."""

    def get_object_at(self, x: int, y: int) -> str:
        return "#"


def open_tanks(
    cells: CellPool, index: int, team: Reference, isolation: Isolation, on_fault: OnFault = "idle", **options: Any
) -> Any:
    """A tank seat on a board of 4 x 3 squares, or with another ``setting``."""
    spec: dict[str, Any] = {"setting": (4, 3, 100, 5), **options}
    return cells.open_seat(TANKS, SeatSpec(index=index, team=team, isolation=isolation, on_fault=on_fault, **spec))


def zygote_pid(cells: CellPool, isolation: Isolation) -> int:
    """The process that the cells of that kind come from."""
    return cells._zygotes[isolation, ""].pid


@pytest.fixture
def write_teams(tmp_path: Path) -> WriteTeams:
    """``write_teams(text)``: the algorithms of a plugin that begins with HEAD."""

    def written(text: str, name: str = "hostile.py", head: str = HEAD) -> Teams:
        path = write(tmp_path / name, text)
        path.write_text(head + path.read_text(encoding="utf-8"), encoding="utf-8")
        registry = Registry.from_paths([path])
        assert not registry.failures(), registry.failures()
        return {entry.name: entry.reference for kind in (ALGORITHM, GAME) for entry in registry.all(kind)}

    return written


@pytest.fixture(scope="session")
def cells(in_any_test: tuple[str, ...]) -> Iterator[CellPool]:
    """Closed after the last test."""
    with CellPool(readable=in_any_test) as held:
        yield held


@pytest.fixture(autouse=True)
def _end_match(request: pytest.FixtureRequest) -> Iterator[None]:
    """No test leaves cells to the next one."""
    yield
    if "cells" in request.fixturenames:
        request.getfixturevalue("cells").end_match()


@pytest.fixture(autouse=True)
def _leave_signals_alone() -> Iterator[None]:
    """What a hostile team does where it is looked for would stay in the process of all later tests."""
    watched = (signal.SIGCHLD, signal.SIGALRM, signal.SIGUSR1)
    before = [signal.getsignal(number) for number in watched]
    yield
    after = [signal.getsignal(number) for number in watched]
    for number, handler in zip(watched, before, strict=True):
        signal.signal(number, handler)
    assert after == before
