"""The folder of recorded games and robots, which is not part of the project."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

RECORDED = Path(os.environ.get("TILTYARD_CONFORMANCE") or Path(__file__).parents[4] / "shared" / "conformance") / "filler"


def recorded_file(name: str) -> Path:
    """A file of the folder; the test is skipped where there is none."""
    path = RECORDED / name
    if not path.is_file():
        pytest.skip(f"no {path}")
    return path
