"""What a run of strangers' teams leaves running or lying when something in it is killed, and that its results do not suffer."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.conftest import DUEL, map_text
from tests.end_to_end.background import PATIENCE, Start, commands_in, wait_until

from tiltyard_simulator.play.worker_main import NAME as WORKER

GONE_SECONDS = 20.0
"""The aim is 2 seconds; a test on a busy machine waits longer."""
TEAMS = """
import time
from tiltyard_engine import ActionRequest, Player, TankAlgorithm, TankTeam, hookimpl

class Slow(TankAlgorithm):
    action = ActionRequest.SHOOT
    def __init__(self, player_index, tank_index):
        pass
    def get_action(self):
        time.sleep(0.01)
        return self.action
    def update_battle_info(self, info):
        pass

class Turning(Slow):
    action = ActionRequest.ROTATE_LEFT_90

class Waiting(Slow):
    action = ActionRequest.DO_NOTHING

class Commander(Player):
    def update_tank_with_battle_info(self, tank, satellite_view):
        pass

@hookimpl
def algorithms():
    for name, tank in {"shooting": Slow, "turning": Turning, "waiting": Waiting}.items():
        yield TankTeam(name, Commander, tank)
"""


def state(pid: int) -> str:
    """One letter; empty when there is no such process."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def is_gone(pid: int) -> bool:
    """One that only waits to be collected, by whoever that is on this machine, has ended."""
    return state(pid) in ("", "Z")


def below(pid: int) -> list[int]:
    """All processes that come from one."""
    try:
        children = [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []
    return [*children, *(deeper for child in children for deeper in below(child))]


def family(pid: int) -> dict[str, list[int]]:
    """The processes of a run by what they are."""
    found: dict[str, list[int]] = {"worker": [], "zygote": [], "cell": [], "other": []}
    roles: dict[int, str] = {}
    for process in below(pid):
        try:
            words = Path(f"/proc/{process}/cmdline").read_bytes()
            name = Path(f"/proc/{process}/comm").read_text().strip()
            parent = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if name == WORKER:
            role = "worker"
        elif b"guard.zygote_main" in words and not words.partition(b"\0")[0].endswith(b"bwrap"):
            role = "cell" if roles.get(parent) in ("zygote", "cell") else "zygote"
        else:
            role = "other"
        roles[process] = role
        found[role].append(process)
    return found


@contextmanager
def starting_in(place: Path) -> Iterator[Start]:
    """``start(folder)``: 6 games with two workers into that folder, as the first process of a group; they sleep, mostly."""
    for name in ("teams", "maps", "tmp"):
        (place / name).mkdir()
    (place / "teams" / "slow.py").write_text(TEAMS)
    (place / "maps" / "m.txt").write_text(map_text(DUEL, 20, 5))
    with commands_in(place, TMPDIR=str(place / "tmp")) as run:
        yield lambda folder, *more: run("tiltyard", "round-robin", "teams", "--maps", "maps", "-w", "2", "-o", folder, *more)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """See ``starting_in``."""
    with starting_in(tmp_path) as run:
        yield run


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of a run in which nothing was killed."""
    place = tmp_path_factory.mktemp("quiet")
    with starting_in(place) as run:
        assert run("quiet", "--isolation", "inline").wait(PATIENCE) == 0
    return place / "quiet"


def scratch_folders(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "tmp").glob("tiltyard-*"))


@pytest.mark.parametrize("victims", [("cell", "zygote"), ("worker",)], ids=" and ".join)
def test_what_is_killed_costs_one_match_an_attempt(start: Start, quiet: Path, tmp_path: Path, victims: tuple[str, ...]) -> None:
    process = start("killed")
    for victim in victims:
        wait_until(lambda: len(family(process.pid)["cell"]) >= 4)
        pid = family(process.pid)[victim][0]
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda pid=pid: is_gone(pid))  # type: ignore[misc]
    if "worker" in victims:
        wait_until(lambda: len(family(process.pid)["worker"]) == 2)
        # The killed one has been collected.
        wait_until(lambda: not any(state(child) == "Z" for child in below(process.pid)))
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    assert "Traceback" not in err
    for table in ("standings.csv", "crosstable.csv", "maps.csv"):
        assert (tmp_path / "killed" / table).read_text() == (quiet / table).read_text()
    assert out.count("SIGKILL") + out.count("zygote is gone") <= 2 * len(victims), out
    assert scratch_folders(tmp_path) == []


def test_nothing_runs_on_without_the_command(start: Start, tmp_path: Path) -> None:
    process = start("lost")
    wait_until(lambda: len(family(process.pid)["cell"]) >= 4)
    every = below(process.pid)
    process.kill()
    wait_until(lambda: all(is_gone(pid) for pid in every), GONE_SECONDS)
    again = start("again", "-w", "1")
    assert again.wait(PATIENCE) == 0
    assert scratch_folders(tmp_path) == []


@pytest.mark.parametrize("interrupts", [1, 2])
def test_interrupts_leave_nothing(start: Start, tmp_path: Path, interrupts: int) -> None:
    process = start("stopped")
    wait_until(lambda: len(family(process.pid)["cell"]) >= 4)
    every = below(process.pid)
    begun = time.monotonic()
    for _ in range(interrupts):
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(0.005)
    _, err = process.communicate(timeout=PATIENCE)
    assert time.monotonic() - begun < GONE_SECONDS
    assert "Traceback" not in err
    assert process.returncode in ((130,) if interrupts == 1 else (130, -signal.SIGINT))
    wait_until(lambda: all(is_gone(pid) for pid in every), GONE_SECONDS)
    if interrupts == 1:
        assert "stopped after" in err
        assert scratch_folders(tmp_path) == []
