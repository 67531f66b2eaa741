"""All processes of a program: how many, their memory, their CPU time; and a watcher that ends a program that goes too far.

A program may start others. Whatever these do to hide, they stay below the cell's process in the tree: where a parent ends, its
children become the launcher's. Sources: proc(5).
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tiltyard_engine.results import Termination
from tiltyard_simulator.guard.cpu_clock import cpu_clock, cpu_seconds
from tiltyard_simulator.guard.limits import Limits

LOOK_SECONDS: Final = 0.02
"""Between two looks of the watcher."""
TICKS_A_SECOND: Final = os.sysconf("SC_CLK_TCK")
KERNEL_LISTS_CHILDREN: Final = Path(f"/proc/self/task/{os.getpid()}/children").exists()
"""Built with CONFIG_PROC_CHILDREN, as most are."""
KILL_SECONDS: Final = 2.0
_LARGEST_FILE: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class Usage:
    """What a program's processes hold at one moment."""

    tasks: int
    """Processes and threads."""
    memory_bytes: int
    """Memory that is no file's; what several share counts for each."""


def children_of(process: int) -> list[int]:
    """The children of all its threads; none if it is gone."""
    if not KERNEL_LISTS_CHILDREN:
        return _children_by_search(process)
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{process}/task"):  # noqa: PTH208 -- names alone, and often
            # A thread that has just ended has handed its children to the next one.
            with contextlib.suppress(OSError):
                found += [int(word) for word in _read(f"/proc/{process}/task/{task}/children").split()]
    return found


def descendants_of(process: int) -> Iterator[int]:
    """All below it in the tree, parents first; it may change meanwhile."""
    waiting = children_of(process)
    while waiting:
        child = waiting.pop()
        yield child
        waiting += children_of(child)


def look_at(process: int, most_tasks: int) -> Usage:
    """What all below ``process`` hold; looking ends once there are more than ``most_tasks``."""
    tasks = memory = 0
    for child in descendants_of(process):
        with contextlib.suppress(OSError, ValueError):
            count, held = _threads_and_memory(child)
            tasks += count
            memory += held
        if tasks > most_tasks:
            break
    return Usage(tasks, memory)


def proportional_memory(process: int) -> int:
    """Bytes of memory held by all below ``process``, what several share counted once; it takes the kernel some time."""
    total = 0
    for child in descendants_of(process):
        with contextlib.suppress(OSError, ValueError):
            fields = _fields(f"/proc/{child}/smaps_rollup", (b"Pss_Anon", b"Pss_Shmem"))
            total += sum(fields.values()) << 10
    return total


class CpuMeter:
    """CPU seconds of all below ``process``, those of ended ones included as far as somebody waited for them.

    Living ones count exactly, ended ones in ticks of the kernel's clock, which are 10 ms.
    """

    def __init__(self, process: int) -> None:
        self._process = process
        self._clocks: list[int] = []
        self._waited_for = 0.0

    def look(self) -> float:
        """Look at all processes."""
        self._clocks.clear()
        self._waited_for = waited_for(self._process)
        total = 0.0
        for child in descendants_of(self._process):
            clock = cpu_clock(child)
            total += cpu_seconds(clock) or 0.0
            self._clocks.append(clock)
            self._waited_for += waited_for(child)
        return total + self._waited_for

    def glance(self) -> float:
        """Look only at processes that were there at the last look: microseconds where ``look`` takes a tenth of a millisecond."""
        total = self._waited_for
        for clock in self._clocks:
            seconds = cpu_seconds(clock)
            if seconds is None:
                return self.look()
            total += seconds
        return total


def kill_tree(process: int, seconds: float = KILL_SECONDS) -> bool:
    """Kill all below ``process``, which must be able to become the parent of their orphans; whether none is left."""
    until = time.monotonic() + seconds
    while left := [child for child in descendants_of(process) if not _is_zombie(child)]:
        if time.monotonic() > until:
            return False
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for child in left:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(child, number)
    return True


class Watcher:
    """Looks at a program's processes all the time, also while it is not asked anything.

    Args:
        process: all below it is the program's.
        limits: how much that may be.
        end: called once, with the verdict, from the watcher's own thread.
    """

    def __init__(self, process: int, limits: Limits, end: Callable[[Termination, str], None]) -> None:
        self.peak_bytes = 0
        """The most memory that was seen."""
        self._process = process
        self._limits = limits
        self._end = end
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._watch, name=f"watcher of {process}", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Look no more."""
        self._stopped.set()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _watch(self) -> None:
        while not self._stopped.wait(LOOK_SECONDS):
            verdict = self._look()
            if verdict is not None and not self._stopped.is_set():
                self._end(*verdict)
                return

    def _look(self) -> tuple[Termination, str] | None:
        limits = self._limits
        usage = look_at(self._process, limits.program_processes)
        if usage.tasks > limits.program_processes:
            return Termination.CRASH, f"more than {limits.program_processes} processes and threads: killed"
        held = usage.memory_bytes
        if held > limits.memory_bytes:
            held = proportional_memory(self._process) or held
        self.peak_bytes = max(self.peak_bytes, held)
        if held > limits.memory_bytes:
            return Termination.OUT_OF_MEMORY, f"killed while it held {held >> 20} MiB, the limit is {limits.memory_bytes >> 20} MiB"
        return None


def _threads_and_memory(process: int) -> tuple[int, int]:
    fields = _fields(f"/proc/{process}/status", (b"Threads", b"RssAnon", b"RssShmem"))
    return fields.get(b"Threads", 0), (fields.get(b"RssAnon", 0) + fields.get(b"RssShmem", 0)) << 10


def _fields(path: str, names: tuple[bytes, ...]) -> dict[bytes, int]:
    """Numbers of lines such as ``RssAnon:    1234 kB``."""
    found: dict[bytes, int] = {}
    for line in _read(path).split(b"\n"):
        name, _, value = line.partition(b":")
        if name in names:
            found[name] = int(value.split()[0])
    return found


def _stat(process: int) -> list[bytes]:
    """The fields of its stat file from the third on; the second may hold anything."""
    return _read(f"/proc/{process}/stat").rpartition(b")")[2].split()


def _is_zombie(process: int) -> bool:
    try:
        return _stat(process)[0] in (b"Z", b"X")
    except (OSError, IndexError):
        return True


def waited_for(process: int) -> float:
    """CPU seconds of the children that a process has waited for, in ticks."""
    try:
        fields = _stat(process)
        return (int(fields[13]) + int(fields[14])) / TICKS_A_SECOND
    except (OSError, IndexError, ValueError):
        return 0.0


def _children_by_search(parent: int) -> list[int]:
    found: list[int] = []
    for name in os.listdir("/proc"):  # noqa: PTH208 -- likewise
        if name.isdecimal():
            with contextlib.suppress(OSError, IndexError):
                if int(_stat(int(name))[1]) == parent:
                    found.append(int(name))
    return found


def _read(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(descriptor, _LARGEST_FILE)
    finally:
        os.close(descriptor)
