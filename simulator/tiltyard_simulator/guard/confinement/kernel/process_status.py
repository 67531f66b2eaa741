"""What the kernel tells about another process: CPU time, time without a core, whether it has ended. Source: proc(5)."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_PREFIX: Final = "tiltyard-"
PARENT: Final = 1
START_TIME: Final = 19
"""The places of a process's parent and of its start time, in clock ticks since boot, among its ``stat_fields``."""
_LARGEST_FILE: Final = 1 << 16


def cpu_clock(pid: int) -> int:
    """The number of a process's CPU clock, for ``time.clock_gettime``. It counts all threads.

    The C library's ``clock_getcpuclockid`` returns the same; Python offers it for threads only.
    """
    return (~pid << 3) | 2


def cpu_seconds(clock: int) -> float | None:
    """The clock's time; None if its process is gone."""
    try:
        return time.clock_gettime(clock)
    except OSError:
        return None


def queued_seconds(pid: int) -> float:
    """How long the process has been ready to run without a core; 0 if the kernel doesn't tell."""
    try:
        return int(read_small_file(f"/proc/{pid}/schedstat").split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


def peak_bytes(pid: int) -> int:
    """The most memory that the process has held at once; 0 if the kernel doesn't tell."""
    try:
        _, mark, rest = read_small_file(f"/proc/{pid}/status").partition(b"\nVmHWM:")
        return int(rest.split(maxsplit=1)[0]) << 10 if mark else 0
    except (OSError, ValueError, IndexError):
        return 0


def stat_fields(pid: int) -> list[bytes]:
    """The fields of the process's stat file from the third on, as the second may contain anything. Empty if it is gone."""
    try:
        return read_small_file(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    except OSError:
        return []


def has_ended(pid: int) -> bool:
    """Whether a process is gone, or only waits for its parent to reap it, which some parents never do."""
    fields = stat_fields(pid)
    return not fields or fields[0] in (b"Z", b"X")


def own_prefix() -> str:
    """How the names of this process's own folders begin: ``tiltyard-NUMBER-START-``.

    The start time tells the process from a later one of the same number; numbers come round again within minutes on a busy machine.
    """
    fields = stat_fields(os.getpid())
    return f"{_PREFIX}{os.getpid()}-{int(fields[START_TIME]) if fields else 0}-"


def folders_of_ended(parent: Path) -> Iterator[Path]:
    """The folders in ``parent`` that processes left behind when they were killed."""
    for folder in parent.glob(f"{_PREFIX}*-*-*"):
        number, start, *_ = folder.name.removeprefix(_PREFIX).split("-")
        if number.isdecimal() and start.isdecimal():
            fields = stat_fields(int(number))
            if has_ended(int(number)) or fields[START_TIME : START_TIME + 1] != [start.encode()]:
                yield folder


def is_stopped(pid: int) -> bool:
    """Whether a process was stopped by a signal such as SIGSTOP; False if the kernel doesn't tell."""
    return stat_fields(pid)[:1] in ([b"T"], [b"t"])


def read_small_file(path: str) -> bytes:
    """Read a file of /proc. Python's file objects would take several times as long, and these files are read often."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(descriptor, _LARGEST_FILE)
    finally:
        os.close(descriptor)
