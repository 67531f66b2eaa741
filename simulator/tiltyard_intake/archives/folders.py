"""The files below a folder of strangers, however deep it is, and a folder for what is unpacked."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from tiltyard_engine.errors import file_errors
from tiltyard_simulator.guard.confinement.kernel.process_status import own_prefix
from tiltyard_simulator.guard.scratch_folders import sweep_scratch

DEEPEST: Final = 100
"""Folders in folders that are looked into. ``os.walk`` calls itself for each, and ends with a traceback a few hundred deep."""


def each_file(folder: Path) -> Iterator[Path]:
    """All that is no folder, and folders that lie too deep to be looked into. Links to folders are left out."""
    waiting = [(str(folder), 0)]
    while waiting:
        above, depth = waiting.pop()
        with suppress(OSError), os.scandir(above) as listing:
            for child in listing:
                if not child.is_dir() or depth == DEEPEST:
                    yield Path(child.path)
                elif not child.is_symlink():
                    waiting.append((child.path, depth + 1))


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder for what is unpacked.

    Raises:
        UserError: there is no place for it.
    """
    parent = Path(tempfile.gettempdir())
    sweep_scratch(parent)
    with file_errors(parent, "written"):
        folder = Path(tempfile.mkdtemp(prefix=own_prefix(), dir=parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
