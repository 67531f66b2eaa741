"""The holder of cells: reserve, new zygotes, nothing left behind."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.engine.making import install, team_source, write
from tests.simulator.guard.conftest import WriteTeams, open_tanks, zygote_pid

from tiltyard_engine.errors import UserError
from tiltyard_engine.records import Game, GameMaps
from tiltyard_engine.registry import Reference, Source
from tiltyard_engine.registry.sources import Origin
from tiltyard_engine.results import Termination
from tiltyard_engine.tanks import ActionRequest
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.guard.cells.cell_port import SeatSpec
from tiltyard_simulator.guard.cells.zygote import Zygote
from tiltyard_simulator.guard.confinement import readable_paths
from tiltyard_simulator.guard.confinement.probes import probe_confinement
from tiltyard_simulator.guard.confinement.readable_paths import paths_for
from tiltyard_simulator.guard.policy import Level
from tiltyard_simulator.guard.seats import TURNS
from tiltyard_simulator.guard.templates.family import MOST_OF_A_TEAM
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import Limits

CELLS = (Isolation.PROCESS, Isolation.SANDBOX)
SOUND = "\n@hookimpl\ndef algorithms():\n    yield team('sound')\n"
LIMITS = Limits()


def open_seat(cells: CellPool, reference: Reference, isolation: Isolation) -> Any:
    return open_tanks(cells, 1, reference, isolation, limits=LIMITS)


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
    """Descriptors, processes and scratch folders after 18 matches are those after 6."""
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
    with CellPool(scratch_root=str(tmp_path)) as cells:
        scratch_root = cells.scratch_root
        play(6)
        first = left()
        zygote = zygote_pid(cells, isolation)
        play(12)
        # Some descriptors of spare cells may still be on their way.
        assert all(abs(now - then) <= 4 for now, then in zip(left(), first))
        # Two spare cells at most for either team, and in a sandbox its templates.
        assert eventually(lambda: len(descendants(zygote)) <= 4 + 2 * MOST_OF_A_TEAM)
        family = [zygote, *descendants(zygote)]
    assert descriptors() == before
    assert not Path(scratch_root).exists()
    assert eventually(lambda: not any(Path(f"/proc/{pid}").exists() for pid in family))


def descendants(pid: int) -> list[int]:
    found: list[int] = []
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except (FileNotFoundError, ProcessLookupError):
        # Cells end while nobody waits for them.
        return []
    for child in children:
        found += [int(child), *descendants(int(child))]
    return found


@pytest.mark.parametrize("isolation", CELLS)
def test_a_killed_zygote_is_the_machines_fault_and_the_next_match_has_a_new_one(
    cells: CellPool, write_teams: WriteTeams, isolation: Isolation
) -> None:
    reference = write_teams(SOUND)["sound"]
    seat = open_seat(cells, reference, isolation)
    tank = seat.create_tank(0)
    zygote = zygote_pid(cells, isolation)
    os.kill((descendants(zygote) or [zygote])[0] if isolation is Isolation.SANDBOX else zygote, signal.SIGKILL)
    assert eventually(lambda: tank.get_action() is ActionRequest.DO_NOTHING)
    assert seat.fault.termination is Termination.VOID
    cells.end_match()
    assert shoots(open_seat(cells, reference, isolation))


def test_cells_are_kept_ready(cells: CellPool, write_teams: WriteTeams) -> None:
    reference = write_teams(SOUND)["sound"]
    for _ in range(30):
        cells.take(reference.source, LIMITS, Isolation.PROCESS)
    cells.end_match()
    assert eventually(lambda: len(descendants(zygote_pid(cells, Isolation.PROCESS))) <= 20)
    assert shoots(open_seat(cells, reference, Isolation.PROCESS))
    first = open_seat(cells, reference, Isolation.PROCESS).port.cell.process.pid
    cells.end_match()
    seats = [open_seat(cells, reference, Isolation.PROCESS) for _ in range(3)]
    assert all(shoots(seat) for seat in seats)
    assert first not in [seat.port.cell.process.pid for seat in seats]


def test_a_match_that_is_foreseen_costs_one_zygote(write_teams: WriteTeams, zygotes: list[Zygote]) -> None:
    references = [write_teams(SOUND, f"team{number}/bot.py")["sound"] for number in range(3)]
    with CellPool() as cells:
        cells.preload(references)
        assert all(shoots(open_seat(cells, reference, Isolation.SANDBOX)) for reference in references)
    assert len(zygotes) == 1


def test_manager_and_cells_share_a_core(write_teams: WriteTeams) -> None:
    reference = write_teams(SOUND)["sound"]
    free = os.sched_getaffinity(0)
    core = max(free)
    with CellPool(core=core) as cells:
        seat = open_seat(cells, reference, Isolation.PROCESS)
        zygote = zygote_pid(cells, Isolation.PROCESS)
        assert os.sched_getaffinity(0) == os.sched_getaffinity(seat.port.cell.process.pid) == {core}
        assert os.sched_getaffinity(zygote) == free
    assert os.sched_getaffinity(0) == free


def test_inline_loads_here(cells: CellPool, write_teams: WriteTeams) -> None:
    reference = write_teams(SOUND)["sound"]
    assert shoots(open_seat(cells, reference, Isolation.INLINE))
    nim: Game[None] = Game(name="nim", seats=range(2, 3), maps=GameMaps(lambda name, data, seats: None))
    with pytest.raises(UserError, match="'sound' has a Player and tanks, but the game nim has none"):
        cells.open_seat(TURNS, SeatSpec(index=1, team=reference, setting=nim))


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
    write(project / "pyproject.toml", '[project]\nname = "Gamma"\n')
    folder = install(site, "gamma", "1.0", {"gamma": "gamma"})
    write(folder / "RECORD", f"{folder.name}/METADATA,,\ngamma.pth,,\n")
    write(folder / "direct_url.json", f'{{"url": "file://{project}", "dir_info": {{"editable": true}}}}')
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.syspath_prepend(str(project))
    readable_paths.forget()
    try:
        alpha, game = (
            Source(name=name, origin=Origin.INSTALLED, value=name, distribution=name, version="1.0") for name in ("alpha", "game")
        )
        own = paths_for([alpha], [game])
        assert str(site) in own.readable
        assert str(project) not in own.readable
        assert {str(site / "beta"), str(site / "beta-1.0.dist-info"), str(project)} <= set(own.hidden)
        assert not any(path.startswith((str(site / "alpha"), str(site / "game"))) for path in own.hidden)
        gamma = paths_for([Source(name="gamma", origin=Origin.INSTALLED, value="gamma", distribution="gamma", version="1.0")])
        assert str(project) in gamma.readable
        assert str(site / "alpha") in gamma.hidden
        bot = paths_for([Source(name="bot", origin=Origin.FILE, value=str(tmp_path / "bot.py"))])
        assert bot.readable[-1] == str(tmp_path / "bot.py")
        assert str(site / "alpha") in bot.hidden
    finally:
        readable_paths.forget()


def test_a_package_that_is_a_link_is_readable_where_it_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site, real = tmp_path / "site", tmp_path / "elsewhere" / "linked_team"
    write(real / "__init__.py", team_source("linked"))
    information = install(site, "linked-team", "1.0", {"linked": "linked_team"})
    (site / "linked_team").symlink_to(real)
    write(information / "RECORD", "linked_team/__init__.py,,\n")
    monkeypatch.syspath_prepend(str(site))
    readable_paths.forget()
    try:
        paths = paths_for(
            [Source(name="linked", origin=Origin.INSTALLED, value="linked_team", distribution="linked-team", version="1.0")]
        )
        assert str(real.resolve()) in paths.readable
    finally:
        readable_paths.forget()


NESTING = """
import os

def nest():
    for _ in range(1200):
        os.mkdir("folder")
        os.chdir("folder")
    return ActionRequest.SHOOT

if {at_import} and "/tiltyard-" in os.getcwd():
    nest()

@hookimpl
def algorithms():
    yield team("nesting", None if {at_import} else nest)
    yield team("sound")
"""


@pytest.mark.parametrize("at_import", [True, False])
def test_a_team_that_nests_folders_harms_nobody(write_teams: WriteTeams, at_import: bool) -> None:
    """At level B its scratch folder is a plain one, which somebody has to remove."""
    if probe_confinement().level > Level.B:
        pytest.skip("this machine confines nothing")
    teams = write_teams(NESTING.format(at_import=at_import))
    with CellPool(level=Level.B) as cells:
        seats = [open_seat(cells, teams[name], Isolation.SANDBOX) for name in ("nesting", "sound")]
        for seat in seats:
            tank = seat.create_tank(0)
            assert [tank.get_action() for _ in range(2)] == [ActionRequest.SHOOT] * 2, seat.fault
        cells.end_match()
        assert shoots(open_seat(cells, teams["sound"], Isolation.SANDBOX))
        cells.end_match()
        assert list(Path(cells.scratch_root).glob("*/folder")) == []
