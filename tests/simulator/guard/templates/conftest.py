"""Pools whose cells come from templates, at each level that this machine has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache

import pytest

from tiltyard_simulator.guard.cell_pool import TEMPLATES_VARIABLE, CellPool
from tiltyard_simulator.guard.confinement.probes import probe_confinement
from tiltyard_simulator.guard.policy import Level

LEVELS = (Level.A, Level.B)


@pytest.fixture(scope="session")
def pool_at(in_any_test: tuple[str, ...]) -> Iterator[Callable[[Level, str], CellPool]]:
    """One for all tests, of each level with templates "on" or "off"."""

    @cache
    def opened(level: Level, templates: str) -> CellPool:
        with pytest.MonkeyPatch.context() as patched:
            patched.setenv(TEMPLATES_VARIABLE, templates)
            return stack.enter_context(CellPool(level=level, readable=in_any_test))

    with ExitStack() as stack:
        yield opened


@pytest.fixture(params=LEVELS)
def pool(request: pytest.FixtureRequest, pool_at: Callable[[Level, str], CellPool]) -> Iterator[CellPool]:
    best = probe_confinement().level
    if best > request.param:
        pytest.skip(f"this machine confines at level {best}")
    yield pool_at(request.param, "on")
    pool_at(request.param, "on").end_match()


@pytest.fixture
def pool_without(pool: CellPool, pool_at: Callable[[Level, str], CellPool]) -> Iterator[CellPool]:
    """One of the same level, whose cells load their teams themselves."""
    yield pool_at(pool.confinement.level, "off")
    pool_at(pool.confinement.level, "off").end_match()
