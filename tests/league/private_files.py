"""What others on the machine can read of a league, where the umask would let them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tiltyard_league.database.private import open_to_others

PUT_THERE = {"league.yaml", "maps"}
"""What staff put into the folder themselves."""


@pytest.fixture
def open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def read_by_others(folder: Path) -> list[str]:
    return [
        str(path.relative_to(folder)) for path in open_to_others(path for path in folder.iterdir() if path.name not in PUT_THERE)
    ]
