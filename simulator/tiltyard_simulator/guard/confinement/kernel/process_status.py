"""What the kernel tells about another process: CPU time, time without a core, memory that it shares, whether it has ended.

Source: proc(5); for PROCMAP_QUERY, the kernel's ``include/uapi/linux/fs.h``.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import struct
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_PREFIX: Final = "tiltyard-"
PARENT: Final = 1
START_TIME: Final = 19
"""The places of a process's parent and of its start time, in clock ticks since boot, among its ``stat_fields``."""
_LARGEST_FILE: Final = 1 << 16
_SHARED: Final = re.compile(rb"^\S+ .w.s ", re.MULTILINE)
"""Memory that may be written and is shared, in a line of /proc/PID/maps."""
_QUERY: Final = 0xC0686611
"""PROCMAP_QUERY, since Linux 6.11: one part of a process's memory, without the text of all."""
_PART: Final = struct.Struct("=3Q88x")
"""struct procmap_query: its size, flags, an address, and what the kernel tells of the part that it finds."""
_FIRST_SHARED: Final = 0x10 | 0x08 | 0x02
"""COVERING_OR_NEXT_VMA, VMA_SHARED, VMA_WRITABLE"""


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


def shares_memory(pid: int) -> bool:
    """Whether a process has mapped memory that it may write to, and that another could share. Raises OSError if that isn't seen."""
    maps = os.open(f"/proc/{pid}/maps", os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.ioctl(maps, _QUERY, bytearray(_PART.pack(_PART.size, _FIRST_SHARED, 0)))
    except OSError as error:
        return error.errno != errno.ENOENT and _shares_by_text(maps)
    finally:
        os.close(maps)
    return True


def _shares_by_text(maps: int) -> bool:
    """As any kernel tells it: reading its text takes thirty times as long."""
    with open(maps, "rb", closefd=False) as file:
        return _SHARED.search(file.read()) is not None


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
