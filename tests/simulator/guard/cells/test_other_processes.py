"""A Python team that may start processes pays for the CPU time of all of them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, TypeAlias

import pytest
from tests.simulator.guard.conftest import HEAD, open_tanks

from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import ALGORITHM
from tiltyard_engine.results import Termination
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.guard.cells.process_watch import OtherProcesses
from tiltyard_simulator.guard.cells.team_client import SHOWN_SECONDS
from tiltyard_simulator.guard.confinement.kernel.control_groups import CpuGroup
from tiltyard_simulator.guard.policy import Level
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import Limits

TEAMS = """
import os, time

def burn(seconds):
    while time.process_time() < seconds: pass
    os._exit(0)

def orphan():
    '''The parent waits for a child whose own child then belongs to nobody.'''
    os.waitpid(os.fork() or (os.fork() and os._exit(0)) or burn(30), 0)
    time.sleep(60)

@hookimpl
def algorithms():
    for name, get_action in {
        "child": lambda: os.waitpid(os.fork() or burn(30), 0),
        "orphan": orphan,
        "short": lambda: os.waitpid(os.fork() or burn(0.06), 0),
        "leaves": lambda: os.fork() or burn(30),
        "alone": lambda: None,
    }.items():
        yield team(name, tank=type(name, (Tank,), {"get_action": lambda self, act=get_action: act() and ActionRequest.SHOOT}))
"""


class Held:
    """Cells of one kind, and teams that start processes."""

    def __init__(self, cells: CellPool, isolation: Isolation, teams: Registry) -> None:
        self.cells = cells
        self._isolation = isolation
        self._teams = teams

    def open(self, name: str, limits: Limits) -> Any:
        """A seat."""
        return open_tanks(self.cells, 1, self._teams.find(ALGORITHM, name).reference, self._isolation, limits=limits)


Request: TypeAlias = pytest.FixtureRequest


@pytest.fixture(scope="module", params=["process", Level.A, Level.B], ids=["process", "A", "B"])
def each(request: Request, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Held]:
    path = tmp_path_factory.mktemp("teams") / "teams.py"
    path.write_text(HEAD + TEAMS, encoding="utf-8")
    teams = Registry.from_paths([path])
    if request.param == "process":
        with CellPool(preload=()) as cells:
            yield Held(cells, Isolation.PROCESS, teams)
        return
    with CellPool(preload=(), level=request.param) as cells:
        if cells.confinement.level is not request.param:
            pytest.skip(f"level {request.param} isn't possible here")
        yield Held(cells, Isolation.SANDBOX, teams)


@pytest.fixture
def held(each: Held) -> Iterator[Held]:
    yield each
    each.cells.end_match()


@pytest.fixture(params=[True, False], ids=["grouped", "watched"])
def grouped(request: Request, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether the kernel counts, or a watcher."""
    if not request.param:
        monkeypatch.setattr(CpuGroup, "make", lambda beside=None: None)
    elif (group := CpuGroup.make()) is None:
        pytest.skip("no control group can be made here")
    else:
        group.close()
    return bool(request.param)


@pytest.mark.parametrize("name", ["child", "orphan"])
def test_a_call_whose_other_processes_compute_too_long_is_a_timeout(held: Held, name: str, grouped: bool) -> None:
    seat = held.open(name, Limits(processes=4, move_seconds=0.05, wall_factor=100))
    seat.get_actions([seat.create_tank(0)])
    assert seat.fault.termination is Termination.TIMEOUT, seat.fault
    assert seat.fault.message.startswith("get_action used 0.")
    assert " s of CPU time in all its processes, the limit is 0.05 s (limit move_seconds=0.05: " in seat.fault.message


def test_the_match_includes_what_processes_used_that_have_ended(held: Held, grouped: bool) -> None:
    seat = held.open("short", Limits(processes=2, move_seconds=1, match_seconds=0.15, wall_factor=100))
    tank = seat.create_tank(0)
    seat.get_actions([tank])
    assert seat.port.cell.cpu_seconds > 0.05, seat.fault
    for _ in range(2):
        seat.get_actions([tank])
    assert seat.fault.termination is Termination.TIMEOUT, seat.fault
    assert " s of CPU time in all its processes in this match, the limit is 0.15 s" in seat.fault.message


def test_what_processes_use_between_two_calls_counts(held: Held, grouped: bool) -> None:
    seat = held.open("leaves", Limits(processes=2, wall_factor=100))
    tank = seat.create_tank(0)
    seat.get_actions([tank])
    assert not seat.fault
    before = seat.port.cell._other_processes.look()
    # More than may be used between two calls.
    while seat.port.cell._other_processes.look() - before < 0.15:
        time.sleep(0.005)
    seat.get_actions([tank])
    assert seat.fault.termination is Termination.TIMEOUT
    assert "used CPU time in all its processes between two calls: 0." in seat.fault.message


def test_who_starts_no_other_process_pays_for_none(held: Held, grouped: bool) -> None:
    seat = held.open("alone", Limits(processes=2))
    tank = seat.create_tank(0)
    for _ in range(5):
        seat.get_actions([tank])
    assert seat.port.cell._other_processes.last < SHOWN_SECONDS


def test_a_cell_with_one_process_is_not_looked_at(held: Held) -> None:
    seat = held.open("alone", Limits())
    seat.get_actions([seat.create_tank(0)])
    assert seat.port.cell.cpu_seconds > 0
    assert not isinstance(seat.port.cell._other_processes, OtherProcesses)
