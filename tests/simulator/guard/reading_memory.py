"""Reads all memory of another process, as root may, and compares what two processes have open."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from pathlib import Path

from tiltyard_simulator.guard.cells.cell_client import CellClient
from tiltyard_simulator.guard.cells.process_watch import descendants_of
from tiltyard_simulator.guard.confinement.kernel.process_status import stat_fields

KERNELS_OWN = ("[vvar]", "[vvar_vclock]", "[vsyscall]")
"""The kernel's clocks and calls, which nobody else can read there."""
_COMPARE = {"x86_64": 312, "aarch64": 272}
_GET_DESCRIPTOR = 438
"""kcmp(2); pidfd_getfd(2), on every architecture."""
_LIBC = ctypes.CDLL(None, use_errno=True)
_OPEN_FILES = 0


def zygote_of(process: int) -> int:
    """What a cell was forked from: its parent."""
    return int(stat_fields(process)[1])


def processes_of(cell: CellClient) -> list[int]:
    """A cell's process and all below it."""
    return [cell.process.pid, *descendants_of(cell.process.pid)]


def found_in(process: int, *marks: str) -> list[str]:
    """Where in a process's memory one of these words is: the words around it, and the line of the map."""
    return list(places_of(process, *marks))


def places_of(process: int, *marks: str) -> dict[str, str]:
    """As ``found_in``; for each place, which word it is."""
    found: dict[str, str] = {}
    for line, data in _memory_of(process):
        for mark in marks:
            at = data.find(mark.encode())
            if at >= 0:
                found[f"{bytes(data[max(0, at - 60) : at + 60])!r} in {line}"] = mark
    return found


def _memory_of(process: int) -> Iterator[tuple[str, bytearray]]:
    with Path(f"/proc/{process}/mem").open("rb", buffering=0) as memory:
        for line in Path(f"/proc/{process}/maps").read_text().splitlines():
            bounds, rights, *rest = line.split()
            if "r" not in rights or rest[-1] in KERNELS_OWN:
                continue
            begin, end = (int(word, 16) for word in bounds.split("-"))
            data = bytearray(end - begin)
            done = 0
            with memoryview(data) as view:
                while done < len(data):
                    done += os.preadv(memory.fileno(), [view[done:]], begin + done)
            yield line, data


def open_files(process: int) -> list[int]:
    """The numbers of a process's descriptors."""
    return sorted(int(path.name) for path in Path(f"/proc/{process}/fd").iterdir())


def copy_of(process: int, descriptor: int) -> int:
    """A descriptor of this process for what another process has open. Raises OSError if the kernel can't."""
    handle = os.pidfd_open(process)
    try:
        return _call(_GET_DESCRIPTOR, handle, descriptor, 0)
    finally:
        os.close(handle)


def order_of_files(one: tuple[int, int], other: tuple[int, int]) -> int:
    """0 if two descriptors, each of a process, are one open file: with one position, and the same flags.

    Otherwise -1 or 1: in the order that the kernel gives all open files.

    Raises:
        OSError: the kernel can't compare them.
    """
    (process, descriptor), (others, second) = one, other
    answer = _call(_COMPARE[os.uname().machine], process, others, _OPEN_FILES, descriptor, second)
    return -1 if answer == 1 else int(answer > 1)


def _call(*words: int) -> int:
    result = int(_LIBC.syscall(*map(ctypes.c_long, words)))
    if result < 0:
        raise OSError(ctypes.get_errno(), f"system call {words}")
    return result
