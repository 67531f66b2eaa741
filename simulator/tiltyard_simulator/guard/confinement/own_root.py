"""A program's own tree of files at level A: what it may read, and nothing that shows what others may.

bubblewrap's tree has a mount for the files of each team of the run, and a process reads in /proc/self/mountinfo which mounts there
are. A cell can't unmount them one by one, because they come from a namespace with more rights than its own. So it builds a tree of
its own, makes that its root, and lets go of the old one as a whole. Python teams need none, because they read nothing of /proc.
Sources: mount_namespaces(7), pivot_root(2).
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from typing import Final

from tiltyard_simulator.guard.confinement.bubblewrap import tree_for
from tiltyard_simulator.guard.confinement.kernel.libc import mount, system_call, unmount
from tiltyard_simulator.guard.confinement.kernel.system_calls import this_architecture

_READ_ONLY: Final = 1
_NOSUID_NODEV_NOEXEC: Final = 2 | 4 | 8
_REMOUNT_BIND: Final = 32 | 4096
_BIND_ALL: Final = 4096 | 16384


def enter_own_root(readable: Iterable[str], scratch: str) -> None:
    """Build the tree, and make it this process's root. The old one stays below until ``leave_old_root``.

    ``scratch`` is a folder that exists. In the new tree it is an empty one, as are those above it; and ``/proc`` is empty. The
    process needs a mount namespace of its own, and rights in it.

    Raises:
        OSError: a system call failed.
    """
    architecture = this_architecture()
    if architecture is None:
        raise OSError(errno.ENOSYS, "pivot_root: its number is not known on this machine")
    places, links = tree_for(readable)
    mount("tmpfs", scratch, "tmpfs", _NOSUID_NODEV_NOEXEC, "size=1m,mode=0755")
    for place in (*places, "/dev"):
        _make_target(place, f"{scratch}{place}")
        mount(place, f"{scratch}{place}", "", _BIND_ALL, "")
    for folder in ("/proc", scratch):
        os.makedirs(f"{scratch}{folder}", exist_ok=True)  # noqa: PTH103 -- a cell waits for it
    for link, target in links.items():
        new = f"{scratch}{link}"
        if not os.path.lexists(new):
            os.makedirs(os.path.dirname(new), exist_ok=True)  # noqa: PTH103, PTH120 -- likewise
            os.symlink(target, new)  # noqa: PTH211 -- likewise
    os.chdir(scratch)
    system_call("pivot_root", architecture.calls["pivot_root"], b".", b".")


def leave_old_root() -> None:
    """Let go of the old tree with all its mounts, and let nothing be changed at the new one's top.

    Raises:
        OSError: a system call failed.
    """
    os.chdir("/")
    # The old root is mounted on top of the new one, and this is the path of what is topmost.
    unmount(".")
    mount("", "/", "", _REMOUNT_BIND | _READ_ONLY | _NOSUID_NODEV_NOEXEC, "")


def _make_target(place: str, target: str) -> None:
    """Something to mount on: a folder for a folder, an empty file for anything else."""
    if os.path.isdir(place):  # noqa: PTH112 -- a cell waits for it
        os.makedirs(target, exist_ok=True)  # noqa: PTH103 -- likewise
        return
    os.makedirs(os.path.dirname(target), exist_ok=True)  # noqa: PTH103, PTH120 -- likewise
    os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
