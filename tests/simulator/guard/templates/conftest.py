"""Pools whose cells come from templates, at each level that this machine has."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tiltyard_simulator.guard.cell_pool import TEMPLATES_VARIABLE, CellPool
from tiltyard_simulator.guard.confinement.probes import probe_confinement
from tiltyard_simulator.guard.policy import Level

LEVELS = (Level.A, Level.B)


@pytest.fixture(params=LEVELS, scope="module")
def pool(request: pytest.FixtureRequest, in_any_test: tuple[str, ...]) -> Iterator[CellPool]:
    """Closed at the end of the file."""
    best = probe_confinement().level
    if best > request.param:
        pytest.skip(f"this machine confines at level {best}")
    with CellPool(level=request.param, readable=in_any_test) as cells:
        yield cells
        cells.end_match()


@pytest.fixture(scope="module")
def pool_without(pool: CellPool, in_any_test: tuple[str, ...]) -> Iterator[CellPool]:
    """One of the same level, whose cells load their teams themselves."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv(TEMPLATES_VARIABLE, "off")
        cells = CellPool(level=pool.confinement.level, readable=in_any_test)
    with cells:
        yield cells
        cells.end_match()
