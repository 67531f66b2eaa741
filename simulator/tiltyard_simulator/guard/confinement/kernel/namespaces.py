"""A cell's own namespaces at level A: user (separates it from other cells), mount (for its scratch folder) and ipc.

Sources: user_namespaces(7), mount_namespaces(7), unshare(2), tmpfs(5).

- Python teams share the process namespace of their zygote, because unshare(CLONE_NEWPID) would apply to children only. Landlock's
  scope and the seccomp filter keep them from signalling each other; the user namespaces also keep them from tracing each other. A
  program, which may have children, gets its own process namespace. When its first process ends, all others are killed.
- The network namespace is bubblewrap's, which contains only a loopback that is down, and the filter denies sockets. A namespace
  for each cell would cost 0.6 ms more.
"""

from __future__ import annotations

import os
from typing import Final

from tiltyard_simulator.guard.confinement.kernel.libc import LAST_DESCRIPTOR, close_range, mount, naming_errors, unshare

_CLONE_NEWNS: Final = 0x00020000
_CLONE_NEWIPC: Final = 0x08000000
_CLONE_NEWUSER: Final = 0x10000000
_CLONE_NEWPID: Final = 0x20000000
_MS_NOSUID_NODEV: Final = 2 | 4
_MS_NOEXEC: Final = 8
_MS_BIND: Final = 4096
SHARED_MEMORY: Final = "/dev/shm"  # noqa: S108 -- the cell's own
BYTES_A_FILE: Final = 16 * 1024
"""The scratch folder may contain one file for each of these bytes of its size."""
FEWEST_FILES: Final = 64


def enter_own_namespaces(process: int, user: int, group: int, processes: bool = False) -> None:
    """Leave the zygote's namespaces. The process must have one thread. User and group keep their numbers.

    With ``processes``, the next child is the first process of a namespace of its own.

    Raises:
        OSError: a system call failed.
    """
    unshare(_CLONE_NEWUSER | _CLONE_NEWNS | _CLONE_NEWIPC | (_CLONE_NEWPID if processes else 0))
    # Without rights outside, a process may write its group map only after it has given up setgroups.
    for name, line in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        descriptor = os.open(f"/proc/{process}/{name}", os.O_WRONLY | os.O_CLOEXEC)
        try:
            with naming_errors(f"'{line}' for /proc/{process}/{name}"):
                os.write(descriptor, line.encode("ascii"))
        finally:
            os.close(descriptor)


def become_first_process() -> None:
    """Continue as the first process of the new process namespace. The old process waits for it and ends with it.

    The kernel kills all processes of a namespace with the first one, which in turn is killed with the old process.
    """
    with naming_errors("fork into the new process namespace"):
        child = os.fork()
    if child == 0:
        return
    close_range(0, LAST_DESCRIPTOR)
    try:
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    except OSError:
        code = -1
    os._exit(code if code >= 0 else 1)


def mount_scratch(folder: str, size: int, executable: bool = False) -> None:
    """Mount a file system on the folder, limited in bytes and files. It disappears with the cell.

    It is also the cell's /dev/shm, for semaphores and shared memory. So these count together with the files, and what is mapped of
    them counts as memory. Nothing in it can be executed, unless it is ``executable``.

    Raises:
        OSError: a system call failed.
    """
    os.makedirs(folder, exist_ok=True)  # noqa: PTH103 -- a cell waits for it
    files = max(FEWEST_FILES, size // BYTES_A_FILE)
    flags = _MS_NOSUID_NODEV | (0 if executable else _MS_NOEXEC)
    mount("tmpfs", folder, "tmpfs", flags, f"size={size},nr_inodes={files},mode=0700")
    files_there, shared = f"{folder}/files", f"{folder}/shm"
    os.mkdir(files_there, 0o700)  # noqa: PTH102 -- likewise
    os.mkdir(shared, 0o700)  # noqa: PTH102 -- likewise
    mount(shared, SHARED_MEMORY, "", _MS_BIND, "")
    mount(files_there, folder, "", _MS_BIND, "")
