"""A cell's own namespaces at level A: user (which separates it from its siblings), mount (its scratch), ipc.

Sources: user_namespaces(7), mount_namespaces(7), unshare(2), tmpfs(5).

- The process namespace of Python teams is that of all cells of a zygote: unshare(CLONE_NEWPID) would hold for children only. What
  keeps siblings from signalling each other are Landlock's scope and the seccomp filter; from tracing each other, the user
  namespaces too. A program, which may have children, gets one of its own, and with its first process all others die.
- The network namespace is bubblewrap's, with nothing in it but a loopback that is down, and the filter denies sockets; one
  for each cell would cost 0.6 ms more.
"""

from __future__ import annotations

import os
from typing import Final

from tiltyard_simulator.guard.confinement.libc import LAST_DESCRIPTOR, close_range, mount, unshare

_CLONE_NEWNS: Final = 0x00020000
_CLONE_NEWIPC: Final = 0x08000000
_CLONE_NEWUSER: Final = 0x10000000
_CLONE_NEWPID: Final = 0x20000000
_MS_NOSUID_NODEV_NOEXEC: Final = 2 | 4 | 8
BYTES_A_FILE: Final = 16 * 1024
"""The scratch folder holds one file for so many of its bytes."""
FEWEST_FILES: Final = 64


def enter_own_namespaces(process: int, user: int, group: int, processes: bool = False) -> None:
    """Leave the zygote's namespaces; the process must have one thread. User and group keep their numbers.

    With ``processes``, the next child is the first process of a namespace of its own.

    Raises:
        OSError: a system call failed.
    """
    unshare(_CLONE_NEWUSER | _CLONE_NEWNS | _CLONE_NEWIPC | (_CLONE_NEWPID if processes else 0))
    # Before a group map may be written by somebody without rights outside, setgroups must be given up.
    for name, line in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        descriptor = os.open(f"/proc/{process}/{name}", os.O_WRONLY | os.O_CLOEXEC)
        try:
            os.write(descriptor, line.encode("ascii"))
        finally:
            os.close(descriptor)


def become_first_process() -> None:
    """Go on as the first process of the new process namespace. The process that was here waits for it, and ends as it does.

    The kernel kills all of a namespace with its first process, which is killed with the one that waits for it.
    """
    child = os.fork()
    if child == 0:
        return
    close_range(0, LAST_DESCRIPTOR)
    try:
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    except OSError:
        code = -1
    os._exit(code if code >= 0 else 1)


def mount_scratch(folder: str, size: int) -> None:
    """Cover the folder with a file system of its own, limited in bytes and files; it is gone with the cell.

    Raises:
        OSError: a system call failed.
    """
    os.makedirs(folder, exist_ok=True)  # noqa: PTH103 -- a cell waits for it
    files = max(FEWEST_FILES, size // BYTES_A_FILE)
    mount("tmpfs", folder, "tmpfs", _MS_NOSUID_NODEV_NOEXEC, f"size={size},nr_inodes={files},mode=0700")
