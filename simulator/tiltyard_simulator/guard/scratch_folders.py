"""Scratch folders of workers: removed with what they hold, also those that a killed worker left."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Final

from tiltyard_simulator.guard.confinement.folder_removal import remove
from tiltyard_simulator.guard.confinement.kernel.process_status import folders_of_ended

BETWEEN_SWEEPS: Final = 0.02


def sweep_scratch(root: Path, patience: float = 0.0) -> None:
    """Remove the scratch folders of workers that were killed.

    Args:
        root: where they are.
        patience: how many seconds to go on while something is left. Cells outlive their worker by a moment, and may still write.
    """
    until = time.monotonic() + patience
    while left := [folder for folder in folders_of_ended(root) if _is_own(folder)]:
        for folder in left:
            remove(str(folder))
        if time.monotonic() >= until:
            return
        time.sleep(BETWEEN_SWEEPS)


def _is_own(folder: Path) -> bool:
    try:
        return folder.stat().st_uid == os.getuid()
    except OSError:
        # Another worker may be sweeping too.
        return False
