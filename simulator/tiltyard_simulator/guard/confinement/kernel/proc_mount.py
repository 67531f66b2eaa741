"""What a program may read of /proc: its own processes, and what runtimes ask about the machine. Nobody else's processes.

.NET doesn't start without ``/proc/self/maps``; Java, Mono, Node and Go read some of these files too. At level A a program's cell
mounts a /proc of its own, which shows its process namespace alone, and hides there what is not listed here. Below that, /proc is
the machine's: a program's first process gets a Landlock layer with rules for its own files. No rule can be made for processes
that it will start later, so these see nothing of /proc/self. Source: proc(5).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from tiltyard_simulator.guard.confinement.kernel.landlock import READ, Access, Ruleset, landlock_version
from tiltyard_simulator.guard.confinement.kernel.libc import mount, unmount

PROC: Final = "/proc"
MACHINE_FILES: Final = ("cgroups", "cpuinfo", "filesystems", "loadavg", "meminfo", "stat", "uptime", "version")
SETTINGS: Final = (
    *("kernel/cap_last_cap", "kernel/ngroups_max", "kernel/osrelease", "kernel/pid_max", "kernel/threads-max"),
    *("vm/max_map_count", "vm/mmap_min_addr", "vm/overcommit_memory", "vm/overcommit_ratio"),
)
"""Below /proc/sys."""
OWN_FILES: Final = (
    *("auxv", "cgroup", "cmdline", "comm", "environ", "io", "limits", "loginuid", "maps", "oom_score"),
    *("oom_score_adj", "personality", "sched", "schedstat", "smaps", "smaps_rollup", "stat", "statm", "status", "wchan"),
)
"""Of a process or a thread. Not ``net``, which shows the machine's connections; nor what is mounted, such as people's folders."""
OWN_FOLDERS: Final = ("fd", "fdinfo")
_LINKS: Final = ("mounts", "net", "self", "thread-self")
_READ_ONLY: Final = 1
_NOSUID_NODEV_NOEXEC: Final = 2 | 4 | 8
_REMOUNT_BIND: Final = 32 | 4096
_BIND: Final = 4096


def uncover_proc() -> None:
    """Remove what bubblewrap mounted over parts of /proc. Only then may cells mount a /proc of their own.

    bubblewrap covers what its user could write. That is something for root alone, and root's zygote may also unmount it. In the
    cells, ``mount_proc`` and ``protect_proc`` take its place.
    """
    for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace").splitlines():
        place = line.split()[4]
        if place.startswith(f"{PROC}/"):
            with suppress(OSError):
                unmount(place)


def protect_proc() -> None:
    """Let nothing below /proc be written. Landlock forbids it as well.

    Raises:
        OSError: a system call failed.
    """
    mount("", PROC, "", _REMOUNT_BIND | _READ_ONLY | _NOSUID_NODEV_NOEXEC, "")


def mount_proc() -> bool:
    """Mount the /proc of this process namespace, and hide in it what tells of the machine more than runtimes need.

    Returns whether that is possible here. It isn't in a container that covers parts of its own /proc; nor in a mount namespace
    where there is no other /proc.

    Raises:
        OSError: something could not be hidden.
    """
    try:
        mount("proc", PROC, "proc", _READ_ONLY | _NOSUID_NODEV_NOEXEC, "")
    except OSError:
        return False
    settings = {name: _read(f"{PROC}/sys/{name}") for name in SETTINGS}
    with os.scandir(PROC) as iterator:
        entries = list(iterator)
    for entry in entries:
        if entry.name.isdecimal() or entry.name in MACHINE_FILES or entry.name in _LINKS:
            continue
        if not entry.is_dir(follow_symlinks=False):
            mount("/dev/null", entry.path, "", _BIND, "")
        elif entry.name == "sys":
            _mount_settings(entry.path, settings)
        else:
            mount("tmpfs", entry.path, "tmpfs", _READ_ONLY | _NOSUID_NODEV_NOEXEC, "size=4k,nr_inodes=1")
    return True


def _mount_settings(folder: str, settings: dict[str, bytes]) -> None:
    """A folder that holds copies of some settings."""
    mount("tmpfs", folder, "tmpfs", _NOSUID_NODEV_NOEXEC, "size=64k,nr_inodes=64,mode=0755")
    for name, value in settings.items():
        if value:
            path = Path(folder, name)
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(value)
    mount("", folder, "", _REMOUNT_BIND | _READ_ONLY | _NOSUID_NODEV_NOEXEC, "")


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""


class ProcMountLayer:
    """A second Landlock layer for each process that a launcher starts: of /proc, it may read what is its own.

    Args:
        paths: all that the first layer lets it read outside of /proc. This layer only names the folders in / above them.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        tops = {Path(path).resolve().parts[1] for path in paths if Path(path).resolve().parts[1:]}
        self._elsewhere = [*_open_all(f"/{top}" for top in tops if f"/{top}" != PROC)]
        self._machine = [*_open_all(f"{PROC}/{name}" for name in (*MACHINE_FILES, *(f"sys/{name}" for name in SETTINGS)))]
        self._of_process: list[int] = []
        """While these are open, the kernel keeps the entries of /proc that the rules are for."""

    def new_rules(self) -> Ruleset:
        """Rules for everything but a process. The caller closes the descriptor."""
        rules = Ruleset(landlock_version(), only=READ)
        for descriptor in (*self._elsewhere, *self._machine):
            rules.allow_opened(descriptor, READ)
        return rules

    def admit(self, process: int, rules: Ruleset) -> None:
        """Let a process read its own files: those of its process and of its first thread. Of other threads it sees the numbers."""
        while self._of_process:
            os.close(self._of_process.pop())
        own = f"{PROC}/{process}"
        names = [f"{folder}/{name}" for folder in (own, f"{own}/task/{process}") for name in (*OWN_FILES, *OWN_FOLDERS)]
        for path, access in (*((name, READ) for name in names), (f"{own}/task", Access.READ_DIR)):
            for descriptor in _open_all([path]):
                self._of_process.append(descriptor)
                rules.allow_opened(descriptor, access)


def _open_all(paths: Iterable[str]) -> Iterator[int]:
    for path in paths:
        with suppress(OSError):
            yield os.open(path, os.O_PATH | os.O_CLOEXEC)
