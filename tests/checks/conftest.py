"""Checks of teams and of runs are called in the tests' own process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.simulator.lent_zygotes import lent_zygotes

from tiltyard_engine.registry import Registry


@pytest.fixture(autouse=True)
def _lent_zygotes(registry: Registry, in_any_test: tuple[str, ...]) -> Iterator[None]:
    with lent_zygotes(registry, in_any_test):
        yield
