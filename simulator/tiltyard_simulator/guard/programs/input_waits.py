"""Whether all that a program does is wait for input that will not come: then it need not be given its whole time.

This is known only where every thread of every process of the program is asleep in a call that nothing but the program itself or
more input can end, and at least one reads the input. Such a state is final while the host, which alone could write, waits for the
program's answer: a look that comes later sees the same. So how busy the machine is decides when the program is ended, and never
whether. A thread that computes, that was woken and has no core yet, that sleeps for some time, or that is in any other call,
makes the state unknown, and so does a kernel that does not show it. Source: proc(5), ``/proc/PID/syscall``.
"""

from __future__ import annotations

import os
from typing import Final, TypeAlias

from tiltyard_simulator.guard.cells.process_watch import KERNEL_LISTS_CHILDREN, descendants_of
from tiltyard_simulator.guard.confinement.kernel.process_status import has_ended, read_small_file
from tiltyard_simulator.guard.confinement.kernel.system_calls import this_architecture

Waits: TypeAlias = tuple[tuple[int, int, bytes], ...]
"""Of each thread its process, its number, and how often it has stopped running until now."""

_CALLS: Final = {
    # read, readv, wait4, waitid, futex
    "x86_64": (0, 19, 61, 247, 202),
    "aarch64": (63, 65, 260, 95, 98),
}
_FUTEX_PRIVATE: Final = 128
_FUTEX_WAITS: Final = (0, 9)
"""FUTEX_WAIT and FUTEX_WAIT_BITSET."""
_HARMLESS: Final = (1, 2, 3, 4, 6, 7, 8, 11, 13, 15, 17, 18, 20, 21, 22, 25, 28, 32, 33)
"""Signals that may be caught, because no clock sends them to a process without timers of its own: not SIGALRM, SIGIO and others.

The last two are the C library's own, for its threads.
"""
_MASK: Final = sum(1 << number - 1 for number in _HARMLESS)


def waits_for_input(launcher: int, pipe: int) -> Waits | None:
    """What all processes below ``launcher`` wait in, if that ends only with more input; else None.

    Two equal answers, one after the other, say that none of them ran in between: then they will not run again. Until then a thread
    that was looked at first may have been woken by one that was looked at last.

    Args:
        launcher: the parent of the program's processes.
        pipe: the inode of the pipe that is the program's input.
    """
    architecture = this_architecture()
    if architecture is None or not KERNEL_LISTS_CHILDREN:
        return None
    waits: list[tuple[int, int, bytes]] = []
    has_reader = False
    try:
        for process in descendants_of(launcher):
            if has_ended(process):
                continue
            if read_small_file(f"/proc/{process}/timers"):
                return None
            for name in os.listdir(f"/proc/{process}/task"):  # noqa: PTH208 -- names alone
                thread = f"/proc/{process}/task/{name}"
                kind = _kind_of_wait(process, read_small_file(f"{thread}/syscall").split(), _CALLS[architecture.name], pipe)
                if kind is None:
                    return None
                has_reader = has_reader or kind
                status = read_small_file(f"{thread}/status")
                if _number(status, b"SigCgt:", 16) & ~_MASK:
                    return None
                waits.append((process, int(name), status[status.index(b"voluntary_ctxt_switches:") :]))
    except (OSError, ValueError):
        return None
    return tuple(sorted(waits)) if has_reader else None


def _kind_of_wait(process: int, call: list[bytes], calls: tuple[int, ...], pipe: int) -> bool | None:
    """Whether a thread reads the input; False if it waits for others of the program; None if something else may end its call."""
    if len(call) < 7:
        # Only "running", or an address alone where it is in no call.
        return None
    read, readv, wait4, waitid, futex = calls
    number, *arguments = (int(word, 0) for word in call[:7])
    if number in (read, readv):
        file = os.readlink(f"/proc/{process}/fd/{arguments[0]}")  # noqa: PTH115 -- no path
        return file == f"pipe:[{pipe}]" if file.startswith("pipe:[") else None
    if number in (wait4, waitid):
        return False
    operation, is_endless = arguments[1], not arguments[3]
    is_own = bool(operation & _FUTEX_PRIVATE) and operation & 127 in _FUTEX_WAITS
    return False if number == futex and is_own and is_endless else None


def _number(status: bytes, name: bytes, base: int) -> int:
    return int(status.partition(b"\n" + name)[2].split(maxsplit=1)[0], base)
