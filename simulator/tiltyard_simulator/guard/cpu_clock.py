"""How much CPU time another process has used, and how long it had to wait for a core."""

from __future__ import annotations

import time
from pathlib import Path


def cpu_clock(pid: int) -> int:
    """The number of a process's CPU clock, for ``time.clock_gettime``; all its threads count.

    The same as the C library's ``clock_getcpuclockid``, which Python has for threads only.
    """
    return (~pid << 3) | 2


def cpu_seconds(clock: int) -> float | None:
    """What the clock shows; None when its process is gone."""
    try:
        return time.clock_gettime(clock)
    except OSError:
        return None


def queued_seconds(pid: int) -> float:
    """How long the process was ready to run but had no core, or 0 where the kernel does not tell."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text(encoding="ascii").split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0
