"""Within a command, the zygotes that plugins were described in serve the first match."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, nullcontext
from pathlib import Path

import pytest
from tests.conftest import DUEL, map_text
from tests.made_specs import made_spec

from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.registry import Reference
from tiltyard_engine.registry.registry import ALGORITHM, Registry
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.guard.cells.zygote import Zygote
from tiltyard_simulator.guard.confinement.probes import probe_confinement
from tiltyard_simulator.guard.handover import HANDOVER, Handover
from tiltyard_simulator.guard.policy import Level
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import MapSource
from tiltyard_simulator.play.arena import play_match
from tiltyard_simulator.play.workers import WorkerExecutor
from tiltyard_simulator.registry.guarded_registry import GuardedLoader
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy

TEAM = """\
from tiltyard_engine import ActionRequest, Player, TankAlgorithm, hookimpl
{top}


class Tank(TankAlgorithm):
    def __init__(self, player, tank):
        pass

    def get_action(self):
        return ActionRequest.DO_NOTHING

    def update_battle_info(self, info):
        pass


class Idler(Player):
    def __init__(self, player, x, y, steps, shells):
        pass

    def update_tank_with_battle_info(self, tank, view):
        pass


@hookimpl
def algorithms():
    yield Team("{name}", Idler, Tank)
"""


@pytest.fixture
def describe_and_play(tanks: Reference, reference_manager: Reference, tmp_path: Path) -> Callable[[str], MatchRecord]:
    """Describes two teams in cells and plays them, as a command does that is given their files."""
    if probe_confinement().level is Level.C:
        pytest.skip("no sandbox works here")

    def write(name: str, top: str) -> Path:
        path = tmp_path / f"{name}.py"
        path.write_text(TEAM.format(name=name, top=top))
        return path

    def play(top: str) -> MatchRecord:
        loader = GuardedLoader(IsolationPolicy(Isolation.SANDBOX))
        files = [write(name, top) for name in ("one", "two")]
        teams = [entry.reference for entry in Registry.from_paths(files, loader).all(ALGORITHM)]
        spec = made_spec(
            game=tanks,
            manager=reference_manager,
            map=MapSource("duel", map_text(DUEL, 20, 5).encode()),
            teams=tuple(teams),
            isolations=(Isolation.SANDBOX,) * 2,
        )
        return play_match(spec)

    return play


SAYS_SO = "from tiltyard_engine import TankTeam as Team"


@pytest.mark.parametrize(
    ("top", "in_command", "number"),
    [
        (SAYS_SO, True, 1),
        (f"import numpy\n{SAYS_SO}", True, 1),
        (SAYS_SO, False, 2),
        # Only the description shows its game, which a zygote for matches imports.
        ("import tiltyard_engine\nTeam = getattr(tiltyard_engine, 'Tank' + 'Team')", True, 2),
    ],
)
def test_one_zygote_serves_a_command(
    describe_and_play: Callable[[str], MatchRecord], zygotes: list[Zygote], top: str, in_command: bool, number: int
) -> None:
    with HANDOVER.one_command() if in_command else nullcontext():
        record = describe_and_play(top)
        assert (record.outcome.faults, {way.partition(",")[0] for way in record.outcome.held}) == ((), {"sandbox"})
        assert len(zygotes) == number
        assert not any(zygote.is_alive for zygote in zygotes)


def test_what_nobody_takes_is_closed() -> None:
    handover, cells = Handover(), [CellPool(reserve=0) for _ in range(4)]
    handover.leave(cells[0])
    with handover.one_command():
        with ThreadPoolExecutor(1) as other_thread:
            other_thread.submit(handover.leave, cells[1]).result()
        handover.leave(cells[2])
        handover.leave(cells[3])
        assert [Path(each.scratch_root).exists() for each in cells] == [False, False, False, True]
        process = os.fork()
        if process == 0:
            os._exit(int(handover.take() is not None))
        assert os.waitpid(process, 0)[1] == 0
    assert not Path(cells[3].scratch_root).exists()
    assert handover.take() is None


def test_workers_have_zygotes_of_their_own() -> None:
    cells = CellPool(reserve=0)
    with HANDOVER.one_command(), closing(WorkerExecutor(workers=1)) as executor:
        HANDOVER.leave(cells)
        executor.begin()
        assert not Path(cells.scratch_root).exists()
