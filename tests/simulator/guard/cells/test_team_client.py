"""Hostile code in cells: each way of not answering gets its own verdict, in the round in which it happened."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.simulator.guard.conftest import WriteTeams, open_tanks

from tiltyard_engine.registry import Reference
from tiltyard_engine.results import Fault, Termination
from tiltyard_engine.tanks import ActionRequest
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.guard.cells.limit_hints import NO_SHARED_MEMORY
from tiltyard_simulator.guard.confinement.kernel.control_groups import TaskGroup
from tiltyard_simulator.guard.policy import Level
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import Limits

SHOOT, IDLE = ActionRequest.SHOOT, ActionRequest.DO_NOTHING
CELLS = (Isolation.PROCESS, Isolation.SANDBOX)
LIMITS = Limits(move_seconds=0.1, memory_bytes=64 << 20, output_bytes=1000)
T = Termination

PIPES = """
import fcntl, os, stat

def answers():
    '''The private pipe to the host.'''
    for number in range(3, 1024):
        try:
            writes = fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE == os.O_WRONLY
            if writes and stat.S_ISFIFO(os.fstat(number).st_mode):
                return number
        except OSError:
            pass

def spin():
    while True: pass

def stay():
    import time; time.sleep(60)

def number():
    '''Of the question that is being answered.'''
    import gc
    from tiltyard_simulator.guard.cells.cell import Cell
    return next(each for each in gc.get_objects() if isinstance(each, Cell))._number

def header(number, length):
    return b"tilt" + (number % 2**32).to_bytes(4, "little") + length.to_bytes(4, "little")

"""

HOSTILE: dict[str, tuple[str, Termination, str]] = {
    "loop": ("while True: pass", T.TIMEOUT, "get_action used 0."),
    "bare-except": ("while True:\n        try: 1 / 0\n        except: pass", T.TIMEOUT, "get_action used 0."),
    "c-call": ("import itertools; sum(itertools.repeat(1))", T.TIMEOUT, "get_action used 0."),
    "del": ("class Last:\n        def __del__(self):\n            while True: pass\n    Last()", T.TIMEOUT, "get_action used 0."),
    "sleep": ("import time; time.sleep(60)", T.STALL, "get_action did not answer within"),
    "lock": ("import threading\n    a = threading.Lock(); a.acquire(); a.acquire()", T.STALL, "get_action did not answer within"),
    "stop": ("import os, signal; os.kill(os.getpid(), signal.SIGSTOP)", T.STALL, "get_action did not answer within"),
    "abort": ("import os; os.abort()", T.CRASH, "get_action: the process was killed by SIGABRT"),
    "segfault": ("import ctypes; ctypes.string_at(0)", T.CRASH, "get_action: the process was killed by SIGSEGV"),
    "exit-0": ("import os; os._exit(0)", T.CRASH, "get_action: the process exited with code 0"),
    "exit-as-if-unconfined": ("import os; os._exit(115)", T.CRASH, "get_action: the process exited with code 115"),
    "exit-7": ("import os; os._exit(7)", T.CRASH, "get_action: the process exited with code 7"),
    "interrupt": ("raise KeyboardInterrupt", T.CRASH, "get_action raised KeyboardInterrupt"),
    "bomb": (
        "x = []\n    while True: x.append(bytearray(1 << 22))",
        T.OUT_OF_MEMORY,
        "get_action raised MemoryError (limit memory_bytes=67108864: memory, 64 MiB; --limit memory_bytes=N allows more)",
    ),
    "small-bomb": ("x = []\n    while True: x.append([None] * 100)", T.OUT_OF_MEMORY, ""),
    "closes-all": ("import os; os.closerange(0, 4096)", T.DISCONNECT, "get_action: the process closed its pipe to the host"),
    "hangs-up": ("os.close(answers()); import time; time.sleep(60)", T.DISCONNECT, "get_action: the process closed its pipe"),
    "garbage": ("os.write(answers(), b'hello, is this on?'); stay()", T.PROTOCOL, "get_action: garbage instead of an answer"),
    "half": (
        "os.write(answers(), header(number(), 50)); os._exit(3)",
        T.PROTOCOL,
        "get_action: the process exited with code",
    ),
    "half-and-loop": (
        "os.write(answers(), header(number(), 50))\n    while True: pass",
        T.PROTOCOL,
        "get_action: the answer was still incomplete at the time limit",
    ),
    "huge": (
        "os.write(answers(), header(number(), 1 << 30)); stay()",
        T.PROTOCOL,
        "get_action: an answer of 1073741824 bytes, the limit is",
    ),
    "wrong-types": (
        "os.write(answers(), header(number(), 3) + bytes([0x92, 3, 7])); stay()",
        T.PROTOCOL,
        "get_action: the answer has the wrong types",
    ),
    "not-msgpack": (
        "os.write(answers(), header(number(), 2) + bytes([0xc1, 0xc1])); stay()",
        T.PROTOCOL,
        "get_action: the answer isn't valid msgpack",
    ),
    "pickle": (
        "import pickle; os.write(answers(), header(number(), 4) + pickle.dumps(1)[:4]); stay()",
        T.PROTOCOL,
        "get_action: the answer",
    ),
    "early": (
        "os.write(answers(), header(number() + 1, 2) + bytes(2)); stay()",
        T.PROTOCOL,
        "get_action: an answer before the question",
    ),
    "bad-action": (
        "os.write(answers(), header(number(), 6) + bytes([0x93, 3, 0xc4, 1, 99, 0xc0])); stay()",
        T.PROTOCOL,
        "get_action: no action has the number 99",
    ),
    "other-answer": (
        "os.write(answers(), header(number(), 2) + bytes([0x91, 4])); stay()",
        T.PROTOCOL,
        "get_action: BoardRequest is not an answer",
    ),
}


def open_seat(cells: CellPool, reference: Reference, isolation: Isolation, limits: Limits = LIMITS) -> Any:
    return open_tanks(cells, 1, reference, isolation, limits=limits)


def one_team(body: str) -> str:
    return (
        f"{PIPES}def act():\n    {body}\n    return ActionRequest.SHOOT\n@hookimpl\ndef algorithms():\n    yield team('bad', act)\n"
    )


def wait_for(happened: Callable[[], bool], seconds: float = 10.0) -> bool:
    until = time.monotonic() + seconds
    while not happened() and time.monotonic() < until:
        time.sleep(0.005)
    return happened()


@pytest.mark.parametrize("isolation", CELLS)
@pytest.mark.parametrize("name", HOSTILE)
def test_a_verdict_for_each(cells: CellPool, write_teams: WriteTeams, name: str, isolation: Isolation) -> None:
    body, termination, message = HOSTILE[name]
    limits = replace(LIMITS, move_seconds=5.0) if termination is T.OUT_OF_MEMORY else LIMITS
    seat = open_seat(cells, write_teams(one_team(body))["bad"], isolation, limits)
    tanks = [seat.create_tank(0)]
    assert [seat.get_actions(tanks)[0] for _ in range(3)] == [SHOOT, IDLE, IDLE]
    fault: Fault = seat.fault
    if name == "stop" and fault.termination is T.CRASH:
        return  # a sandbox does not let it
    assert (fault.termination, fault.round, fault.seat) == (termination, 2, 1), fault
    assert fault.message.startswith(message), fault


IMPORTS: dict[str, tuple[str, Termination]] = {
    "while True: pass": (T.TIMEOUT.value, T.TIMEOUT),
    "import os; os._exit(2)": ("starting up: the process exited with code 2", T.CRASH),
    "1 / 0": ("loading: ", T.CRASH),
    "raise SystemExit": ("loading: ", T.CRASH),
    "x = [0] * (1 << 30)": ("", T.CRASH),
}


@pytest.mark.parametrize("isolation", CELLS)
@pytest.mark.parametrize("line", IMPORTS)
def test_trouble_in_the_import(cells: CellPool, write_teams: WriteTeams, line: str, isolation: Isolation) -> None:
    message, termination = IMPORTS[line]
    reference = write_teams(one_team("pass"))["bad"]
    path = Path(reference.source.value)
    path.write_text(f"{line}\n{path.read_text()}")
    seat = open_seat(cells, reference, isolation, Limits(startup_seconds=0.2, wall_factor=20.0, memory_bytes=64 << 20))
    assert seat.create_tank(0).get_action() is IDLE
    fault: Fault = seat.fault
    assert (fault.termination, fault.round) == (termination, 0), fault
    assert message in fault.message or "starting up used" in fault.message
    if line == "1 / 0":
        assert "ZeroDivisionError" in fault.traceback


@pytest.mark.parametrize("isolation", CELLS)
def test_what_is_printed_is_kept_up_to_the_limit_and_never_blocks(
    cells: CellPool, write_teams: WriteTeams, isolation: Isolation
) -> None:
    body = "import sys; print('first'); print('second', file=sys.stderr)\n    for _ in range(200): os.write(1, bytes(100_000))"
    seat = open_seat(cells, write_teams(one_team(body))["bad"], isolation, Limits(output_bytes=1000))
    tanks = [seat.create_tank(0)]
    assert [seat.get_actions(tanks)[0] for _ in range(3)] == [SHOOT] * 3
    assert seat.fault is None
    cells.end_match()
    assert seat.port.cell.output.startswith(b"first\nsecond\n\0")
    assert len(seat.port.cell.output) == 1000


def test_words_before_a_crash_are_kept(cells: CellPool, write_teams: WriteTeams) -> None:
    seat = open_seat(cells, write_teams(one_team("print('about to die'); os.abort()"))["bad"], Isolation.PROCESS)
    tanks = [seat.create_tank(0)]
    for _ in range(2):
        seat.get_actions(tanks)
    assert seat.port.cell.output.startswith(b"about to die\n")


@pytest.mark.parametrize("isolation", CELLS)
def test_cpu_burnt_unasked(cells: CellPool, write_teams: WriteTeams, isolation: Isolation) -> None:
    body = "import threading; threading.Thread(target=spin, daemon=True).start()"
    seat = open_seat(cells, write_teams(one_team(body))["bad"], isolation, Limits(move_seconds=3))
    tanks = [seat.create_tank(0)]
    for _ in range(2):
        seat.get_actions(tanks)
    for _ in range(20):
        time.sleep(0.05)
        seat.get_actions(tanks)
    assert seat.fault is not None
    if seat.fault.termination is not T.CRASH:  # it could not even start a thread
        assert seat.fault.termination is T.TIMEOUT
        assert seat.fault.message.startswith("used CPU time between two calls")


def test_the_time_of_a_match(cells: CellPool, write_teams: WriteTeams) -> None:
    spend = "import time; until = time.process_time() + 0.06\n    while time.process_time() < until: pass\n    return misbehave()"
    text = PIPES + f"def misbehave():\n    {spend.replace('return misbehave()', 'return ActionRequest.SHOOT')}\n"
    text += "class Slow(Tank):\n    def get_action(self):\n        return misbehave()\n"
    text += "@hookimpl\ndef algorithms():\n    yield team('slow', tank=Slow)\n"
    seat = open_seat(cells, write_teams(text)["slow"], Isolation.PROCESS, Limits(move_seconds=0.5, match_seconds=0.3))
    tank = seat.create_tank(0)
    for _ in range(6):
        tank.get_action()
    assert seat.fault.termination is T.TIMEOUT
    assert "in this match, the limit is 0.3 s" in seat.fault.message


def always(body: str) -> str:
    """A team that does so in every round."""
    text = f"class Always(Tank):\n    def get_action(self):\n        {body}\n        return ActionRequest.SHOOT\n"
    return f"{text}@hookimpl\ndef algorithms():\n    yield team('always', tank=Always)\n"


FORKS = """import os
        forked = 0
        try:
            while forked < 30:
                if not os.fork():
                    import time; time.sleep(60)
                forked += 1
        except OSError as error:
            print(error)
        print("forked", forked, flush=True)"""


@pytest.mark.parametrize("isolation", CELLS)
@pytest.mark.parametrize("processes", [3, 8])
def test_no_more_processes_than_allowed(cells: CellPool, write_teams: WriteTeams, isolation: Isolation, processes: int) -> None:
    group = TaskGroup.make(1)
    if group is None:
        pytest.skip("no control group can be made here, and the kernel's own limit is not exact")
    group.close()
    seat = open_seat(cells, write_teams(always(FORKS))["always"], isolation, Limits(processes=processes))
    cell = seat.port.cell
    seat.get_actions([seat.create_tank(0)])
    assert seat.fault is None
    cells.end_match()
    assert f"forked {processes - 1}\n" in cell.output.decode()


CHILDREN = "[os.fork() or time.sleep(60) for _ in range(10)]"
ORPHANS = "[os.waitpid(os.fork() or (os.fork() and os._exit(0)) or time.sleep(60), 0) for _ in range(10)]"


@pytest.mark.parametrize(
    "body", [CHILDREN, ORPHANS, "[threading.Thread(target=time.sleep, args=(60,)).start() for _ in range(10)]"]
)
def test_who_has_too_many_processes_is_ended_where_no_group_can_be_made(
    cells: CellPool, write_teams: WriteTeams, monkeypatch: pytest.MonkeyPatch, body: str
) -> None:
    monkeypatch.setattr(TaskGroup, "make", lambda most: None)
    seat = open_seat(
        cells, write_teams(always(f"import os, threading, time; {body}; time.sleep(60)"))["always"], CELLS[1], Limits(processes=3)
    )
    seat.get_actions([seat.create_tank(0)])
    assert seat.fault.termination is T.CRASH
    # An ordinary user's kernel may refuse them before.
    assert "more than 3 processes and threads: killed" in seat.fault.message or "(limit processes=3: " in seat.fault.message
    assert "--limit processes=N allows more)" in seat.fault.message


def test_who_keeps_to_the_number_is_not_ended(cells: CellPool, write_teams: WriteTeams, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TaskGroup, "make", lambda most: None)
    body = "import os, time; os.waitpid(os.fork() or time.sleep(0.1) or os._exit(0), 0)"
    seat = open_seat(cells, write_teams(always(body))["always"], CELLS[1], Limits(processes=2))
    tanks = [seat.create_tank(0)]
    for _ in range(3):
        seat.get_actions(tanks)
    assert seat.fault is None


HOGS = 4


@pytest.fixture
def busy_core() -> Iterator[int]:
    """A core with so many other processes that a team gets a small part of it."""
    core = max(os.sched_getaffinity(0))
    command = [sys.executable, "-c", f"import os\nos.sched_setaffinity(0, {{{core}}})\nprint(1, flush=True)\nwhile True: pass"]
    hogs = [subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) for _ in range(HOGS)]
    for hog in hogs:
        assert hog.stdout is not None
        hog.stdout.readline()
    yield core
    for hog in hogs:
        hog.kill()
        hog.communicate()


def test_waiting_for_a_core_counts_neither_for_a_call_nor_for_the_match(
    cells: CellPool, write_teams: WriteTeams, busy_core: int
) -> None:
    limits = Limits(move_seconds=0.5, match_seconds=0.25, wall_factor=1.5)
    work = "import time; until = time.process_time() + 0.03\n        while time.process_time() < until: pass"
    seat = open_seat(cells, write_teams(always(work))["always"], Isolation.SANDBOX, limits)
    tanks = [seat.create_tank(0)]
    cell = seat.port.cell
    os.sched_setaffinity(cell.process.pid, {busy_core})
    while seat.fault is None and cell.cpu_seconds < 0.15:
        seat.get_actions(tanks)
    assert seat.fault is None
    assert cell.wall_seconds > limits.match_seconds * limits.wall_factor


def test_a_match_in_which_a_team_sleeps_too_much_says_so(cells: CellPool, write_teams: WriteTeams) -> None:
    limits = Limits(move_seconds=0.5, match_seconds=0.5, wall_factor=2.0)
    seat = open_seat(cells, write_teams(always("import time; time.sleep(0.3)"))["always"], Isolation.PROCESS, limits)
    tanks = [seat.create_tank(0)]
    while seat.fault is None:
        seat.get_actions(tanks)
    assert seat.fault.termination is T.STALL
    assert "get_action: the team took 1." in seat.fault.message
    assert "s of this match to answer, the limit is 1 s; it used 0." in seat.fault.message


@pytest.mark.parametrize("isolation", CELLS)
def test_a_cell_killed_from_outside_is_the_machines_fault(cells: CellPool, write_teams: WriteTeams, isolation: Isolation) -> None:
    seat = open_seat(cells, write_teams(one_team("pass"))["bad"], isolation)
    tank = seat.create_tank(0)
    os.kill(seat.port.cell.process.pid, signal.SIGKILL)
    assert tank.get_action() is IDLE
    assert seat.fault.termination is T.VOID
    assert "SIGKILL" in seat.fault.message


SYSTEM_ERROR = "terminate called after throwing an instance of 'std::system_error'\\n  what():  Operation not permitted"
"""What C++ prints when a thread is refused, before it aborts."""


@pytest.mark.parametrize(
    "body",
    [
        "import threading; threading.Thread(target=print).start()",
        "os.fork()",
        "import concurrent.futures as f; f.ThreadPoolExecutor().submit(print)",
        f'os.write(2, b"{SYSTEM_ERROR}"); os.abort()',
    ],
)
def test_a_crash_names_the_limit_that_caused_it(cells: CellPool, write_teams: WriteTeams, body: str) -> None:
    if cells.confinement.level is Level.C:
        pytest.skip("not confined")
    seat = open_seat(cells, write_teams(one_team(body))["bad"], Isolation.SANDBOX)
    tanks = [seat.create_tank(0)]
    for _ in range(2):
        seat.get_actions(tanks)
    assert seat.fault.termination is T.CRASH
    assert "(limit processes=1: a team's processes and threads together; --limit processes=N allows more)" in seat.fault.message


LIBRARY = 'os.write(2, b"libgomp: Thread creation failed: Operation not permitted"); os._exit(1)'


@pytest.mark.parametrize(
    ("body", "hint"),
    [
        (LIBRARY, "; --limit processes=N allows more)"),
        ("import subprocess; subprocess.run(['true'])", "(code in the sandbox can't start other programs, whatever its limits;"),
        ("os.execv('/bin/true', ['true'])", "(code in the sandbox can't start other programs, whatever its limits;"),
        (
            "open('large', 'wb').write(bytes(2 << 20))",
            "(limit file_bytes=1048576: one file, 1 MiB; --limit file_bytes=N allows more)",
        ),
        ("import pathlib; pathlib.Path(__file__).with_name('log.txt').write_text('x')", "may write only in its scratch folder,"),
        ("import socket; socket.socket()", "(code in the sandbox has no network)"),
        ("import fcntl; fcntl.flock(open('own', 'w'), fcntl.LOCK_EX)", "(code in the sandbox can't lock files;"),
        ("import sqlite3; sqlite3.connect('own').execute('create table t(x)')", "sqlite3.connect('file:NAME?nolock=1', uri=True))"),
    ],
)
def test_a_crash_names_what_refused_it(cells: CellPool, write_teams: WriteTeams, body: str, hint: str) -> None:
    if cells.confinement.level is Level.C:
        pytest.skip("not confined")
    seat = open_seat(cells, write_teams(one_team(body))["bad"], Isolation.SANDBOX, Limits(file_bytes=1 << 20, processes=8))
    tanks = [seat.create_tank(0)]
    for _ in range(2):
        seat.get_actions(tanks)
    assert seat.fault.termination is T.CRASH
    assert hint in seat.fault.message


SHARES = (
    "from multiprocessing import Lock, shared_memory\n"
    "    with Lock():\n"
    "        memory = shared_memory.SharedMemory(create=True, size=64); memory.close(); memory.unlink()\n"
    "    try:\n"
    "        raise RuntimeError(f'started {os.waitpid(-1, 0)}')\n"
    "    except ChildProcessError:\n"
    "        pass"
)
"""Python's resource tracker would be a child, and one that cannot start: whether a team notices depends on who is quicker."""


def test_processes_share_memory_where_the_cell_has_its_own(cells: CellPool, write_teams: WriteTeams) -> None:
    if cells.confinement.level is Level.C:
        pytest.skip("not confined")
    seat = open_seat(cells, write_teams(one_team(SHARES))["bad"], Isolation.SANDBOX, Limits(processes=8))
    tanks = [seat.create_tank(0)]
    for _ in range(3):
        seat.get_actions(tanks)
    if cells.confinement.level is Level.A:
        assert seat.fault is None
    else:
        assert seat.fault.message.endswith(NO_SHARED_MEMORY)


@pytest.mark.parametrize("body", ["os.abort()", "raise PermissionError('no')", "open('/etc/shadow')"])
def test_other_crashes_name_no_limit(cells: CellPool, write_teams: WriteTeams, body: str) -> None:
    seat = open_seat(cells, write_teams(one_team(f"{body}; raise PermissionError"))["bad"], Isolation.SANDBOX)
    tanks = [seat.create_tank(0)]
    for _ in range(2):
        seat.get_actions(tanks)
    assert seat.fault.termination is T.CRASH
    assert "limit" not in seat.fault.message


def test_what_a_cell_leaves_behind_is_killed(cells: CellPool, write_teams: WriteTeams) -> None:
    body = (
        "if os.fork() == 0:\n        os.setsid()\n        if os.fork() == 0:\n"
        "            print(os.getpid(), flush=True)\n            os.execv('/bin/sleep', ['sleep', '60'])\n        os._exit(0)\n"
        "    import time; time.sleep(0.2)"
    )
    seat = open_seat(cells, write_teams(one_team(body))["bad"], Isolation.PROCESS, Limits(processes=10))
    tanks = [seat.create_tank(0)]
    for _ in range(2):
        seat.get_actions(tanks)
    cells.end_match()
    if seat.fault is None:
        stray = int(seat.port.cell.output.split()[0])
        assert wait_for(lambda: not Path(f"/proc/{stray}").exists())
