from __future__ import annotations

import os
import re
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conftest import WriteMap
from tests.end_to_end.background import PATIENCE, Start, commands_in, wait_until

SLOW_TEAM = """

class Slow(Tank):
    def get_action(self) -> ActionRequest:
        import os, pathlib, time
        pathlib.Path("pids", str(os.getpid())).touch()
        time.sleep(0.02)
        return super().get_action()


@hookimpl
def algorithms() -> Iterator[TankTeam]:
    yield TankTeam("slow", player=QuietPlayer, tank=Slow)
    yield TankTeam("slower", player=QuietPlayer, tank=Slow)
"""


def is_gone(pid: int) -> bool:
    """Whether a process has ended; one that only waits to be collected has."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return True
    return state == "Z"


@pytest.fixture
def start(tmp_path: Path, programs: Path, write_map: WriteMap) -> Iterator[Start]:
    """Starts a long run of slow teams as the first process of a group, as a shell does."""
    for number in range(4):
        write_map(f"maps/m{number}.txt", steps=20)
    (tmp_path / "teams").mkdir()
    (tmp_path / "pids").mkdir()
    text = (programs / "teams" / "sound.py").read_text()
    (tmp_path / "teams" / "slow.py").write_text(text[: text.index("@hookimpl")] + SLOW_TEAM)
    # Inline, so that teams can tell which processes they ran in.
    with commands_in(tmp_path, TILTYARD_ISOLATION="inline") as run:
        yield run


def pids(folder: Path) -> list[int]:
    return [int(path.name) for path in (folder / "pids").iterdir()]


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("kind", ["round-robin", "simulator"])
def test_an_interrupt_leaves_standings_and_no_processes(start: Start, tmp_path: Path, workers: int, kind: str) -> None:
    if kind == "simulator":
        words = ("-competition", "game_maps_folder=maps", "game_manager=reference", "algorithms_folder=teams")
        process = start("simulator", *words, f"num_threads={workers}", "-verbose")
    else:
        process = start("tiltyard", "round-robin", "teams", "--maps", "maps", "-v", "-w", str(workers), "-o", "cup")
    wait_until(lambda: (len(pids(tmp_path)) == workers and list(tmp_path.glob("output_*"))) or process.poll() is not None)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert "stopped after" in err
    assert "slow" in out
    assert len(pids(tmp_path)) == workers
    wait_until(lambda: all(is_gone(pid) for pid in pids(tmp_path)))
    assert (tmp_path / "cup" / "results.txt").exists() == (kind == "round-robin")
    assert list((tmp_path / "teams").glob("competition_*")) == []


def test_workers_end_when_the_command_is_killed(start: Start, tmp_path: Path) -> None:
    process = start("tiltyard", "round-robin", "teams", "--maps", "maps", "-w", "2")
    wait_until(lambda: len(pids(tmp_path)) == 2)
    process.kill()
    wait_until(lambda: all(is_gone(pid) for pid in pids(tmp_path)))


@pytest.mark.parametrize("command", ["simulator", "tiltyard"])
def test_a_team_that_kills_its_worker_costs_only_its_matches(start: Start, tmp_path: Path, programs: Path, command: str) -> None:
    shutil.copy(programs / "teams" / "faulty.py", tmp_path / "teams")
    (tmp_path / "teams" / "slow.py").unlink()
    # Each attempt takes a new worker.
    for number in range(1, 4):
        (tmp_path / "maps" / f"m{number}.txt").unlink()
    if command == "simulator":
        words = ["-competition", "game_maps_folder=maps", "game_manager=reference", "algorithms_folder=teams", "num_threads=2"]
    else:
        words = ["competition", "--maps", "maps", "--algorithms", "teams", "--workers", "2"]
    process = start(command, *words)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert "given up after 3 attempts: its match worker died: exit status 7" in out
    assert re.search(r"machine failures, charged to no team, in \d+ match(es)?: its match worker died", out)
    assert "Traceback" not in err
