"""Environments: nothing of the runner's own reaches a team."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

CLEAN: Final[Mapping[str, str]] = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "PYTHONUTF8": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONNOUSERSITE": "1",
    # The order of a set of strings must not differ between two runs of the same match.
    "PYTHONHASHSEED": "0",
    # Threads are denied; libraries that start one a core on import would complain, or give up.
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}
"""For a zygote: its environment can be read in its cells' memory, so it must be clean from the start."""


def cell_environment(scratch: str) -> dict[str, str]:
    """For a cell: its home and temporary folder are its scratch folder."""
    return {**CLEAN, "HOME": scratch, "TMPDIR": scratch}


def set_environment(scratch: str) -> None:
    """Make it this process's; in a zygote with a clean one little is left to change."""
    wanted = cell_environment(scratch)
    now = dict(os.environ)
    for name in now.keys() - wanted.keys():
        del os.environ[name]
    for name, value in wanted.items():
        if now.get(name) != value:
            os.environ[name] = value
