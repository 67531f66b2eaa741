"""What a cell can do to processes, its own included."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import pytest

from tiltyard_simulator.guard.confinement.kernel.landlock import landlock_version
from tiltyard_simulator.guard.policy import Level
from tiltyard_simulator.match.limits import Limits

CALL = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def call(*words):
    if libc.syscall(*map(ctypes.c_long, words)) < 0:
        raise OSError(ctypes.get_errno(), 'refused')
"""


@pytest.mark.parametrize(
    "code",
    [
        "os.fork()",
        "os.posix_spawn('/bin/true', ['true'], {})",
        "os.execv('/bin/true', ['true'])",
        "import subprocess; subprocess.run(['/bin/true'])",
        "os.kill(sibling, 0)",
        "os.kill(os.getppid(), 0)",
        "os.kill(-1, 0)",
        "os.kill(1, 0)",
        "os.killpg(os.getpgid(sibling), 0)",
        "signal.pidfd_send_signal(os.pidfd_open(sibling), 0)",
        "import fcntl; fcntl.fcntl(0, fcntl.F_SETOWN, sibling)",
        "os.kill(os.getpid(), signal.SIGKILL)",
        "import threading; signal.pthread_kill(threading.get_ident(), signal.SIGKILL)",
        "os.memfd_create('memory')",
        "os.setsid()",
        "os.setpgid(0, 0)",
        "os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))",
        "os.nice(-5)",
        "os.setpriority(os.PRIO_PROCESS, sibling, 19)",
        "resource.prlimit(sibling, resource.RLIMIT_CPU, (1, 1))",
        CALL + "call(101 if os.uname().machine == 'x86_64' else 117, 0x4206, sibling, 0, 0)",
        CALL + "call(435, 0, 88)",
        CALL + "ring = ctypes.c_long(0)\ncall(206 if os.uname().machine == 'x86_64' else 0, 9, ctypes.addressof(ring))",
        "import socket; socket.socketpair()[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)",
        CALL + "call(425, 8, 0)",
        CALL + "call(272 if os.uname().machine == 'x86_64' else 97, 0x10000000)",
        CALL + "call(470)",
        CALL + "if libc.prctl(1, 0, 0, 0, 0): raise OSError(ctypes.get_errno(), 'refused')",
        CALL + "if libc.mount(b'tmpfs', b'.', b'tmpfs', 0, None): raise OSError(ctypes.get_errno(), 'refused')",
    ],
)
def test_refused(refused: Any, code: str) -> None:
    refused(code)


def test_an_affinity_seems_set_and_is_not(lab: Any) -> None:
    answer = lab.run("os.sched_setaffinity(0, {0}); os.sched_setaffinity(sibling, {0}); result = sorted(os.sched_getaffinity(0))")
    assert answer.text == str(sorted(os.sched_getaffinity(0))), answer


def test_a_thread_is_a_clear_error(lab: Any) -> None:
    answer = lab.run("import threading; threading.Thread(target=print).start()")
    assert (answer.error, answer.text) == ("RuntimeError", "can't start new thread")


@pytest.mark.parametrize("name", ["AS", "FSIZE", "NOFILE", "NPROC", "CORE", "STACK", "CPU", "SIGPENDING"])
def test_limits_cannot_be_raised(every_level: Any, name: str) -> None:
    answer = every_level.run(f"limit = resource.RLIMIT_{name}\nresource.setrlimit(limit, (resource.RLIM_INFINITY,) * 2)")
    assert answer.error == "ValueError", answer


def test_only_the_host_limits_cpu_time(lab: Any) -> None:
    assert lab.run("resource.setrlimit(resource.RLIMIT_CPU, (1, 1))").error in ("ValueError", "PermissionError")
    assert lab.run("resource.prlimit(0, resource.RLIMIT_CPU, (1, 1))").error in ("ValueError", "PermissionError")
    assert lab.run("result = resource.getrlimit(resource.RLIMIT_CPU)[0] > 1").text == "True"
    assert lab.run("resource.setrlimit(resource.RLIMIT_STACK, (1 << 20, 1 << 20))").error == ""


def test_a_memory_bomb_is_a_memory_error(every_level: Any) -> None:
    assert every_level.run("kept = []\nwhile True: kept.append(bytearray(1 << 20))").error == "MemoryError"
    assert every_level.run("result = len(bytearray(64 << 20))").text == str(64 << 20)


def test_few_signals_wait_at_once(every_level: Any) -> None:
    code = (
        CALL
        + """
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGRTMIN])
information = (ctypes.c_int * 32)(signal.SIGRTMIN, 0, -1)
for result in range(1000):
    call(129 if os.uname().machine == 'x86_64' else 138, os.getpid(), signal.SIGRTMIN, ctypes.addressof(information))
"""
    )
    answer = every_level.run(code)
    assert answer.error == "BlockingIOError", answer


def test_a_huge_file_is_an_error(every_level: Any) -> None:
    answer = every_level.run("Path('huge').write_bytes(bytes(2 << 20))")
    assert (answer.error, "too large" in answer.text) == ("OSError", True), answer


def test_signals_to_itself_work(lab: Any) -> None:
    assert lab.run("os.kill(os.getpid(), signal.SIGTERM)").status == -15
    assert lab.run("os.abort()").status == -6
    assert lab.run("import ctypes; ctypes.string_at(0)").status == -11


def test_no_capability_and_no_way_to_one(every_level: Any) -> None:
    code = CALL + "header = (ctypes.c_uint32 * 2)(0x20080522, 0); data = (ctypes.c_uint32 * 6)()\n"
    answer = every_level.run(code + "libc.capget(header, data); result = list(data)[:2], libc.prctl(39, 0, 0, 0, 0)")
    assert answer.text == "([0, 0], 1)", answer


def test_descriptors_are_closed(every_level: Any) -> None:
    code = """
found = 0
for number in range(3, 1100):
    try:
        os.fstat(number)
    except OSError:
        continue
    found += 1
result = found
"""
    assert every_level.run(code).text == "1", "the test's own pipe alone"


def test_everyday_code_works(every_level: Any) -> None:
    code = (
        "import asyncio, collections, colorsys, dataclasses, datetime\n"
        "import decimal, hashlib, heapq, json, math, random, re, sqlite3, time\n"
        "import uuid, zoneinfo\n"
        "time.sleep(0.001); random.random(); os.urandom(8); uuid.uuid4(); print('printed', file=open(os.devnull, 'w'))\n"
        "decimal.Decimal(2).sqrt(); hashlib.sha256(b'x'); asyncio.run(asyncio.sleep(0)); datetime.datetime.now()\n"
        "resource.getrlimit(resource.RLIMIT_AS); os.cpu_count(); os.sched_getaffinity(0)\n"
        "result = json.dumps(math.gcd(4, 6))"
    )
    answer = every_level.run(code)
    assert (answer.error, answer.text) == ("", "2"), answer


def test_numpy_works(lab: Any) -> None:
    pytest.importorskip("numpy")
    memory = replace(Limits(), memory_bytes=1 << 30)
    assert lab.run("import numpy; result = int((numpy.ones((9, 9)) @ numpy.ones((9, 9))).sum())", limits=memory).text == "729"


def test_a_program_may_be_started_where_the_policy_says_so(lab: Any) -> None:
    where = {"python": False, "readable": ("tree", "/usr/bin")}
    assert lab.run("os.execv('/usr/bin/env', ['env', 'false'])", **where).status == 1
    # A program may have several processes, whatever a Python team may.
    child = "child = os.fork()\nif not child: os._exit(7)\nresult = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])"
    assert lab.run(child, **where).text == "7"


def test_a_program_has_a_process_namespace_of_its_own_at_the_best_level(lab: Any) -> None:
    where = {"python": False, "readable": ("tree", "/usr/bin")}
    assert (lab.run("result = os.getpid()", **where).text == "1") == (lab.level is Level.A)
    for attempt in ("os.kill(sibling, 0)", "os.setsid()"):
        assert lab.run(attempt, **where).error in ("PermissionError", "ProcessLookupError")


def test_several_processes_where_the_policy_says_so(lab: Any) -> None:
    limits = replace(Limits(), processes=3)
    code = """
import threading
thread = threading.Thread(target=int)
thread.start()
thread.join()
child = os.fork()
if not child:
    os._exit(7)
result = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
"""
    answer = lab.run(code, limits=limits)
    assert answer.text == "7", answer
    for attempt in ("os.kill(sibling, 0)", "os.kill(os.getppid(), 0)", "os.setsid()"):
        assert lab.run(attempt, limits=limits).error == "PermissionError"
    # Older versions of Landlock leave it to the filter, which then knows no process but the first.
    if landlock_version() < 6:
        return
    child = "child = os.fork()\nif not child: signal.pause()\nos.kill(child, 9)\nresult = os.waitpid(child, 0)[1]"
    assert lab.run(child, limits=limits).text == "9"
