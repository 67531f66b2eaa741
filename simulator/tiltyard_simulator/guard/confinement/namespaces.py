"""A cell's own namespaces at level A: user (which separates it from its siblings), mount (its scratch), ipc.

Sources: user_namespaces(7), mount_namespaces(7), unshare(2), tmpfs(5).

- The process namespace is that of all cells of a zygote: unshare(CLONE_NEWPID) would hold for children only. What keeps siblings
  from signalling each other are Landlock's scope and the seccomp filter; from tracing each other, the user namespaces too.
- The network namespace is bubblewrap's, with nothing in it but a loopback that is down, and the filter denies sockets; one
  for each cell would cost 0.6 ms more.
"""

from __future__ import annotations

import os
from typing import Final

from tiltyard_simulator.guard.confinement.libc import mount, unshare

_CLONE_NEWNS: Final = 0x00020000
_CLONE_NEWIPC: Final = 0x08000000
_CLONE_NEWUSER: Final = 0x10000000
_MS_NOSUID_NODEV_NOEXEC: Final = 2 | 4 | 8
BYTES_A_FILE: Final = 16 * 1024
"""The scratch folder holds one file for so many of its bytes."""
FEWEST_FILES: Final = 64


def enter_own_namespaces(process: int, user: int, group: int) -> None:
    """Leave the zygote's namespaces; the process must have one thread. User and group keep their numbers.

    Raises:
        OSError: a system call failed.
    """
    unshare(_CLONE_NEWUSER | _CLONE_NEWNS | _CLONE_NEWIPC)
    # Before a group map may be written by somebody without rights outside, setgroups must be given up.
    for name, line in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        descriptor = os.open(f"/proc/{process}/{name}", os.O_WRONLY | os.O_CLOEXEC)
        try:
            os.write(descriptor, line.encode("ascii"))
        finally:
            os.close(descriptor)


def mount_scratch(folder: str, size: int) -> None:
    """Cover the folder with a file system of its own, limited in bytes and files; it is gone with the cell.

    Raises:
        OSError: a system call failed.
    """
    os.makedirs(folder, exist_ok=True)  # noqa: PTH103 -- a cell waits for it
    files = max(FEWEST_FILES, size // BYTES_A_FILE)
    mount("tmpfs", folder, "tmpfs", _MS_NOSUID_NODEV_NOEXEC, f"size={size},nr_inodes={files},mode=0700")
