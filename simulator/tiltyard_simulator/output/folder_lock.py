"""One process at a time works in a folder. The lock is the kernel's, so it ends with its process, however that ends."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path
from typing import Final, Self

from tiltyard_engine.errors import UserError, file_errors

LOCK_NAME: Final = "running.lock"


class FolderLock:
    """Held as long as the object is open.

    Args:
        folder: it must be there.
        doing: what another process does that holds it, for the message: ``running this tournament``.

    Raises:
        UserError: another process holds it, and which; or the folder cannot be written.
    """

    def __init__(self, folder: Path, doing: str) -> None:
        self.path = folder / LOCK_NAME
        with file_errors(self.path, "written"):
            self._descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.pread(self._descriptor, 100, 0).decode("ascii", "replace").strip()
            os.close(self._descriptor)
            who = f"process {holder}" if holder else "another process"
            raise UserError(f"{folder}: {who} is already {doing}; wait until it ends, or stop it", see="already-running") from error
        # On a full disk others are told only that somebody holds it.
        with suppress(OSError):
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, f"{os.getpid()}\n".encode(), 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let others in. The file stays: to remove it would let two of them hold two locks."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def is_held(folder: Path) -> bool:
    """Whether a process holds the lock of a folder."""
    try:
        with (folder / LOCK_NAME).open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        return isinstance(error, BlockingIOError)
    return False
