"""A core for each match worker of a machine, whose Dask workers know nothing of each other."""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tiltyard_simulator.guard.workers import usable_cores

NO_CORE: Final = -1


@dataclass(slots=True)
class CoreClaim:
    """A core that is this process's until it gives it back or ends."""

    core: int
    """``NO_CORE`` where all are taken: the machine then shares out better."""
    _file: int = -1

    def give_back(self) -> None:
        """Let others have it."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def claim_core() -> CoreClaim:
    """The first core that no match worker of a cluster has on this machine. The kernel ends a claim with its process."""
    folder = Path(tempfile.gettempdir(), f"tiltyard-cores-{os.getuid()}")
    for core in usable_cores():
        file = -1
        with contextlib.suppress(OSError):
            folder.mkdir(mode=0o700, exist_ok=True)
            file = os.open(folder / str(core), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return CoreClaim(core, file)
        if file >= 0:
            os.close(file)
    return CoreClaim(NO_CORE)
