"""A forked worker is as one with an interpreter of its own: each test runs in a new process, as pytest's own has threads."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

if sys.platform != "linux":
    pytest.skip("workers are forked on Linux alone", allow_module_level=True)

PLAY = """
import os, signal, socket, sys, threading
from contextlib import closing
from pathlib import Path
from tiltyard_simulator.play import worker_process
from tiltyard_simulator.play.worker_process import start_worker
from tiltyard_simulator.play.worker_messages import ANSWERS
from tiltyard_simulator.guard.cells.wire import read_frame

def started(environment={}, may_fork=True):
    ours, theirs = socket.socketpair()
    with theirs:
        worker = start_worker(theirs, -1, environment, may_fork)
    read_frame(ours.fileno())
    return worker, ours

def words(worker):
    return Path(f"/proc/{worker.pid}/comm").read_text().strip()
"""


def run(code: str, folder: Path, *options: str) -> str:
    """What the code prints in a process of its own, which must end well."""
    (folder / "main.py").write_text(PLAY + code)
    ended = subprocess.run(
        [sys.executable, *options, "main.py"], cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    return ended.stdout


def test_a_process_with_one_thread_forks_its_workers(tmp_path: Path) -> None:
    said = run(
        """
worker, ours = started()
print(words(worker))
ours.close()
print(worker.wait(), worker.wait())
worker.kill()
""",
        tmp_path,
    )
    assert said.split("\n") == ["tiltyard worker", "0 0", ""]


@pytest.mark.parametrize(
    "start",
    [
        "started({'ANY': 'thing'})",
        "started(may_fork=False)",
        "[threading.Thread(target=threading.Event().wait, daemon=True).start(), started()][1]",
    ],
)
def test_a_worker_that_must_not_be_a_fork_is_an_interpreter_of_its_own(tmp_path: Path, start: str) -> None:
    said = run(
        f"""
worker, ours = {start}
print(b"play.worker_main" in Path(f"/proc/{{worker.pid}}/cmdline").read_bytes())
worker.kill()
print(worker.wait())
""",
        tmp_path,
    )
    assert said.split() == ["True", "-9"]


def test_a_fork_keeps_nothing_of_its_parent_open(tmp_path: Path) -> None:
    """Its channel and the standard streams alone; a lock of the parent's is free once the parent is gone."""
    said = run(
        """
import fcntl
lock = open("lock", "w")
fcntl.flock(lock, fcntl.LOCK_EX)
other, others = started()
worker, ours = started()
entries = sorted(Path(f"/proc/{worker.pid}/fd").iterdir(), key=lambda entry: int(entry.name))
opened = [os.readlink(entry) for entry in entries]
print(opened[:2], [where for where in opened[3:] if not where.startswith("socket:")], len(opened))
print(os.getsid(worker.pid) == worker.pid)
lock.close()
fcntl.flock(open("lock"), fcntl.LOCK_EX | fcntl.LOCK_NB)
""",
        tmp_path,
    )
    assert said.split("\n") == ["['/dev/null', '/dev/null'] [] 4", "True", ""]


def test_a_fork_has_no_handlers_buffers_and_script_folder_of_its_parent(tmp_path: Path) -> None:
    """What the parent has not written yet is written once, by the parent."""
    said = run(
        """
import json
signal.signal(signal.SIGTERM, lambda number, frame: print("handled"))
print("before", end=" ")
def look(channel, parent, core):
    print("lost")
    found = [signal.getsignal(signal.SIGTERM) == signal.SIG_DFL, signal.getsignal(signal.SIGINT) == signal.SIG_IGN]
    found += [signal.pthread_sigmask(signal.SIG_BLOCK, []) == set(), os.path.dirname(os.path.realpath("main.py")) not in sys.path]
    found += [sys.stdin.read() == "", parent == os.getppid(), core == 3]
    os.write(channel, json.dumps(found).encode())
worker_process.main = look
ours, theirs = socket.socketpair()
with theirs:
    worker = start_worker(theirs, 3, {})
print(worker.wait(), ours.recv(1000).decode())
""",
        tmp_path,
    )
    assert said == f"before 0 [{', '.join(['true'] * 7)}]\n"


@pytest.mark.parametrize(
    ("code", "status"), [("sys.exit(7)", 7), ("sys.exit()", 0), ("os._exit(9)", 9), ("os.kill(os.getpid(), signal.SIGTERM)", -15)]
)
def test_how_a_fork_ends_is_told(tmp_path: Path, code: str, status: int) -> None:
    """And nothing that the parent would do at its own end is done twice."""
    said = run(
        f"""
import atexit
atexit.register(print, "end")
def stop(channel, parent, core):
    {code}
worker_process.main = stop
ours, theirs = socket.socketpair()
with theirs:
    worker = start_worker(theirs, 3, {{}})
print(worker.wait())
""",
        tmp_path,
    )
    assert said == f"{status}\nend\n"


def test_an_error_in_a_fork_is_shown_and_ends_it(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(
        PLAY
        + """
def fail(channel, parent, core):
    raise ValueError("of the fork")
worker_process.main = fail
ours, theirs = socket.socketpair()
with theirs:
    worker = start_worker(theirs, 3, {})
print(worker.wait())
"""
    )
    ended = subprocess.run([sys.executable, "main.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert ended.stdout == "1\n"
    assert ended.stderr.endswith("ValueError: of the fork\n")


def test_a_fork_ends_with_its_parent(tmp_path: Path) -> None:
    said = run(
        """
child = os.fork()
if child == 0:
    worker, ours = started()
    Path("pid").write_text(str(worker.pid))
    os.kill(os.getpid(), signal.SIGKILL)
os.waitpid(child, 0)
import time
pid = int(Path("pid").read_text())
for _ in range(2000):
    try:
        if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
            break
    except OSError:
        break
    time.sleep(0.01)
else:
    print("still there")
""",
        tmp_path,
    )
    assert said == ""
