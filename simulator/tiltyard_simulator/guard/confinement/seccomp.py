"""seccomp: which system calls a cell may make; a filter in the kernel's classic BPF, written here word by word.

Sources: seccomp(2), https://docs.kernel.org/userspace-api/seccomp_filter.html, linux/filter.h.

Most calls are allowed, since no list of what Python, numpy and strangers' programs need would ever be whole; denied is what reaches
beyond the cell: other processes, the network, new processes, what Landlock does not know, and parts of the kernel with
a history of holes. The kernel remembers which numbers are allowed whatever their arguments, so a plain call costs nothing more.
A denied call fails with EPERM, so that Python raises an exception that a traceback can show.
"""

from __future__ import annotations

import ctypes
import errno
import os
import resource
import signal
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from tiltyard_simulator.guard.confinement.libc import PR_SET_PDEATHSIG, PR_SET_SECCOMP, process_control
from tiltyard_simulator.guard.confinement.system_calls import LAST_KNOWN_CALL, Architecture, this_architecture

_SECCOMP_MODE_FILTER: Final = 2
_ALLOW: Final = 0x7FFF0000
_KILL_PROCESS: Final = 0x80000000
_ERRNO: Final = 0x00050000
_DENY: Final = _ERRNO | errno.EPERM
_UNKNOWN: Final = _ERRNO | errno.ENOSYS

# BPF: load a word of struct seccomp_data; keep some of its bits; jump if equal, greater, any bit set, or always; return.
_LOAD: Final = 0x20
_KEEP_BITS: Final = 0x54
_IF_EQUAL: Final = 0x15
_IF_GREATER: Final = 0x25
_IF_BITS: Final = 0x45
_RETURN: Final = 0x06
_JUMP: Final = 0x05
_INSTRUCTION: Final = struct.Struct("=HBBI")
_VALUE: Final = struct.Struct("=I")
_WORD: Final = 0xFFFFFFFF
_LEAF: Final = 4
_OWN: Final = 0x7FFFFFF1
_MINUS_OWN: Final = 0x7FFFFFF2
"""Stand-ins for the number of the process: no process has them."""
_NUMBER: Final = 0
_ARCHITECTURE: Final = 4
_ARGUMENTS: Final = 16

Instruction = tuple[int, int, int, int]


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_OTHER_PROCESSES: Final = _names(
    "ptrace process_vm_readv process_vm_writev kcmp process_madvise process_mrelease pidfd_open pidfd_getfd pidfd_send_signal"
    " migrate_pages move_pages perf_event_open sched_setscheduler sched_setparam sched_setattr sched_setaffinity setpriority"
    " ioprio_set"
)
_ADMINISTRATION: Final = _names(
    "mount umount2 pivot_root chroot move_mount open_tree fsopen fsconfig fsmount fspick mount_setattr unshare setns reboot"
    " init_module finit_module delete_module kexec_load kexec_file_load swapon swapoff acct syslog quotactl quotactl_fd"
    " settimeofday clock_settime clock_adjtime adjtimex sethostname setdomainname iopl ioperm vhangup name_to_handle_at"
    " open_by_handle_at"
)
_SELDOM_NEEDED: Final = _names(
    "bpf keyctl add_key request_key userfaultfd io_uring_setup io_uring_enter io_uring_register personality modify_ldt"
    " lookup_dcookie nfsservctl uselib _sysctl sysfs ustat fanotify_init fanotify_mark inotify_init inotify_init1"
    " inotify_add_watch memfd_secret memfd_create"
)
"""Files of memfd_create are memory that no limit of a process counts, and that nobody sees who looks at processes."""
_SHARED_OBJECTS: Final = _names("shmget shmat shmctl semget semop semctl semtimedop msgget msgsnd msgrcv msgctl mq_open mq_unlink")
_LEAVING_THE_GROUP: Final = _names("setsid setpgid")
"""Whoever cannot leave is killed with the group."""
_METADATA: Final = _names(
    "chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat utime utimes utimensat futimesat setxattr lsetxattr fsetxattr"
    " removexattr lremovexattr fremovexattr"
)
_NETWORK: Final = _names("socket connect bind listen accept accept4")
_SIGNALS: Final = {"kill": 1, "tkill": 1, "tgkill": 2, "rt_sigqueueinfo": 1, "rt_tgsigqueueinfo": 2}
"""Which argument is the signal."""

_HELD_TRUNCATION: Final = 3
_SCOPED_SIGNALS: Final = 6
"""Since these versions, Landlock holds what the filter would have to."""
_NEW_NAMESPACES: Final = 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000
"""CLONE_NEWNS, CGROUP, UTS, IPC, USER, PID, NET."""
_TERMINAL_AND_OWNER_IOCTLS: Final = (0x5412, 0x541C, 0x540E, 0x8901, 0x8902)
"""TIOCSTI and TIOCLINUX put words into a terminal's input, TIOCSCTTY takes one; FIOSETOWN and SIOCSPGRP see _OWNER_FCNTLS."""
_OWNER_FCNTLS: Final = (8, 10, 15)
"""F_SETOWN, F_SETSIG, F_SETOWN_EX: the kernel would send any signal to any process for us."""


@dataclass(frozen=True)
class FilterPolicy:
    """What the filter depends on."""

    python: bool
    single: bool
    """One process with one thread."""
    network: bool
    files_protected: bool
    """Mounted read-only: chmod and its like then do no harm outside scratch."""
    landlock_version: int
    own_processes: bool = False
    """In a process namespace of its own: whom it can see, it may signal."""


class UnsupportedArchitectureError(OSError):
    """The system call numbers of this architecture are not known."""


def install_filter(policy: FilterPolicy) -> None:
    """Put the filter in force for this thread and its children; needs no_new_privs."""
    architecture = this_architecture()
    if architecture is None:
        raise UnsupportedArchitectureError(errno.ENOSYS, f"no seccomp filter for {os.uname().machine}")
    program = _assembled(policy, architecture, os.getpid())
    header = _Program(len(program) // _INSTRUCTION.size, program)
    address = ctypes.c_void_p(ctypes.addressof(header))
    process_control("prctl(PR_SET_SECCOMP)", PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, address)


def warm_up(policy: FilterPolicy) -> None:
    """Assemble, in the zygote, what its cells' filters share."""
    architecture = this_architecture()
    if architecture is not None:
        _template(policy, architecture)


class _Program(ctypes.Structure):
    """struct sock_fprog."""

    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def _assembled(policy: FilterPolicy, architecture: Architecture, process: int) -> bytes:
    """The filter's bytes for the process of this number."""
    template, own, negative = _template(policy, architecture)
    program = bytearray(template)
    for places, value in ((own, process), (negative, -process & _WORD)):
        for place in places:
            _VALUE.pack_into(program, place, value)
    return bytes(program)


@lru_cache(maxsize=16)
def _template(policy: FilterPolicy, architecture: Architecture) -> tuple[bytes, list[int], list[int]]:
    """The filter's bytes, and the places in it where the process's own number goes, and minus that."""
    bodies = {architecture.calls[name]: [_return(_DENY)] for name in _denied_calls(policy) if name in architecture.calls}
    # Arguments in memory cannot be looked at; the C library falls back on clone and openat.
    bodies |= {architecture.calls[name]: [_return(_UNKNOWN)] for name in ("clone3", "openat2")}
    bodies |= _argument_checks(policy, architecture.calls)
    program = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_IF_EQUAL, 1, 0, architecture.audit),
        _return(_KILL_PROCESS),
        (_LOAD, 0, 0, _NUMBER),
        # Also the x32 calls of x86-64, whose numbers have bit 30 set.
        (_IF_GREATER, 0, 1, LAST_KNOWN_CALL),
        _return(_UNKNOWN),
        *_tree(sorted(bodies.items())),
    ]
    last = _INSTRUCTION.size - _VALUE.size
    places = [[i * _INSTRUCTION.size + last for i, step in enumerate(program) if step[3] == mark] for mark in (_OWN, _MINUS_OWN)]
    return b"".join(_INSTRUCTION.pack(*step) for step in program), places[0], places[1]


def _tree(bodies: list[tuple[int, list[Instruction]]]) -> list[Instruction]:
    """Find a call's body by halving: when the filter is installed, the kernel follows it once for each number there is."""
    if len(bodies) <= _LEAF:
        chain = [step for number, body in bodies for step in ((_IF_EQUAL, 0, len(body), number), *body)]
        return [*chain, _return(_ALLOW)]
    middle = len(bodies) // 2
    lower, upper = _tree(bodies[:middle]), _tree(bodies[middle:])
    return [(_IF_GREATER, 0, 1, bodies[middle][0] - 1), (_JUMP, 0, 0, len(lower)), *lower, *upper]


def _denied_calls(policy: FilterPolicy) -> list[str]:
    names = [*_OTHER_PROCESSES, *_ADMINISTRATION, *_SELDOM_NEEDED, *_SHARED_OBJECTS, *_LEAVING_THE_GROUP]
    if policy.python:
        # A timer of timer_create may send its own process SIGKILL, see _signal_checks; of a program that is told apart.
        names += ["execve", "execveat", "timer_create"]
    if policy.single:
        names += ["fork", "vfork", "clone"]
    if not policy.network:
        names += _NETWORK
    if not policy.files_protected:
        names += _METADATA
        if policy.landlock_version < _HELD_TRUNCATION:
            names += ["truncate"]
    return names


def _argument_checks(policy: FilterPolicy, calls: Mapping[str, int]) -> dict[int, list[Instruction]]:
    checks = {
        "ioctl": _if(1, _TERMINAL_AND_OWNER_IOCTLS, _DENY),
        "fcntl": _if(1, _OWNER_FCNTLS, _DENY),
        # It would outlive whoever started it.
        "prctl": _if(0, [PR_SET_PDEATHSIG], _DENY),
        "prlimit64": _own_limits(),
        "setrlimit": _if(0, [resource.RLIMIT_CPU], _DENY),
    }
    if not policy.own_processes:
        checks |= _signal_checks(policy)
    if not policy.single:
        # The lowest byte is the signal that the parent gets when the child ends.
        ends_parent = [(_KEEP_BITS, 0, 0, 0xFF), (_IF_EQUAL, 0, 1, signal.SIGKILL), _return(_DENY)]
        checks["clone"] = [*_load(0), (_IF_BITS, 0, 1, _NEW_NAMESPACES), _return(_DENY), *ends_parent, _return(_ALLOW)]
    if not policy.network:
        # A pair of AF_UNIX leads nowhere else; asyncio wakes itself up with one.
        checks["socketpair"] = _unless(0, [1], _DENY)
    if not policy.files_protected and policy.landlock_version < _HELD_TRUNCATION:
        # O_TRUNC with O_RDONLY, which open(2) calls undefined and Linux obeys.
        for name, argument in (("open", 1), ("openat", 2)):
            body = [*_load(argument), (_IF_BITS, 0, 2, os.O_TRUNC), (_IF_BITS, 1, 0, os.O_ACCMODE), _return(_DENY)]
            checks[name] = [*body, _return(_ALLOW)]
    return {calls[name]: body for name, body in checks.items() if name in calls}


def _signal_checks(policy: FilterPolicy) -> dict[str, list[Instruction]]:
    """Whom a cell may signal: itself, or, where Landlock holds its signals, also what it has forked; itself never by SIGKILL.

    A cell that dies by SIGKILL was killed from outside, and its match is played again: nobody shall get a second try that way.
    """
    own = {name: [_OWN, 0, _MINUS_OWN] if name == "kill" else [_OWN] for name in _SIGNALS}
    if policy.single or policy.landlock_version < _SCOPED_SIGNALS:
        return {name: [*_deny_kill(which), *_unless(0, own[name], _DENY)] for name, which in _SIGNALS.items()}
    checks = {name: [*_deny_kill(which), _return(_ALLOW)] for name, which in _SIGNALS.items()}
    for name in ("kill", "rt_sigqueueinfo"):
        to_whom = _if(0, [_OWN, 0, _MINUS_OWN, -1], _DENY)
        checks[name] = [*_load(_SIGNALS[name]), (_IF_EQUAL, 1, 0, signal.SIGKILL), _return(_ALLOW), *to_whom]
    return checks


def _deny_kill(argument: int) -> list[Instruction]:
    return [*_load(argument), (_IF_EQUAL, 0, 1, signal.SIGKILL), _return(_DENY)]


def _own_limits() -> list[Instruction]:
    """Another process's limits could be lowered until it fails; its own of CPU time until the kernel kills it by SIGKILL."""
    new = _ARGUMENTS + 8 * 2
    return [
        *_load(0),
        (_IF_EQUAL, 2, 0, 0),
        (_IF_EQUAL, 1, 0, _OWN),
        _return(_DENY),
        *_load(1),
        (_IF_EQUAL, 1, 0, resource.RLIMIT_CPU),
        _return(_ALLOW),
        # Both halves of a pointer that is null where a limit is only looked at.
        *(step for half in (new, new + 4) for step in ((_LOAD, 0, 0, half), (_IF_EQUAL, 1, 0, 0), _return(_DENY))),
        _return(_ALLOW),
    ]


def _load(argument: int) -> list[Instruction]:
    """The lower half of an argument: all that are looked at are ints to the kernel, or flags in the lower half."""
    return [(_LOAD, 0, 0, _ARGUMENTS + 8 * argument)]


def _if(argument: int, values: Iterable[int], action: int) -> list[Instruction]:
    return [*_load(argument), *_matches(values, action), _return(_ALLOW)]


def _unless(argument: int, values: Iterable[int], action: int) -> list[Instruction]:
    return [*_load(argument), *_matches(values, _ALLOW), _return(action)]


def _matches(values: Iterable[int], action: int) -> list[Instruction]:
    return [step for value in values for step in ((_IF_EQUAL, 0, 1, value & _WORD), _return(action))]


def _return(action: int) -> Instruction:
    return (_RETURN, 0, 0, action)
