"""Control groups for a program's processes, if this process may make any: one limits their number, one counts their CPU time.

RLIMIT_NPROC limits everybody's processes but root's, for whom the kernel ignores it; and outside of a user namespace it counts all
tasks of the user. A group counts those of the cell alone. It also counts the CPU time of processes that nobody waited for. Root can
make control groups nearly everywhere but in containers, where only the watcher remains. Sources: cgroups(7), and the kernel's pages
on the controllers pids and cpuacct.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Final

from tiltyard_simulator.guard.confinement.kernel.process_status import folders_of_ended, own_prefix, read_small_file

_PIDS: Final = "pids"
_CPU: Final = "cpuacct"
_FILES: Final = {_PIDS: ("pids.max",), _CPU: ("cpuacct.usage", "cpu.stat")}
"""What a group of each controller has: in a hierarchy of its own, and in the unified one."""
_numbers = itertools.count(1)


class ControlGroup:
    """A folder of the kernel's for processes and all that they start."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @classmethod
    def _create(cls, controller: str) -> Path | None:
        """The folder of a new group; None if none can be made."""
        root = _root(controller)
        if root is None:
            return None
        for group in list(_still_full):
            group.close()
        folder = root / f"{own_prefix()}{next(_numbers)}"
        try:
            folder.mkdir()
        except OSError:
            return None
        return folder

    def add(self, processes: Iterable[int]) -> None:
        """Put processes into the group. Their children will be in it as well."""
        for process in processes:
            with contextlib.suppress(OSError):
                _write(self._folder / "cgroup.procs", process)

    def close(self) -> None:
        """Remove the group. If a process of it has not quite ended, it is removed when the next group is made."""
        try:
            self._folder.rmdir()
        except FileNotFoundError:
            # It was also another group's, see ``CpuGroup.make``.
            _still_full.discard(self)
        except OSError:
            _still_full.add(self)
        else:
            _still_full.discard(self)


class TaskGroup(ControlGroup):
    """Limits the number of processes and threads."""

    @staticmethod
    def make(most: int) -> TaskGroup | None:
        """A group for at most so many processes and threads; None if none can be made."""
        folder = TaskGroup._create(_PIDS)
        if folder is None:
            return None
        try:
            _write(folder / "pids.max", most)
        except OSError:
            with contextlib.suppress(OSError):
                folder.rmdir()
            return None
        return TaskGroup(folder)


class CpuGroup(ControlGroup):
    """Counts CPU time, also that of processes that have ended."""

    @staticmethod
    def make(beside: TaskGroup | None = None) -> CpuGroup | None:
        """A group; None if none can be made.

        A process is in one group only of a hierarchy. So for processes of the group ``beside``, where that counts CPU time too, it
        is the same folder.
        """
        if beside is not None and any((beside._folder / file).exists() for file in _FILES[_CPU]):
            return CpuGroup(beside._folder)
        folder = CpuGroup._create(_CPU)
        return None if folder is None else CpuGroup(folder)

    def seconds(self) -> float:
        """What all processes used since they were added; 0 if the kernel doesn't tell."""
        with contextlib.suppress(OSError, ValueError):
            return int(read_small_file(f"{self._folder}/cpuacct.usage")) / 1e9
        with contextlib.suppress(OSError, ValueError, IndexError):
            return int(read_small_file(f"{self._folder}/cpu.stat").split()[1]) / 1e6
        return 0.0


_still_full: set[ControlGroup] = set()


@cache
def _root(controller: str) -> Path | None:
    """The folder in which groups can be made. Groups that killed workers left there are removed first."""
    for candidate in _candidates(controller):
        trial = candidate / f"{own_prefix()}0"
        try:
            trial.mkdir()
        except OSError:
            continue
        works = any((trial / file).exists() for file in _FILES[controller])
        with contextlib.suppress(OSError):
            trial.rmdir()
        if works:
            for folder in folders_of_ended(candidate):
                with contextlib.suppress(OSError):
                    folder.rmdir()
            return candidate
    return None


def _candidates(controller: str) -> Iterator[Path]:
    """This process's own group in the hierarchy of the controller, and the root of that hierarchy."""
    own = _own_groups()
    for line in _lines("/proc/self/mountinfo"):
        before, _, after = line.partition(" - ")
        kind, _, options = after.partition(" ")
        if len(before.split()) < 5:
            continue
        mounted = Path(before.split()[4])
        if kind == "cgroup" and controller in options.split()[-1].split(","):
            yield mounted / own.get(controller, "/").lstrip("/")
            yield mounted
        elif kind == "cgroup2":
            yield mounted / own.get("", "/").lstrip("/")
            yield mounted


def _own_groups() -> dict[str, str]:
    """From a controller to its path. The unified hierarchy has the empty name."""
    mounts: dict[str, str] = {}
    for line in _lines("/proc/self/cgroup"):
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        mounts |= dict.fromkeys(controllers.split(","), path)
    return mounts


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


def _write(path: Path, value: int) -> None:
    path.write_text(str(value), encoding="ascii")
