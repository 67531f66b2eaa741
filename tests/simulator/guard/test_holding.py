"""The holder of cells: reserve, new zygotes, nothing left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.engine.making import install, team_source, write
from tests.simulator.guard.conftest import WriteTeams

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Reference, Source
from tiltyard_engine.registry.sources import Origin
from tiltyard_engine.results import Termination
from tiltyard_engine.tanks import ActionRequest
from tiltyard_simulator.guard import holding, readable_paths
from tiltyard_simulator.guard.holding import Cells
from tiltyard_simulator.guard.isolation import Isolation
from tiltyard_simulator.guard.limits import Limits
from tiltyard_simulator.guard.readable_paths import paths_for
from tiltyard_simulator.guard.zygote import Zygote

CELLS = (Isolation.PROCESS, Isolation.SANDBOX)
SOUND = "\n@hookimpl\ndef algorithms():\n    yield team('sound')\n"
LIMITS = Limits()


def open_seat(cells: Cells, reference: Reference, isolation: Isolation) -> Any:
    return cells.open_tank_seat(1, reference, (4, 3, 100, 5), "idle", LIMITS, isolation)


def shoots(seat: Any) -> bool:
    return list(seat.get_actions([seat.create_tank(0)])) == [ActionRequest.SHOOT]


def eventually(happened: Callable[[], bool], seconds: float = 10.0) -> bool:
    until = time.monotonic() + seconds
    while not happened() and time.monotonic() < until:
        time.sleep(0.005)
    return happened()


def descriptors(pid: int | str = "self") -> int:
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


@pytest.mark.parametrize("isolation", CELLS)
def test_matches_leave_nothing_behind(write_teams: WriteTeams, isolation: Isolation, tmp_path: Path) -> None:
    """Descriptors, processes and scratch folders after 150 matches are those after 20."""
    teams = write_teams(SOUND + "    yield team('dier', lambda: os._exit(1))\nimport os\n")

    def play(matches: int) -> None:
        for _ in range(matches):
            seats = [open_seat(cells, teams[name], isolation) for name in ("sound", "dier")]
            for seat in seats:
                assert shoots(seat), seat.fault
                seat.create_tank(1).get_action()
            cells.end_match()

    def left() -> tuple[int, int]:
        return descriptors(), len(list(Path(scratch_root).iterdir()))

    before = descriptors()
    with Cells(scratch_root=str(tmp_path)) as cells:
        scratch_root = cells.scratch_root
        play(20)
        first = left()
        zygote = cells.zygote_pid(isolation)
        assert zygote is not None
        play(130)
        # Some descriptors of spare cells may still be on their way.
        assert all(abs(now - then) <= 4 for now, then in zip(left(), first))
        # The spare cells alone.
        assert eventually(lambda: len(descendants(zygote)) <= 4)
        family = [zygote, *descendants(zygote)]
    assert descriptors() == before
    assert not Path(scratch_root).exists()
    assert eventually(lambda: not any(Path(f"/proc/{pid}").exists() for pid in family))


def descendants(pid: int) -> list[int]:
    found: list[int] = []
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        found += [int(child), *descendants(int(child))]
    return found


@pytest.mark.parametrize("isolation", CELLS)
def test_a_killed_zygote_is_the_machines_fault_and_the_next_match_has_a_new_one(
    cells: Cells, write_teams: WriteTeams, isolation: Isolation
) -> None:
    reference = write_teams(SOUND)["sound"]
    seat = open_seat(cells, reference, isolation)
    tank = seat.create_tank(0)
    zygote = cells.zygote_pid(isolation)
    assert zygote is not None
    os.kill((descendants(zygote) or [zygote])[0] if isolation is Isolation.SANDBOX else zygote, signal.SIGKILL)
    assert eventually(lambda: tank.get_action() is ActionRequest.DO_NOTHING)
    assert seat.fault.termination is Termination.VOID
    assert cells.machine_faults == [seat.fault]
    cells.end_match()
    assert cells.machine_faults == []
    assert shoots(open_seat(cells, reference, isolation))


def test_cells_are_kept_ready(cells: Cells, write_teams: WriteTeams) -> None:
    reference = write_teams(SOUND)["sound"]
    for _ in range(30):
        cells.expect(reference, LIMITS, Isolation.PROCESS)
    zygote = cells.zygote_pid(Isolation.PROCESS)
    assert zygote is not None
    assert len(descendants(zygote)) <= 20
    assert shoots(open_seat(cells, reference, Isolation.PROCESS))
    first = open_seat(cells, reference, Isolation.PROCESS).cell.process.pid
    cells.end_match()
    seats = [open_seat(cells, reference, Isolation.PROCESS) for _ in range(3)]
    assert all(shoots(seat) for seat in seats)
    assert first not in [seat.cell.process.pid for seat in seats]


def test_a_match_that_is_foreseen_costs_one_zygote(write_teams: WriteTeams, monkeypatch: pytest.MonkeyPatch) -> None:
    references = [write_teams(SOUND, f"team{number}/bot.py")["sound"] for number in range(3)]
    started: list[Zygote] = []

    def start(*arguments: Any) -> Zygote:
        started.append(Zygote(*arguments))
        return started[-1]

    monkeypatch.setattr(holding, "Zygote", start)
    with Cells() as cells:
        cells.foresee(references)
        assert all(shoots(open_seat(cells, reference, Isolation.SANDBOX)) for reference in references)
    assert len(started) == 1


def test_manager_and_cells_share_a_core(write_teams: WriteTeams) -> None:
    reference = write_teams(SOUND)["sound"]
    free = os.sched_getaffinity(0)
    core = max(free)
    with Cells(core=core) as cells:
        seat = open_seat(cells, reference, Isolation.PROCESS)
        zygote = cells.zygote_pid(Isolation.PROCESS)
        assert zygote is not None
        assert os.sched_getaffinity(0) == os.sched_getaffinity(seat.cell.process.pid) == {core}
        assert os.sched_getaffinity(zygote) == free
    assert os.sched_getaffinity(0) == free


def test_inline_loads_here(cells: Cells, write_teams: WriteTeams) -> None:
    reference = write_teams(SOUND)["sound"]
    assert shoots(open_seat(cells, reference, Isolation.INLINE))
    with pytest.raises(UserError, match="not a Game"):
        cells.open_turn_seat(1, reference, reference, LIMITS, Isolation.INLINE)


# Which files a team may read


def test_other_teams_are_hidden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = tmp_path / "site"
    for name in ("alpha", "beta", "game"):
        folder = install(site, name, "1.0", {name: name})
        write(site / name / "__init__.py", team_source(name))
        write(folder / "RECORD", f"{name}/__init__.py,,\n{folder.name}/METADATA,,\n../bin/{name},,\n")
    with (site / "alpha-1.0.dist-info" / "METADATA").open("a") as metadata:
        metadata.write("Requires-Dist: game (>=1) ; python_version > '3'\n")
    project = tmp_path / "editable"
    write(project / "gamma.py", team_source("gamma"))
    folder = install(site, "gamma", "1.0", {"gamma": "gamma"})
    write(folder / "RECORD", f"{folder.name}/METADATA,,\ngamma.pth,,\n")
    write(folder / "direct_url.json", f'{{"url": "file://{project}", "dir_info": {{"editable": true}}}}')
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.syspath_prepend(str(project))
    readable_paths.forget()
    try:
        own = paths_for([Source("alpha", Origin.INSTALLED, "alpha", "alpha", "1.0")])
        assert str(site) in own.readable
        assert str(project) not in own.readable
        assert {str(site / "beta"), str(site / "beta-1.0.dist-info"), str(project)} <= set(own.hidden)
        assert not any(path.startswith((str(site / "alpha"), str(site / "game"))) for path in own.hidden)
        gamma = paths_for([Source("gamma", Origin.INSTALLED, "gamma", "gamma", "1.0")])
        assert str(project) in gamma.readable
        assert str(site / "alpha") in gamma.hidden
        bot = paths_for([Source("bot", Origin.FILE, str(tmp_path / "bot.py"))])
        assert bot.readable[-1] == str(tmp_path / "bot.py")
        assert str(site / "alpha") in bot.hidden
    finally:
        readable_paths.forget()


def test_scratch_folders_of_processes_that_are_gone_are_swept(tmp_path: Path) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    uncollected = subprocess.Popen(["true"])
    os.waitid(os.P_PID, uncollected.pid, os.WEXITED | os.WNOWAIT)
    names = [f"{gone.pid}-abc", f"{gone.pid}-probe-abc", f"{uncollected.pid}-abc", f"{os.getpid()}-abc", "other-abc"]
    folders = [tmp_path / f"tiltyard-{name}" for name in names]
    for folder in folders:
        (folder / "cell").mkdir(parents=True)
    with Cells(scratch_root=str(tmp_path)) as cells:
        assert [folder.exists() for folder in folders] == [False, False, False, True, True]
        uncollected.wait()
        assert Path(cells.scratch_root).name.startswith(f"tiltyard-{os.getpid()}-")
    assert not Path(cells.scratch_root).exists()


def test_a_package_that_is_a_link_is_readable_where_it_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site, real = tmp_path / "site", tmp_path / "elsewhere" / "linked_team"
    write(real / "__init__.py", team_source("linked"))
    information = install(site, "linked-team", "1.0", {"linked": "linked_team"})
    (site / "linked_team").symlink_to(real)
    write(information / "RECORD", "linked_team/__init__.py,,\n")
    monkeypatch.syspath_prepend(str(site))
    readable_paths.forget()
    try:
        paths = paths_for([Source("linked", Origin.INSTALLED, "linked_team", "linked-team", "1.0")])
        assert str(real.resolve()) in paths.readable
    finally:
        readable_paths.forget()
