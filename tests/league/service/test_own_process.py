"""Work in a process of its own: each test runs in a new process, as pytest's own has threads."""

from __future__ import annotations

import subprocess
import sys

import pytest

if sys.platform != "linux":
    pytest.skip("the work is in a process of its own on Linux alone", allow_module_level=True)

START = """
import os, signal, sys, threading
os.environ["OPENBLAS_NUM_THREADS"] = "1"
from tiltyard_engine.errors import NotFoundError, UserError
from tiltyard_league.service.own_process import in_own_process

def refused():
    raise UserError("the file is full", see="full-disk")

def unknown():
    raise NotFoundError("game", "ches", ["chess"])

def broken():
    raise KeyError("seven")

def nothing_is_left():
    try:
        os.waitpid(-1, 0)
    except ChildProcessError:
        return True
"""


def run(code: str) -> tuple[str, str]:
    """What the code prints to both streams, in a process of its own that must end well."""
    done = subprocess.run([sys.executable, "-c", START + code], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def test_the_work_is_done_elsewhere_and_its_result_comes_here() -> None:
    said = run("""
kept = []
number, process, size = in_own_process(lambda: (7, os.getpid(), len(kept.append(1) or kept)))
print(number, process == os.getpid(), size, len(kept), len(in_own_process(lambda: bytes(5_000_000))), nothing_is_left())
""")
    assert said == ("7 False 1 0 5000000 True\n", "")


def test_what_waits_in_the_streams_of_the_process_is_written_once() -> None:
    assert run("print('before'); in_own_process(lambda: 1); print('after')") == ("before\nafter\n", "")


@pytest.mark.parametrize(
    "hindrance",
    [
        "threading.Thread(target=threading.Event().wait, daemon=True).start()",
        "def no_room(): raise BlockingIOError(11, 'Resource temporarily unavailable')\nos.fork = no_room",
    ],
    ids=["another thread", "no further process"],
)
def test_where_it_can_have_no_process_the_work_is_done_here(hindrance: str) -> None:
    code = f"{hindrance}\nopen_ones = os.listdir('/proc/self/fd')\nprint(in_own_process(os.getpid) == os.getpid())\n"
    said = run(code + "print(len(os.listdir('/proc/self/fd')) == len(open_ones))")
    assert said == ("True\nTrue\n", "")


@pytest.mark.parametrize(
    ("work", "message"), [("refused", "the file is full (full-disk)"), ("unknown", "ches")], ids=["a plain one", "one of a kind"]
)
def test_a_users_error_comes_here(work: str, message: str) -> None:
    out, err = run(f"""
try:
    in_own_process({work})
except UserError as error:
    print(f"{{error}} ({{error.see}})", nothing_is_left())
""")
    assert message in out
    assert out.endswith(") True\n")
    assert err == ""


@pytest.mark.parametrize(
    ("work", "status", "reason"),
    [
        ("broken", 1, "KeyError: 'seven'"),
        ("lambda: os.kill(os.getpid(), signal.SIGKILL)", -9, ""),
        ("lambda: lambda: 1", 1, "Can't pickle"),
    ],
    ids=["a defect", "killed", "no answer that can be sent"],
)
def test_a_process_that_ends_without_an_answer_is_an_error(work: str, status: int, reason: str) -> None:
    out, err = run(f"""
try:
    in_own_process({work})
except RuntimeError as error:
    print(error, nothing_is_left())
""")
    assert out == f"a process that this one works with ended with status {status} True\n"
    assert reason in err
    assert bool(err) == bool(reason)


def test_the_process_ends_with_its_parent() -> None:
    said = run("""
import time
from pathlib import Path
reader, writer = os.pipe()
middle = os.fork()
if middle == 0:
    os.close(reader)
    def work():
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(60)
    in_own_process(work)
os.close(writer)
# The pipe is at its end when the last process that can write to it has ended.
print(os.read(reader, 1), os.waitpid(middle, 0)[1])
""")
    assert said == ("b'' 9\n", "")


def test_the_memory_goes_with_the_process() -> None:
    said = run("""
import numpy as np

def resident():
    return int(next(line for line in open("/proc/self/status") if line.startswith("VmRSS")).split()[1])

def work():
    many = {number: (number, str(number)) for number in range(300_000)}
    return float(np.linalg.inv(np.eye(600) * 2)[0, 0]), len(many)

def growth(here):
    before = resident()
    result = here(work)
    return result, resident() - before

away = growth(in_own_process)
print(away[0] == (0.5, 300_000), away[1] < 4_000, growth(lambda work: work())[1] > 6_000)
""")
    assert said == ("True True True\n", "")
