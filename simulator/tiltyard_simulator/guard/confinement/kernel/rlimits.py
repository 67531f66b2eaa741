"""Resource limits of a cell, hard as well as soft: setrlimit(2)."""

from __future__ import annotations

import math
import os
import resource
from contextlib import suppress
from typing import Final

from tiltyard_simulator.guard.confinement.kernel.libc import naming_errors
from tiltyard_simulator.match.limits import Limits

OPEN_FILES: Final = 256
PENDING_SIGNALS: Final = 256
"""Signals and timers that wait. All processes of a user share what the machine allows it."""
KEEPERS: Final = 2
"""A program's launcher and the process that waits for it also count."""
STACK_BYTES: Final = 8 << 20
"""The default of Linux. C code with endless recursion ends with SIGSEGV."""
CPU_GRACE_SECONDS: Final = 5
"""CPU time beyond the match's limit. The host kills a cell long before, unless the host itself is gone."""
OTHER_TASKS: Final = 64
"""How many more tasks the user may start elsewhere before a cell with several processes reaches the limit."""


def apply_rlimits(limits: Limits, own_user_namespace: bool, python: bool = True, template: bool = False) -> None:
    """Lower all limits of this process. Without privileges it cannot raise them again.

    A template may have one cell beside it, for which the zygote lowers the number of processes. A program's address space is not
    limited: many languages' runtimes reserve far more than they use. Instead, the host watches how much memory it holds.

    Raises:
        OSError: setrlimit failed.
    """
    processor = math.ceil(limits.match_seconds) + CPU_GRACE_SECONDS
    if python:
        _set(resource.RLIMIT_AS, _address_space() + limits.memory_bytes)
    _set(resource.RLIMIT_FSIZE, limits.file_bytes)
    _set(resource.RLIMIT_NOFILE, OPEN_FILES)
    _set(resource.RLIMIT_STACK, STACK_BYTES)
    _set(resource.RLIMIT_CORE, 0)
    _set(resource.RLIMIT_MEMLOCK, 1 << 16)
    _set(resource.RLIMIT_MSGQUEUE, 0)
    _set(resource.RLIMIT_SIGPENDING, PENDING_SIGNALS)
    _set(resource.RLIMIT_RTPRIO, 0)
    _set(resource.RLIMIT_CPU, processor)
    processes = limits.processes + template if python else limits.program_processes + KEEPERS
    _set(resource.RLIMIT_NPROC, _process_limit(processes, own_user_namespace))


def _set(which: int, value: int) -> None:
    try:
        hard = resource.getrlimit(which)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(which, (value, value))
    except (OSError, ValueError) as error:
        name = next((name for name in dir(resource) if name.startswith("RLIMIT_") and getattr(resource, name) == which), str(which))
        with naming_errors(f"setrlimit {name} to {value}"):
            raise error from None


def _address_space() -> int:
    """How many bytes the process has mapped already."""
    # Python's file objects would cost a freshly forked process a millisecond of page faults.
    descriptor = os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)
    try:
        return int(os.read(descriptor, 100).split()[0]) * resource.getpagesize()
    finally:
        os.close(descriptor)


def _process_limit(processes: int, own_user_namespace: bool) -> int:
    """RLIMIT_NPROC counts all tasks of a user, or those in its user namespace. The kernel ignores it for the machine's root.

    With 1, nothing can be forked, however many tasks the user has. With more, outside of its own namespace, the user's other tasks
    are added. So the limit stops a fork bomb, but not at the exact number.
    """
    if processes == 1 or own_user_namespace:
        return processes
    return processes + _tasks_of_user(os.getuid()) + OTHER_TASKS


def _tasks_of_user(user: int) -> int:
    total = 0
    for entry in os.scandir("/proc"):
        # Processes come and go while we look.
        with suppress(OSError):
            if entry.name.isdecimal() and entry.stat().st_uid == user:
                total += len(os.listdir(f"/proc/{entry.name}/task"))  # noqa: PTH208 -- names alone
    return total
