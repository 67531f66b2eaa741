"""Two cells that may read the same file, or see the same numbers of processes, must not find each other by them."""

from __future__ import annotations

import fcntl
import os
import sqlite3
from typing import Any

import pytest
from tests.simulator.guard.confinement.test_processes import CALL

from tiltyard_simulator.guard.policy import Level

LOCK = """
import fcntl, struct
file = open(folder + '/tree/own/data.txt', 'rb')
def record(command, kind):
    fcntl.fcntl(file, command, struct.pack('hhqqi4x', kind, 0, 0, 0, 0))
"""
FUTEX = f"""
{CALL}
import mmap
file = os.open(folder + '/tree/own/data.txt', os.O_RDONLY)
address = libc.mmap
address.restype, address.argtypes = ctypes.c_void_p, [ctypes.c_void_p] + [ctypes.c_long] * 5
place = address(None, 4096, mmap.PROT_READ, mmap.MAP_PRIVATE, file, 0)
futex = 202 if os.uname().machine == 'x86_64' else 98
"""


@pytest.mark.parametrize(
    "code",
    [
        LOCK + "fcntl.flock(file, fcntl.LOCK_SH)",
        LOCK + "fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)",
        LOCK + "fcntl.flock(file, fcntl.LOCK_UN)",
        LOCK + "record(fcntl.F_GETLK, fcntl.F_WRLCK)",
        LOCK + "record(fcntl.F_SETLK, fcntl.F_RDLCK)",
        LOCK + "record(fcntl.F_SETLKW, fcntl.F_RDLCK)",
        LOCK + "record(fcntl.F_OFD_GETLK, fcntl.F_WRLCK)",
        LOCK + "record(fcntl.F_OFD_SETLK, fcntl.F_RDLCK)",
        LOCK + "record(fcntl.F_OFD_SETLKW, fcntl.F_RDLCK)",
    ],
)
@pytest.mark.parametrize("python", [True, False])
def test_no_lock_of_a_file_that_others_read(lab: Any, refused: Any, code: str, python: bool) -> None:
    answer = refused(code, python=python)
    assert (answer.error, answer.text) == ("PermissionError", "[Errno 1] Operation not permitted")


@pytest.mark.parametrize("python", [True, False])
def test_a_lock_that_somebody_holds_is_not_seen(lab: Any, refused: Any, python: bool) -> None:
    with (lab.folder / "tree/own/data.txt").open("rb+") as file:
        fcntl.lockf(file, fcntl.LOCK_EX)
        refused(LOCK + "record(fcntl.F_GETLK, fcntl.F_RDLCK)", python=python)
        fcntl.flock(file, fcntl.LOCK_EX)
        refused(LOCK + "fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)", python=python)


def test_sqlite_works_without_locks(lab: Any) -> None:
    code = """
import sqlite3
with sqlite3.connect({name!r}, uri=True) as base:
    base.execute('create table t(x)')
    base.execute('insert into t values (7)')
    result = base.execute('select x from t').fetchone()[0]
"""
    assert lab.run(code.format(name="file:x.db?nolock=1")).text == "7"
    refusal = lab.run(code.format(name="x.db"))
    assert (refusal.error, refusal.text) == (sqlite3.OperationalError.__name__, "access permission denied")


@pytest.mark.parametrize("operation", [0, 1, 3, 4, 5, 9, 10])
def test_nobody_waits_for_another_cell_at_a_file_that_both_map(refused: Any, operation: int) -> None:
    wait_a_moment = "moment = (ctypes.c_long * 2)(0, 1000)\n"
    call = f"call(futex, place, {operation}, 1, ctypes.addressof(moment), place, 0)"
    assert refused(FUTEX + wait_a_moment + call).text == "[Errno 1] refused"


def test_a_process_waits_for_itself(lab: Any) -> None:
    private = 128
    code = FUTEX + f"word = ctypes.c_int(0)\ncall(futex, ctypes.addressof(word), 1 | {private}, 1); result = 0"
    assert lab.run(code).text == "0"
    if lab.level is Level.A:
        semaphore = "import _multiprocessing as m; s = m.SemLock(1, 1, 1, '/mine', True); s.acquire(); s.release(); result = 'done'"
        assert lab.run(semaphore).text == "done"


X86, ARM = 0, 1


@pytest.mark.parametrize(
    "code",
    [
        "import time; time.clock_gettime((~sibling << 3) | 2)",
        "import time; time.clock_gettime((~os.getppid() << 3) | 0)",
        "import time; time.clock_getres((~sibling << 3) | 2)",
        CALL + "moment = (ctypes.c_long * 2)(0, 1)\ncall(nanosleep, (~sibling << 3) | 2, 1, ctypes.addressof(moment), 0)",
        "os.getpgid(sibling)",
        "os.getsid(sibling)",
        "os.getpriority(os.PRIO_PROCESS, sibling)",
        "os.sched_getscheduler(sibling)",
        "os.sched_getparam(sibling)",
        "os.sched_getaffinity(sibling)",
        "os.sched_rr_get_interval(sibling)",
        CALL + "call(ioprio_get, 1, sibling)",
        CALL
        + "place = (ctypes.c_long * 2)()\ncall(get_robust_list, sibling, ctypes.addressof(place), ctypes.addressof(place) + 8)",
        CALL + "place = (ctypes.c_long * 8)()\ncall(sched_getattr, sibling, ctypes.addressof(place), 48, 0)",
    ],
)
def test_no_question_about_another_process(refused: Any, code: str) -> None:
    numbers = {"nanosleep": (230, 115), "ioprio_get": (252, 31), "get_robust_list": (274, 100), "sched_getattr": (315, 275)}
    column = X86 if os.uname().machine == "x86_64" else ARM
    refused(code, names={name: pair[column] for name, pair in numbers.items()})


def test_questions_about_itself(lab: Any) -> None:
    code = (
        "import time\n"
        "for me in (0, os.getpid()):\n"
        "    os.getpgid(me), os.getsid(me), os.getpriority(os.PRIO_PROCESS, me), os.sched_getscheduler(me)\n"
        "    os.sched_getaffinity(me), os.sched_getparam(me)\n"
        "result = time.clock_gettime(-6) > 0 < time.process_time() + time.thread_time() + time.clock_gettime(-2)"
    )
    answer = lab.run(code)
    assert (answer.error, answer.text) == ("", "True"), answer
