"""All processes of a team: how many, their memory, their CPU time. A watcher ends a team that exceeds its limits.

A program may start other processes. They cannot leave the tree below the cell's process: when a parent ends, its children become
the launcher's children. Those of a Python team become the zygote's children, but stay in the session of their cell, which the
filter lets nobody leave. Source: proc(5).
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from tiltyard_engine.results import Termination
from tiltyard_simulator.guard.confinement.kernel.control_groups import CpuGroup
from tiltyard_simulator.guard.confinement.kernel.process_status import (
    PARENT,
    cpu_clock,
    cpu_seconds,
    has_ended,
    read_small_file,
    stat_fields,
)
from tiltyard_simulator.guard.confinement.kernel.rlimits import OPEN_FILES
from tiltyard_simulator.match.limits import Limits

LOOK_SECONDS: Final = 0.02
"""Between two checks by the watcher."""
TICKS_A_SECOND: Final = os.sysconf("SC_CLK_TCK")
KERNEL_LISTS_CHILDREN: Final = Path(f"/proc/self/task/{os.getpid()}/children").exists()
"""Most kernels do: those built with CONFIG_PROC_CHILDREN."""
KILL_SECONDS: Final = 2.0
SOCKET_BYTES: Final = 212_992
"""What one end of a pair of sockets holds at most: net.core.wmem_default, as nearly all machines have it."""
_SESSION: Final = 3
"""The place of a process's session among its ``stat_fields``."""


def children_of(process: int) -> list[int]:
    """The children of all threads of a process; none if it is gone."""
    if not KERNEL_LISTS_CHILDREN:
        return _children_by_search(process)
    tasks: list[int] = []
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{process}/task"):  # noqa: PTH208 -- names alone, and often
            # A thread that has just ended has passed its children to the next one.
            with contextlib.suppress(OSError):
                tasks += [int(word) for word in read_small_file(f"/proc/{process}/task/{task}/children").split()]
    return tasks


def descendants_of(process: int) -> Iterator[int]:
    """All processes below it in the tree, parents first. The tree may change meanwhile."""
    waiting = children_of(process)
    while waiting:
        child = waiting.pop()
        yield child
        waiting += children_of(child)


def tasks_and_memory(process: int, most_tasks: int) -> tuple[int, int, int]:
    """What the processes below ``process`` hold: how many processes and threads they are, bytes of memory, open descriptors.

    Memory is what is no file's, and counts for each that shares it. Of descriptors, it is as many as there may be at most. Counting
    ends once there are more tasks than ``most_tasks``.
    """
    tasks = memory = descriptors = 0
    for child in descendants_of(process):
        with contextlib.suppress(OSError):
            # Since Linux 6.2; before it, the size is 0.
            descriptors += os.stat(f"/proc/{child}/fd").st_size or OPEN_FILES  # noqa: PTH116 -- often
        with contextlib.suppress(OSError, ValueError):
            fields = _fields(f"/proc/{child}/status", (b"Threads", b"RssAnon", b"RssShmem"))
            tasks += fields.get(b"Threads", 0)
            memory += (fields.get(b"RssAnon", 0) + fields.get(b"RssShmem", 0)) << 10
        if tasks > most_tasks:
            break
    return tasks, memory, descriptors


def memory_in_sockets(process: int) -> int:
    """How many bytes the sockets of all processes below ``process`` may hold, which count as nobody's memory."""
    sockets: set[str] = set()
    hidden = 0
    for child in descendants_of(process):
        try:
            numbers = os.listdir(f"/proc/{child}/fd")  # noqa: PTH208 -- names alone
        except FileNotFoundError:
            continue
        except OSError:
            hidden += OPEN_FILES
            continue
        for number in numbers:
            with contextlib.suppress(OSError):
                sockets.add(os.readlink(f"/proc/{child}/fd/{number}"))  # noqa: PTH115 -- likewise
    return (hidden + sum(name.startswith("socket:") for name in sockets)) * SOCKET_BYTES


def tasks_of_session(leader: int, most: int) -> int:
    """How many processes and threads a cell's process and all that it started are; 0 if it is gone.

    Counting ends once there are more than ``most``.
    """
    tasks = 0
    for top in (leader, *orphans_of_session(leader)):
        tasks += _threads_of(top) + tasks_and_memory(top, most)[0]
        if tasks > most:
            break
    return tasks


def orphans_of_session(leader: int) -> list[int]:
    """The processes of a cell's session whose own parent has ended, so that they are the zygote's children now."""
    fields = stat_fields(leader)
    if not fields:
        return []
    return [child for child in children_of(int(fields[PARENT])) if child != leader and _session_of(child) == leader]


def proportional_memory(process: int) -> int:
    """Bytes of memory of all processes below ``process``. Shared memory counts once, which takes the kernel some time."""
    total = 0
    for child in descendants_of(process):
        with contextlib.suppress(OSError, ValueError):
            fields = _fields(f"/proc/{child}/smaps_rollup", (b"Pss_Anon", b"Pss_Shmem"))
            total += sum(fields.values()) << 10
    return total


class CpuMeter:
    """CPU seconds of all processes below ``process``, including ended ones.

    Running processes count exactly, ended ones in ticks of the kernel's clock, usually 10 ms. A parent that ignores SIGCHLD waits
    for nobody. With a ``group``, what such children used is known. Otherwise it counts as far as ``look`` saw it while they lived.
    """

    def __init__(self, process: int, group: CpuGroup | None = None) -> None:
        self._process = process
        self._group = group
        self._own_clock = cpu_clock(process)
        self._own_at_start = (cpu_seconds(self._own_clock) or 0.0) if group is not None else 0.0
        self._clocks: list[int] = []
        self._waited_for = 0.0
        self._lost = 0.0
        """What processes used that nobody waited for."""
        self._last = 0.0
        self._times: dict[int, tuple[float, float]] = {}
        """Each process of the last look: its own seconds, and those of the children that it had waited for."""

    def look(self) -> float:
        """Read the clocks of all processes."""
        self._clocks.clear()
        times = {self._process: (0.0, waited_for(self._process))}
        for child in self._counted():
            clock = cpu_clock(child)
            self._clocks.append(clock)
            times[child] = (cpu_seconds(clock) or 0.0, waited_for(child))
        self._waited_for = sum(waited for _, waited in times.values())
        total = sum(own for own, _ in times.values()) + self._waited_for
        if self._group is not None:
            launcher = (cpu_seconds(self._own_clock) or 0.0) - self._own_at_start
            self._lost = max(self._lost, self._group.seconds() - launcher - total)
        else:
            self._lost += self._lost_since(times)
        self._times = times
        # Rounding to ticks must not turn the clock back.
        self._lost = max(self._lost, self._last - total)
        self._last = total + self._lost
        self._waited_for += self._lost
        return self._last

    def _counted(self) -> Iterator[int]:
        return descendants_of(self._process)

    def _lost_since(self, times: Mapping[int, tuple[float, float]]) -> float:
        """The seconds that ended processes had used at the last look, and that no parent has got since."""
        totals = [sum(pair) for process, pair in self._times.items() if process not in times]
        got = sum(waited - self._times.get(process, (0.0, 0.0))[1] for process, (_, waited) in times.items())
        # What a parent gets is shown in whole ticks.
        return max(0.0, sum(totals) - got - len(totals) / TICKS_A_SECOND)

    def glance(self) -> float:
        """Read only the clocks of processes that ``look`` found last. Takes microseconds; ``look`` takes 0.1 ms."""
        total = self._waited_for
        for clock in self._clocks:
            seconds = cpu_seconds(clock)
            if seconds is None:
                return self.look()
            total += seconds
        return total


class SessionMeter(CpuMeter):
    """The CPU time of a Python team: of all of its session but the cell's own process, orphans too."""

    def _counted(self) -> Iterator[int]:
        yield from super()._counted()
        for orphan in orphans_of_session(self._process):
            yield orphan
            yield from descendants_of(orphan)


class OtherProcesses:
    """CPU seconds of all processes that a Python team started, ended ones too: what the clock of its cell's process leaves out.

    With a ``group``, the kernel counts them. Otherwise what the looks found counts. Several threads may look.
    """

    def __init__(self, process: int, group: CpuGroup | None) -> None:
        self.last = 0.0
        """As last looked at."""
        self._group = group
        self._clock = cpu_clock(process)
        # Before the group counts anything, so that nothing of the process itself counts here.
        self._own_at_start = cpu_seconds(self._clock) or 0.0
        if group is not None:
            group.add({process})
        self._meter = SessionMeter(process)
        self._lock = threading.Lock()

    def look(self) -> float:
        """Read the clocks. With a group that takes some microseconds, otherwise some tenths of a millisecond."""
        with self._lock:
            self.last = max(self.last, self._meter.look() if self._group is None else self._grouped(self._group))
            return self.last

    def _grouped(self, group: CpuGroup) -> float:
        together = group.seconds()
        own = cpu_seconds(self._clock)
        return 0.0 if own is None else together - (own - self._own_at_start)


class RestingProcess:
    """CPU seconds of a process since its clock showed ``began``, when it was to stand still from then on: a template."""

    def __init__(self, process: int, began: float) -> None:
        self.last = 0.0
        """As last looked at."""
        self._clock = cpu_clock(process)
        self._began = began

    def look(self) -> float:
        """Read its clock, if it has not ended."""
        with contextlib.suppress(OSError):
            self.last = max(self.last, time.clock_gettime(self._clock) - self._began)
        return self.last


def kill_tree(process: int, seconds: float = KILL_SECONDS) -> bool:
    """Kill all processes below ``process``, which must be the one that adopts their orphans. Returns whether none is left."""
    until = time.monotonic() + seconds
    while left := [child for child in descendants_of(process) if not has_ended(child)]:
        if time.monotonic() > until:
            return False
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for child in left:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(child, number)
    return True


class Watcher(ABC):
    """Checks a cell's processes all the time, also between questions.

    Args:
        process: the one that they are found from.
        limits: what they may use.
        end: called once, with the verdict, from the watcher's own thread.
        seconds: between two checks.
    """

    def __init__(
        self, process: int, limits: Limits, end: Callable[[Termination, str], None], seconds: float = LOOK_SECONDS
    ) -> None:
        self._seconds = seconds
        self.peak_bytes = 0
        """The most memory that was found."""
        self._process = process
        self._limits = limits
        self._end = end
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._watch, name=f"watcher of {process}", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread that watches the process."""
        self._stopped.set()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _watch(self) -> None:
        while not self._stopped.wait(self._seconds):
            verdict = self._look()
            if verdict is not None and not self._stopped.is_set():
                self._end(*verdict)
                return

    @abstractmethod
    def _look(self) -> tuple[Termination, str] | None:
        """The verdict, if a limit is exceeded now."""


class TaskWatcher(Watcher):
    """Checks the number of processes of a Python team, and looks at their clocks; ``process`` is the cell's."""

    def __init__(
        self, process: int, limits: Limits, end: Callable[[Termination, str], None], other_processes: OtherProcesses
    ) -> None:
        self._other_processes = other_processes
        super().__init__(process, limits, end)

    def _look(self) -> tuple[Termination, str] | None:
        self._other_processes.look()
        most = self._limits.processes
        if tasks_of_session(self._process, most) <= most:
            return None
        return Termination.CRASH, f"more than {most} processes and threads: killed (--limit processes=N allows more)"


class ProgramWatcher(Watcher):
    """Checks number and memory of a program's processes, which are all below ``process``."""

    def _look(self) -> tuple[Termination, str] | None:
        limits = self._limits
        tasks, size, descriptors = tasks_and_memory(self._process, limits.program_processes)
        if tasks > limits.program_processes:
            allow = "--limit program_processes=N allows more"
            return Termination.CRASH, f"more than {limits.program_processes} processes and threads: killed ({allow})"
        if size > limits.memory_bytes:
            size = proportional_memory(self._process) or size
        self.peak_bytes = max(self.peak_bytes, size)
        if size > limits.memory_bytes:
            what = f"killed while it used {size >> 20} MiB, the limit is {limits.memory_bytes >> 20} MiB"
            return Termination.OUT_OF_MEMORY, f"{what} (--limit memory_bytes=N allows more)"
        if descriptors * SOCKET_BYTES > limits.memory_bytes:
            size = memory_in_sockets(self._process)
            if size > limits.memory_bytes:
                what = f"killed while its sockets could hold {size >> 20} MiB, the limit is {limits.memory_bytes >> 20} MiB"
                return Termination.OUT_OF_MEMORY, f"{what} (--limit memory_bytes=N allows more)"
        return None


def _threads_of(process: int) -> int:
    with contextlib.suppress(OSError, ValueError):
        return _fields(f"/proc/{process}/status", (b"Threads",)).get(b"Threads", 0)
    return 0


def _session_of(process: int) -> int:
    fields = stat_fields(process)
    return int(fields[_SESSION]) if fields else 0


def _fields(path: str, names: tuple[bytes, ...]) -> dict[bytes, int]:
    """The numbers of lines such as ``RssAnon:    1234 kB``."""
    sizes: dict[bytes, int] = {}
    for line in read_small_file(path).split(b"\n"):
        name, _, value = line.partition(b":")
        if name in names:
            sizes[name] = int(value.split()[0])
    return sizes


def waited_for(process: int) -> float:
    """CPU seconds of the children that a process has waited for, in ticks."""
    fields = stat_fields(process)
    return (int(fields[13]) + int(fields[14])) / TICKS_A_SECOND if fields else 0.0


def _children_by_search(parent: int) -> list[int]:
    processes = [int(name) for name in os.listdir("/proc") if name.isdecimal()]  # noqa: PTH208 -- likewise
    return [process for process in processes if stat_fields(process)[1:2] == [b"%d" % parent]]
