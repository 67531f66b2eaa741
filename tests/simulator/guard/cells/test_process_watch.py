"""Looking at trees of processes: numbers, memory, time, and the end of all of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from tiltyard_engine.results import Termination
from tiltyard_simulator.guard.cells import process_watch
from tiltyard_simulator.guard.cells.process_watch import (
    CpuMeter,
    ProgramWatcher,
    children_of,
    descendants_of,
    kill_tree,
    tasks_and_memory,
)
from tiltyard_simulator.guard.confinement.kernel.control_groups import CpuGroup, TaskGroup
from tiltyard_simulator.match.limits import Limits

TREE = """
import os, sys, time
os.fork() or os.fork()
print(1, flush=True)
time.sleep(60)
"""
"""Three processes in a row."""


def wait_for(happened: Callable[[], bool], seconds: float = 120.0) -> bool:
    until = time.monotonic() + seconds
    while not happened() and time.monotonic() < until:
        time.sleep(0.005)
    return happened()


@pytest.fixture
def started() -> Iterator[Callable[[str], int]]:
    """``started(code)``: a shell's process with a Python below it that runs the code."""
    shells: list[subprocess.Popen[bytes]] = []

    def start(code: str) -> int:
        words = ["sh", "-c", '"$0" -I -S -c "$1"; :', sys.executable, code]
        shells.append(subprocess.Popen(words, stdout=subprocess.PIPE, start_new_session=True))
        return shells[-1].pid

    yield start
    for shell in shells:
        os.killpg(shell.pid, signal.SIGKILL)
        shell.communicate()


def test_a_tree(started: Callable[[str], int]) -> None:
    root = started(TREE)
    assert wait_for(lambda: len(list(descendants_of(root))) == 3)
    tasks, memory, descriptors = tasks_and_memory(root, 100)
    assert tasks == 3
    assert memory > 3 << 20
    assert descriptors > 0
    assert tasks_and_memory(root, 1)[0] == 2
    assert kill_tree(root)
    assert wait_for(lambda: not list(descendants_of(root)))


def test_children_are_found_without_the_kernels_list(monkeypatch: pytest.MonkeyPatch, started: Callable[[str], int]) -> None:
    root = started(TREE)
    assert wait_for(lambda: len(list(descendants_of(root))) == 3)
    listed = sorted(descendants_of(root))
    monkeypatch.setattr(process_watch, "KERNEL_LISTS_CHILDREN", False)
    assert sorted(descendants_of(root)) == listed


def test_a_process_that_is_gone_has_no_children() -> None:
    process = subprocess.Popen(["true"])
    process.wait()
    assert children_of(process.pid) == []
    assert tasks_and_memory(process.pid, 1) == (0, 0, 0)
    assert kill_tree(process.pid)


def test_the_meter_counts_living_and_ended_processes(started: Callable[[str], int]) -> None:
    code = "import os, time\nif not os.fork():\n    while time.process_time() < 0.3: pass\nelse:\n    os.wait()\n    time.sleep(60)"
    meter = CpuMeter(started(code))
    assert meter.glance() == 0.0
    assert wait_for(lambda: meter.look() > 0.1)
    seen = meter.glance()
    assert wait_for(lambda: meter.look() >= 0.28 and len(list(descendants_of(meter._process))) == 1)
    assert meter.look() >= seen
    assert 0 <= meter.glance() - meter.look() < 0.1


BURN = """
import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for _ in range(4):
    if not os.fork():
        while time.process_time() < 0.1: pass
        os._exit(0)
    try:
        os.wait()  # until all have ended, of whom it then hears nothing
    except ChildProcessError:
        pass
open(DONE, "w").close()
time.sleep(60)
"""
"""Children that burn 0.4 s, and a parent that waits for none of them."""


@pytest.mark.parametrize("grouped", [True, False])
def test_children_that_nobody_waits_for_count_too(started: Callable[[str], int], grouped: bool, tmp_path: Path) -> None:
    group = CpuGroup.make() if grouped else None
    if grouped and group is None:
        pytest.skip("no control group can be made here")
    go, burn = tmp_path / "go", BURN.replace("DONE", repr(str(tmp_path / "done")))
    process = started(f"import os, time\nwhile not os.path.exists({str(go)!r}): time.sleep(0.01)\n{burn}")
    assert wait_for(lambda: bool(children_of(process)))
    if group is not None:
        group.add([process, *children_of(process)])
    meter = CpuMeter(process, group)
    meter.look()
    go.touch()
    readings: list[float] = []

    def all_ended() -> bool:
        readings.append(meter.look())
        time.sleep(0.01)
        return (tmp_path / "done").exists()

    assert wait_for(all_ended)
    assert all(later >= earlier - 1e-9 for earlier, later in pairwise(readings))
    assert readings[-1] > (0.39 if grouped else 0.28)
    assert meter.glance() >= readings[-1]
    if group is not None:
        group.close()


def test_children_that_are_waited_for_count_once(started: Callable[[str], int], tmp_path: Path) -> None:
    done = tmp_path / "done"
    code = "import os, time\nfor _ in range(10):\n    if not os.fork():\n        while time.process_time() < 0.05: pass\n"
    code += f"        os._exit(0)\n    os.wait()\nopen({str(done)!r}, 'w').close()\ntime.sleep(600)"
    process = started(code)
    meter = CpuMeter(process)
    # Each of the children is looked at while it runs.
    assert wait_for(lambda: meter.look() > 0.4)
    assert wait_for(lambda: meter.look() > 0 and done.exists())
    assert 0.5 <= meter.look() < 0.85


@pytest.mark.parametrize(
    ("code", "limits", "termination"),
    [
        ("import os, time\nblock = os.urandom(50 << 20)\ntime.sleep(60)", Limits(memory_bytes=40 << 20), Termination.OUT_OF_MEMORY),
        (TREE, Limits(program_processes=2), Termination.CRASH),
    ],
)
def test_the_watcher_calls_once(started: Callable[[str], int], code: str, limits: Limits, termination: Termination) -> None:
    verdicts: list[Termination] = []
    watcher = ProgramWatcher(started(code), limits, lambda found, message: verdicts.append(found))
    try:
        assert wait_for(lambda: bool(verdicts))
        time.sleep(3 * process_watch.LOOK_SECONDS)
    finally:
        watcher.stop()
    assert verdicts == [termination]


def test_a_stopped_watcher_looks_no_more(started: Callable[[str], int]) -> None:
    verdicts: list[str] = []
    watcher = ProgramWatcher(started("import time\ntime.sleep(60)"), Limits(), lambda found, message: verdicts.append(message))
    watcher.stop()
    assert not watcher._thread.is_alive()
    assert verdicts == []


def test_a_task_group_holds_a_bomb_where_one_can_be_made(started: Callable[[str], int]) -> None:
    group = TaskGroup.make(5)
    if group is None:
        pytest.skip("no control group can be made here")
    forks = "import os, time\nfor _ in range(4):\n    try: os.fork()\n    except OSError: pass\ntime.sleep(60)"
    code = f"import sys\nsys.stdin.readline()\n{forks}"
    shell = subprocess.Popen(
        ["sh", "-c", '"$0" -I -S -c "$1" 2>/dev/null; :', sys.executable, code], stdin=subprocess.PIPE, start_new_session=True
    )
    try:
        assert wait_for(lambda: len(children_of(shell.pid)) == 1)
        group.add([shell.pid, *children_of(shell.pid)])
        assert shell.stdin is not None
        shell.stdin.write(b"\n")
        shell.stdin.close()
        assert wait_for(lambda: len(list(descendants_of(shell.pid))) > 1)
        assert len(list(descendants_of(shell.pid))) < 5
    finally:
        os.killpg(shell.pid, signal.SIGKILL)
        shell.wait()
    assert wait_for(lambda: _is_removed(group))


def _is_removed(group: TaskGroup) -> bool:
    group.close()
    return not group._folder.exists()
