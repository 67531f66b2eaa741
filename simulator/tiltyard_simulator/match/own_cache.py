"""Files that this user's commands keep for each other, and that nobody else could have written."""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

FRESH_VARIABLE: Final = "TILTYARD_PROBES"
FRESH: Final = "fresh"
"""The variable's value with which nothing is kept or read."""
_OTHERS_MAY_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH


def own_cache_folder() -> Path | None:
    """The folder of these files; None if there may be none, or if it or what it would be made in is somebody else's."""
    if os.environ.get(FRESH_VARIABLE, "").strip().lower() == FRESH:
        return None
    base = os.environ.get("XDG_CACHE_HOME", "")
    try:
        folder = (Path(base) if base.startswith("/") else Path.home() / ".cache") / "tiltyard"
        there = next(place for place in (folder, *folder.parents) if place.exists())
        about = there.stat()
    except (OSError, RuntimeError):
        return None
    is_own = about.st_uid == os.getuid() and not (there == folder and about.st_mode & _OTHERS_MAY_WRITE)
    return folder if is_own else None


def write_own(path: Path, data: bytes) -> None:
    """Write a file of the folder, whole or not at all: another command may be reading. Where that fails, there is none."""
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Made for this user alone.
        descriptor, name = tempfile.mkstemp(prefix=f".{path.stem}-", dir=path.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


def read_own(path: Path, most: int) -> bytes:
    """The bytes of a regular file of at most so many bytes that nobody but this user can have written.

    Raises:
        OSError: it cannot be read, or isn't such a file.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        about = os.fstat(descriptor)
        is_own = stat.S_ISREG(about.st_mode) and about.st_uid == os.getuid() and not about.st_mode & _OTHERS_MAY_WRITE
        if not is_own or about.st_size > most:
            raise PermissionError(f"{path}: not written by this user alone")
        return file.read(most)


def stamp_of(path: str | None) -> str:
    """A file's path, and what changes when it is replaced."""
    if path is None:
        return "none"
    try:
        about = Path(path).stat()
    except OSError as error:
        return f"{path} {error.strerror}"
    return f"{path} {about.st_dev} {about.st_ino} {about.st_mtime_ns} {about.st_size} {about.st_mode:o} {about.st_uid}"
