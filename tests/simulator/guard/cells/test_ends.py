"""An answer that is followed by an end: the same bytes get the same verdict, whenever the host looks.

What was written before the end is judged first. The end shows at the next question, and so does what follows an answer.
"""

from __future__ import annotations

import time

import pytest
from tests.simulator.guard.conftest import WriteTeams, open_tanks

from tiltyard_engine.results import Termination
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.guard.cells.cell_port import cell_of
from tiltyard_simulator.guard.confinement.kernel.process_status import stat_fields
from tiltyard_simulator.match.isolation import Isolation

CELLS = (Isolation.PROCESS, Isolation.SANDBOX)
T = Termination
MATCHES = 4
"""Of each kind: two with each way to wait."""

LEAVES = """
import ctypes, os, time
from tiltyard_simulator.guard.cells import cell
from tiltyard_simulator.guard.cells.wire import frame

def leave(descriptor, number, body):
    "In place of sending an answer: write something, and end."
    answer = frame(number, body)
    {says}
    {ends}

def misbehave():
    cell.write_frame = leave
    return ActionRequest.SHOOT

@hookimpl
def algorithms():
    yield team("leaving", misbehave)
"""
EXIT, SEGV = "os._exit(7)", "ctypes.string_at(0)"
EXITED = "get_action: the process exited with code 7"
NUMBER = "int.from_bytes(answer[4:8], 'little')"
EARLY = f"frame(({NUMBER} + 1) % 2**32, body)"

ENDS: dict[str, tuple[str, str, int, Termination, str]] = {
    "an answer": ("os.write(descriptor, answer)", EXIT, 2, T.CRASH, EXITED),
    "an answer, and a signal": ("os.write(descriptor, answer)", SEGV, 2, T.CRASH, "get_action: the process was killed by SIGSEGV"),
    "an answer in pieces": ("[os.write(descriptor, answer[i:i + 1]) for i in range(len(answer))]", EXIT, 2, T.CRASH, EXITED),
    "nothing": ("", EXIT, 1, T.CRASH, EXITED),
    "half an answer": (
        "os.write(descriptor, answer[:-1])",
        EXIT,
        1,
        T.PROTOCOL,
        "get_action: the process exited with code 7 in the middle of an answer",
    ),
    "an action that does not exist": (
        "os.write(descriptor, frame({number}, b'\\x93\\x03\\xc4\\x01\\x63\\xc0'))".replace("{number}", NUMBER),
        EXIT,
        1,
        T.PROTOCOL,
        "get_action: no action has the number 99",
    ),
    "garbage": ("os.write(descriptor, b'nonsense')", EXIT, 1, T.PROTOCOL, "get_action: garbage instead of an answer"),
    "two answers": ("os.write(descriptor, answer + answer)", EXIT, 2, T.PROTOCOL, "get_action: a second answer to a question"),
    "two answers, one by one": (
        "os.write(descriptor, answer); os.write(descriptor, answer)",
        EXIT,
        2,
        T.PROTOCOL,
        "get_action: a second answer to a question",
    ),
    "an answer and half of one": (
        "os.write(descriptor, answer); os.write(descriptor, answer[:9])",
        EXIT,
        2,
        T.PROTOCOL,
        "get_action: the process exited with code 7 in the middle of an answer",
    ),
    "an answer and garbage": (
        "os.write(descriptor, answer); os.write(descriptor, b'nonsense')",
        EXIT,
        2,
        T.PROTOCOL,
        "get_action: garbage instead of an answer",
    ),
    "an answer and one to the next question": (
        f"os.write(descriptor, answer); os.write(descriptor, {EARLY})",
        EXIT,
        2,
        T.PROTOCOL,
        "get_action: an answer before the question",
    ),
    "the same, and it goes on": (
        f"os.write(descriptor, answer); os.write(descriptor, {EARLY})",
        "",
        2,
        T.PROTOCOL,
        "get_action: an answer before the question",
    ),
}


def is_running(process: int) -> bool:
    return stat_fields(process)[:1] not in ([], [b"Z"], [b"X"])


def is_left(process: int) -> bool:
    """Whether it has not been reaped yet."""
    return bool(stat_fields(process))


WAITS = (None, is_running, is_left)
"""What the host waits for after each answer: for nothing, or until the process is no longer so."""


@pytest.mark.parametrize("isolation", CELLS)
@pytest.mark.parametrize("end", ENDS)
def test_the_same_bytes_get_the_same_verdict(cells: CellPool, write_teams: WriteTeams, end: str, isolation: Isolation) -> None:
    says, ends, answered, termination, message = ENDS[end]
    team = write_teams(LEAVES.format(says=says or "pass", ends=ends))["leaving"]
    for number in range(MATCHES):
        seat = open_tanks(cells, 1, team, isolation)
        tank = seat.create_tank(0)
        cell = cell_of(seat)
        assert cell is not None
        process, wait = cell.process.pid, WAITS[number % len(WAITS)]
        actions = []
        while seat.fault is None:
            action = tank.get_action()
            if seat.fault is None:
                actions.append(action)
            while len(actions) == 2 and ends and wait is not None and wait(process):
                time.sleep(0.001)
        assert (len(actions), seat.fault.termination, seat.fault.message) == (answered, termination, message)
        cells.end_match()
