"""A control group that bounds a program's processes, where this process may make one.

For everybody but root the limit RLIMIT_NPROC does that; the kernel never holds root by it. Root can make control groups nearly
everywhere but in containers, where the watcher alone remains. Sources: cgroups(7), and the kernel's pages on the pids controller.
"""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Final

PREFIX: Final = "tiltyard-"
_numbers = itertools.count(1)


class TaskGroup:
    """A folder below the kernel's, with a limit in it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @staticmethod
    def make(most: int) -> TaskGroup | None:
        """A group for at most so many processes and threads; None where none can be made."""
        root = _root()
        if root is None:
            return None
        for group in list(_still_full):
            group.close()
        folder = root / f"{PREFIX}{os.getpid()}-{next(_numbers)}"
        try:
            folder.mkdir()
            _write(folder / "pids.max", most)
        except OSError:
            with contextlib.suppress(OSError):
                folder.rmdir()
            return None
        return TaskGroup(folder)

    def add(self, processes: Iterable[int]) -> None:
        """Put processes into it; their children will be in it as well."""
        for process in processes:
            with contextlib.suppress(OSError):
                _write(self._folder / "cgroup.procs", process)

    def close(self) -> None:
        """Remove it; where the last of its processes is not quite gone, when the next one is made."""
        try:
            self._folder.rmdir()
        except OSError:
            _still_full.add(self)
        else:
            _still_full.discard(self)


_still_full: set[TaskGroup] = set()


@cache
def _root() -> Path | None:
    """Where groups can be made; those that killed processes of ours left there are removed first."""
    for candidate in _candidates():
        trial = candidate / f"{PREFIX}{os.getpid()}-0"
        try:
            trial.mkdir()
        except OSError:
            continue
        works = (trial / "pids.max").exists()
        with contextlib.suppress(OSError):
            trial.rmdir()
        if works:
            _sweep(candidate)
            return candidate
    return None


def _sweep(root: Path) -> None:
    for folder in root.glob(f"{PREFIX}*-*"):
        owner = folder.name.removeprefix(PREFIX).partition("-")[0]
        if owner.isdecimal() and not Path("/proc", owner).exists():
            with contextlib.suppress(OSError):
                folder.rmdir()


def _candidates() -> Iterator[Path]:
    """This process's own group in the hierarchy that counts tasks, and that hierarchy's root."""
    own = _own_groups()
    for line in _lines("/proc/self/mountinfo"):
        before, _, after = line.partition(" - ")
        kind, _, options = after.partition(" ")
        if len(before.split()) < 5:
            continue
        mounted = Path(before.split()[4])
        if kind == "cgroup" and "pids" in options.split()[-1].split(","):
            yield mounted / own.get("pids", "/").lstrip("/")
            yield mounted
        elif kind == "cgroup2":
            yield mounted / own.get("", "/").lstrip("/")
            yield mounted


def _own_groups() -> dict[str, str]:
    """Controller to path; the empty name is the unified hierarchy's."""
    found: dict[str, str] = {}
    for line in _lines("/proc/self/cgroup"):
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        found |= dict.fromkeys(controllers.split(","), path)
    return found


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


def _write(path: Path, value: int) -> None:
    path.write_text(str(value), encoding="ascii")
