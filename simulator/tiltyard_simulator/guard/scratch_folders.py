"""Scratch folders of workers: removed with what they hold, also those that a killed worker left."""

from __future__ import annotations

import os
import secrets
import shutil
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from tiltyard_simulator.guard.confinement.process_status import folders_of_ended

BETWEEN_SWEEPS: Final = 0.02


def remove(folder: str) -> None:
    """Remove a folder with all that it holds, or as much of it as possible."""
    try:
        shutil.rmtree(folder, ignore_errors=True)
    except RecursionError:
        # Before Python 3.13 it calls itself for each folder in a folder, and a team may nest thousands.
        with suppress(OSError, RecursionError):
            _flatten(folder)
            shutil.rmtree(folder, ignore_errors=True)


def _flatten(folder: str) -> None:
    """Move all folders below a folder up into it. Raises OSError if it is gone."""
    top = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        waiting = os.listdir(top)  # noqa: PTH208 -- by descriptor
        while waiting:
            with suppress(OSError):
                inner = os.open(waiting.pop(), os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=top)
                try:
                    with os.scandir(inner) as entries:
                        nested = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
                    for name in nested:
                        moved = secrets.token_hex(16)
                        os.rename(name, moved, src_dir_fd=inner, dst_dir_fd=top)
                        waiting.append(moved)
                finally:
                    os.close(inner)
    finally:
        os.close(top)


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
