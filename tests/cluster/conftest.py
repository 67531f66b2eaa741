"""What all tests with a real scheduler share."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def forgotten_connections() -> Iterator[None]:
    """Dask leaves sockets of broken connections to the garbage collection, which warns of each, in whatever test it then runs."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()
