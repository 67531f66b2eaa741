"""Nothing of a team runs unless a clock is charged for it: neither its template nor a cell that was not asked anything yet."""

from __future__ import annotations

import os
import re
import textwrap
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.simulator.guard.conftest import WriteTeams, open_tanks
from tests.simulator.guard.templates.test_hostile_templates import AT_FORK
from tests.simulator.guard.templates.test_templates import is_from_template, only_in_a_cell, play

from tiltyard_engine.results import Termination
from tiltyard_engine.tanks import ActionRequest
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.guard.cells.cell_port import cell_of
from tiltyard_simulator.guard.cells.process_watch import RestingProcess
from tiltyard_simulator.guard.cells.team_client import TeamClient
from tiltyard_simulator.guard.cells.zygote import PRELOADED
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import Limits

HERE = "tests.simulator.guard.templates"
ROUNDS = 12
LATER = "0.7"
"""Seconds after which a fork is over, also on a busy machine."""
ROUNDS_TILL_LATER = 45
LEFT_ITS_WAIT = "it doesn't wait for the next match"

WORKING = """
import os, signal, sys, time
forks = 0
def work():
    "In the template, while its cell plays: compute, and tell the cell how far this is."
    begun = time.process_time()
    while (done := time.process_time() - begun) < {seconds}:
        with open('note', 'w') as note:
            note.write(f'{{done:.3f}} ')
def interrupt():
    signal.signal(signal.SIGALRM, lambda number, frame: None)
    signal.setitimer(signal.ITIMER_REAL, {alarm})
def forked(self):
    global forks
    process = fork(self)
    while process > 0:
        forks += 1
        if forks >= {first}:
            interrupt()
        process = fork(self)
        if process < 0:
            work()
            process = fork(self)
    return process
forking = sys.modules.get('tiltyard_simulator.guard.templates.forking')
if os.environ.get('TMPDIR', '') == os.environ['HOME'] and forking is not None:
    fork = forking.Forker.fork
    forking.Forker.fork = forked
noted = ''
def get_action(self):
    global noted
    time.sleep(0.03)
    before = noted
    try:
        with open('note') as note:
            noted = note.read() or noted
    except OSError:
        pass
    if noted:
        print('helped', noted)
    return ActionRequest.SHOOT if noted == before else ActionRequest.DO_NOTHING
@hookimpl
def algorithms():
    yield TankTeam('helped', Commander, type('Own', (Tank,), {{'get_action': get_action}}))
"""
"""A team whose template leaves its wait while its cell plays, and hands over what it computes in a file."""


def working(first: int = 1, alarm: str = "0.03", seconds: float = 0.6) -> str:
    return WORKING.format(first=first, alarm=alarm, seconds=seconds)


def computed(output: bytes) -> float:
    """How far the template was when its cell looked last."""
    return max(map(float, re.findall(rb"helped (\S+)", output)), default=0.0)


def waits_for_kills_alone() -> bool:
    """Whether the kernel can keep signals from ending a template's wait."""
    major, minor = re.findall(r"\d+", os.uname().release)[:2]
    return (int(major), int(minor)) >= (5, 19)


@pytest.mark.skipif(not waits_for_kills_alone(), reason="only since Linux 5.19 does no signal end a template's wait")
@pytest.mark.parametrize("first", [1, 2])
@pytest.mark.parametrize("alarm", ["0.03", "0.03, 0.0001"])
def test_no_signal_lets_a_template_compute_while_its_cell_plays(
    pool: CellPool, write_teams: WriteTeams, alarm: str, first: int
) -> None:
    team = write_teams(working(first, alarm))["helped"]
    for _ in range(2 * first - 1):
        seat, cell, _ = play(pool, team, ROUNDS)
        assert (seat.fault, cell.output) == (None, b"")


@contextmanager
def older(pool: CellPool, readable: tuple[str, ...], *modules: str) -> Iterator[CellPool]:
    """A pool of the same level, where signals end a template's wait."""
    preload = (*PRELOADED, *(f"{HERE}.{module}" for module in ("older_kernel", *modules)))
    with CellPool(level=pool.confinement.level, readable=(*readable, str(Path(__file__).parent)), preload=preload) as cells:
        yield cells
        cells.end_match()


@pytest.mark.parametrize("first", [1, 2])
def test_on_an_older_kernel_it_is_stopped(
    pool: CellPool, in_any_test: tuple[str, ...], write_teams: WriteTeams, first: int
) -> None:
    team = write_teams(working(first, LATER, 1000))["helped"]
    with older(pool, in_any_test) as cells:
        for _ in range(first + 2):
            seat = open_tanks(cells, 1, team, Isolation.SANDBOX)
            tank, still = seat.create_tank(0), 0
            # It idles when the template has done more since the last round.
            while still < ROUNDS_TILL_LATER:
                still = still + 1 if tank.get_action() is ActionRequest.SHOOT else 0
            cells.end_match()
            cell = cell_of(seat)
            assert isinstance(cell, TeamClient)
            assert seat.fault is None
            assert cell.cpu_seconds >= computed(cell.output)
        _, last, _ = play(cells, team, ROUNDS_TILL_LATER)
        assert (last.process.unfit, last.output) == (LEFT_ITS_WAIT, b"")


def test_on_an_older_kernel_its_clock_is_its_cells(pool: CellPool, in_any_test: tuple[str, ...], write_teams: WriteTeams) -> None:
    team = write_teams(working(1, LATER, 1000))["helped"]
    with older(pool, in_any_test, "blind_zygote") as cells:
        seat = open_tanks(cells, 1, team, Isolation.SANDBOX)
        tank = seat.create_tank(0)
        tank.get_action()
        cell = cell_of(seat)
        assert isinstance(cell, TeamClient)
        assert isinstance(cell._other_processes, RestingProcess)
        # As if its opponent were thinking.
        while cell._other_processes.look() < 0.5:
            time.sleep(0.01)
        tank.get_action()
        assert seat.fault.termination is Termination.TIMEOUT
        assert "between two calls" in seat.fault.message
        cells.end_match()
        # A cell for the next match may have been forked meanwhile.
        seat, last, _ = [play(cells, team, ROUNDS_TILL_LATER) for _ in range(3)][-1]
        assert (seat.fault, last.process.unfit, last.output) == (None, LEFT_ITS_WAIT, b"")


BUSY = """
import time
def busy(seconds):
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass
"""

BEFORE_IT_IS_ASKED = {
    "before it asks for its pipes": """
        module = sys.modules.get('tiltyard_simulator.guard.templates.template_main')
        if module is not None:
            asking = module.request_pipes
            module.request_pipes = lambda *numbers: (busy(0.06), asking(*numbers))
        """,
    "before it is ready": """
        module = sys.modules.get('tiltyard_simulator.guard.templates.template_main')
        if module is not None:
            asking = module.request_pipes
            module.request_pipes = lambda *numbers: (asking(*numbers), busy(0.06))
        """,
}


@pytest.mark.parametrize("when", BEFORE_IT_IS_ASKED)
def test_what_a_cell_computes_before_it_is_asked_counts(pool: CellPool, write_teams: WriteTeams, when: str) -> None:
    """Spare cells are forked long before their match."""
    text = only_in_a_cell(BUSY + "import sys\n" + textwrap.dedent(BEFORE_IT_IS_ASKED[when]))
    team = write_teams(text + "@hookimpl\ndef algorithms():\n    yield team('early')\n")["early"]
    for _ in range(3):
        seat, cell, _ = play(pool, team)
        assert seat.fault is None
        assert is_from_template(cell), cell.process.unfit
        assert cell.cpu_seconds >= 0.06
    # Less than the cell computes, and more than an import takes on a busy machine, which would have no template.
    seat, _, _ = play(pool, team, limits=Limits(startup_seconds=0.05))
    assert seat.fault.termination is Termination.TIMEOUT
    assert "starting up used" in seat.fault.message


@pytest.mark.parametrize("where", ["before", "after_in_parent"])
def test_what_a_template_computes_between_matches_counts_and_must_be_little(
    pool: CellPool, write_teams: WriteTeams, where: str
) -> None:
    text = AT_FORK + BUSY + f"at_fork({where}=lambda: busy(0.08))\n@hookimpl\ndef algorithms():\n    yield team('between')\n"
    team = write_teams(text)["between"]
    seats = [play(pool, team) for _ in range(12)]
    assert all(seat.fault is None for seat, _, _ in seats)
    assert all(cell.cpu_seconds >= 0.08 for _, cell, _ in seats if is_from_template(cell))
    assert [is_from_template(cell) for _, cell, _ in seats[:2]] == [True, True]
    assert seats[-1][1].process.unfit == "it computes between two matches"
