"""The memory of a compiled team's cell holds nothing of another compiled team."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.plugins.tanks_native.compiled import Files
from tests.simulator.guard.conftest import open_tanks
from tests.simulator.guard.reading_memory import found_in, zygote_of

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.lookup import choose
from tiltyard_engine.registry.registry import ALGORITHM
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.guard.confinement.probes import probe_confinement
from tiltyard_simulator.guard.policy import Level
from tiltyard_simulator.match.isolation import Isolation

MOST_WRITTEN = 1 << 20
RIVAL, OWN = "script_74110815", "script_2"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root reads the memory of a cell")
@pytest.mark.parametrize(
    ("isolation", "level"), [(Isolation.SANDBOX, Level.A), (Isolation.SANDBOX, Level.B), (Isolation.PROCESS, Level.C)]
)
def test_of_compiled_teams(files: Files, installed: Registry, library: Path, isolation: Isolation, level: Level) -> None:
    assert library.is_file()
    if isolation is Isolation.SANDBOX:
        try:
            probe_confinement(level)
        except UserError as error:
            pytest.skip(str(error))
    with CellPool(level=level) as pool:
        teams = [choose(str(files.algorithm(word)), ALGORITHM, installed, "tanks") for word in (RIVAL, OWN)]
        pool.preload(teams)
        for _ in range(2):
            for team in teams:
                seat = open_tanks(pool, 1, team, isolation)
                seat.create_tank(0)
                assert seat.fault is None
            process = pool._playing[-1][0].process.pid
            assert found_in(process, f"Algorithm_{OWN}"), "what was planted can be found"
            assert found_in(process, RIVAL) == []
            assert found_in(zygote_of(process), RIVAL, f"Algorithm_{OWN}") == []
            # Python's objects are not even copied.
            assert isolation is Isolation.PROCESS or bytes_written(process) < MOST_WRITTEN
            pool.end_match()


def bytes_written(process: int) -> int:
    """How much memory a process has of its own."""
    lines = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith("Private_Dirty:"))
