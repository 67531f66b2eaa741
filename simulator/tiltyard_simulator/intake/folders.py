"""The files below a folder of strangers, however deep it is."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

DEEPEST: Final = 100
"""Folders in folders that are looked into. ``os.walk`` calls itself for each, and ends with a traceback some hundred deep."""


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
