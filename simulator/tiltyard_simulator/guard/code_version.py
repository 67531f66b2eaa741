"""Whether a team's code has changed on the disk while this process runs."""

from __future__ import annotations

import contextlib
import hashlib
from itertools import islice
from pathlib import Path
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry.sources import Origin, Source
from tiltyard_simulator.match.code_digest import files_below

MOST_FILES: Final = 100
"""A larger team is looked at in part: this is asked before each match."""


def code_version(source: Source) -> str:
    """Changes with the times and sizes of a source's files. Empty for an installed distribution, which stays as it is."""
    if source.origin is Origin.INSTALLED:
        return ""
    root = Path(source.folder or source.value)
    versions: list[str] = []
    # What cannot be read is told when it is loaded.
    with contextlib.suppress(OSError, UserError):
        for file in islice(files_below(root), MOST_FILES):
            status = file.stat()
            versions.append(f"{status.st_ino}-{status.st_mtime_ns}-{status.st_ctime_ns}-{status.st_size}")
    return hashlib.blake2b(" ".join(versions).encode(), digest_size=16).hexdigest()
