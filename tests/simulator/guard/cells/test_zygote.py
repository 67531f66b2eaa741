"""The zygote: forks cells, reports how they ended, takes them along when it is killed."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tiltyard_simulator.guard.cells.wire import ZygoteLostError
from tiltyard_simulator.guard.cells.zygote import CellProcess, Zygote
from tiltyard_simulator.guard.confinement.readable_paths import paths_for
from tiltyard_simulator.guard.policy import CellPolicy, Confinement, Level
from tiltyard_simulator.match.limits import Limits


@pytest.fixture
def zygote() -> Iterator[Zygote]:
    zygote = Zygote(Confinement(Level.C, (), ()), preload=("json",))
    yield zygote
    zygote.close()


def fork(zygote: Zygote, scratch: Path) -> CellProcess:
    paths = paths_for([])
    process = zygote.begin_fork(CellPolicy(paths.readable, paths.hidden, str(scratch), Limits()))
    zygote.finish_fork(process)
    return process


def has_ended(process: CellProcess, seconds: float = 10.0) -> bool:
    return bool(select.select([process.pidfd], [], [], seconds)[0])


def eventually(happened: Callable[[], bool], seconds: float = 10.0) -> bool:
    until = time.monotonic() + seconds
    while not happened() and time.monotonic() < until:
        time.sleep(0.005)
    return happened()


def children(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


def test_how_a_cell_ended_is_reported(zygote: Zygote, tmp_path: Path) -> None:
    (clerk,) = children(zygote.pid)
    killed, hung_up = fork(zygote, tmp_path), fork(zygote, tmp_path)
    assert zygote.wait_for_exit(killed, 0.01) is None
    killed.kill()
    end = zygote.wait_for_exit(killed, 10)
    assert end is not None
    assert end.status == -signal.SIGKILL
    assert end.peak_bytes > 1 << 20
    os.close(hung_up.questions)
    hung_up.questions = -1
    end = zygote.wait_for_exit(hung_up, 10)
    assert end is not None
    assert end.status > 0
    killed.close()
    hung_up.close()
    assert children(zygote.pid) == [clerk]


def test_a_killed_zygote_takes_its_cells_along(zygote: Zygote, tmp_path: Path) -> None:
    cells = [fork(zygote, tmp_path) for _ in range(3)]
    assert not has_ended(cells[0], 0.05)
    os.kill(zygote.pid, signal.SIGKILL)
    assert all(has_ended(cell) for cell in cells)
    assert eventually(lambda: not zygote.is_alive)
    with pytest.raises(ZygoteLostError, match="the zygote is gone"):
        fork(zygote, tmp_path)
    with pytest.raises(ZygoteLostError):
        zygote.wait_for_exit(cells[0], 1)
    for cell in cells:
        cell.close()


def test_all_end_with_the_clerk(zygote: Zygote, tmp_path: Path) -> None:
    """Nobody could order or report anything any more."""
    (clerk,) = children(zygote.pid)
    cells = [fork(zygote, tmp_path) for _ in range(3)]
    os.kill(int(clerk), signal.SIGKILL)
    assert all(has_ended(cell) for cell in cells)
    assert eventually(lambda: not zygote.is_alive)
    for cell in cells:
        cell.close()


def test_the_clerk_ends_with_the_zygote(zygote: Zygote) -> None:
    (clerk,) = children(zygote.pid)
    os.kill(zygote.pid, signal.SIGKILL)
    assert eventually(lambda: not is_running(int(clerk)))


def test_a_zygote_whose_worker_is_gone_ends(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    worker = os.fork()
    if worker == 0:
        zygote = Zygote(Confinement(Level.C, (), ()), preload=())
        cell = fork(zygote, tmp_path)
        os.write(writer, " ".join([str(zygote.pid), str(cell.pid), *children(zygote.pid)]).encode())
        time.sleep(60)
        os._exit(0)
    found = [int(word) for word in os.read(reader, 100).split()]
    os.kill(worker, signal.SIGKILL)
    os.waitpid(worker, 0)
    os.close(reader)
    os.close(writer)
    assert eventually(lambda: not any(is_running(pid) for pid in found))


def is_running(pid: int) -> bool:
    """Whether the process is there and no zombie that nobody has reaped yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_zygote_that_cannot_start_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tiltyard_simulator.guard.cells.zygote.BOOT", "raise SystemExit('no zygote today')")
    with pytest.raises(ZygoteLostError, match="no zygote today"):
        Zygote(Confinement(Level.C, (), ()))


def test_an_interrupted_start_leaves_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C ends no notebook: what was being started would stay beside it."""

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    before = children(os.getpid())
    monkeypatch.setattr(Zygote, "_report", interrupted)
    with pytest.raises(KeyboardInterrupt):
        Zygote(Confinement(Level.C, (), ()))
    assert children(os.getpid()) == before


def test_what_hosts_alone_need_is_not_imported() -> None:
    """A zygote's start is mostly imports, and each command that confines teams starts some."""
    line = "import sys, tiltyard_simulator.guard.zygote_main; print(*sys.modules)"
    modules = subprocess.run([sys.executable, "-c", line], capture_output=True, text=True, check=True).stdout.split()
    assert "tiltyard_engine.records" in modules
    of_hosts = ("decisions", "formats", "learning", "lifecycle", "recipes", "registry.recipe_checks")
    assert not {f"tiltyard_engine.{name}" for name in of_hosts} & set(modules)


def test_it_starts_without_what_only_hosts_need() -> None:
    """Each of these modules would make every start slower."""
    code = "import sys; from tiltyard_simulator.guard import zygote_main; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-P", "-s", "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "tiltyard_simulator.guard.cells.cell_port" in loaded
    clients = ("cells.cell_client", "cells.team_client", "cells.zygote", "programs.program_client", "programs.program_paths")
    assert {f"tiltyard_simulator.guard.{name}" for name in clients}.isdisjoint(loaded)
