"""seccomp: which system calls a cell may make. The filter is a program in the kernel's classic BPF.

Sources: seccomp(2), https://docs.kernel.org/userspace-api/seccomp_filter.html, linux/filter.h.

Most calls are allowed, because a list of all that Python, numpy and other people's programs need would never be complete. Denied
are calls that reach beyond the cell: other processes, the network, new processes, what Landlock does not cover, and parts of the
kernel with a history of holes. The kernel remembers which numbers are allowed with any arguments, so these calls are as fast as
before. A denied call fails with EPERM, so that Python raises an exception with a traceback.

In a watched cell, the filter leaves denied calls to a listener, which gives the same answer and notes them: see ``denials``.
"""

from __future__ import annotations

import ctypes
import errno
import os
import resource
import signal
import socket
import struct
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final

from tiltyard_engine.data_classes import dataclass
from tiltyard_simulator.guard.confinement.kernel.libc import PR_SET_PDEATHSIG, PR_SET_SECCOMP, process_control, system_call
from tiltyard_simulator.guard.confinement.kernel.system_calls import (
    DENIED,
    LAST_KNOWN_CALL,
    METADATA,
    PATHS,
    Architecture,
    this_architecture,
)

_SECCOMP_MODE_FILTER: Final = 2
_ALLOW: Final = 0x7FFF0000
_KILL_PROCESS: Final = 0x80000000
_ERRNO: Final = 0x00050000
_DENY: Final = _ERRNO | errno.EPERM
_UNKNOWN: Final = _ERRNO | errno.ENOSYS
_PRETEND: Final = _ERRNO | 0
"""The caller is told that the call was done, but it was not."""
_ASK: Final = 0x7FC00000
"""SECCOMP_RET_USER_NOTIF: the caller waits until the listener has answered."""
_SECCOMP: Final = {"x86_64": 317, "aarch64": 277}
_SET_MODE_FILTER: Final = 1
_NEW_LISTENER: Final = 8
_WAIT_KILLABLE: Final = 32
"""Since Linux 5.19: only a signal that kills ends the wait for an answer, once the listener has received the call."""

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
"""Placeholders for the number of the process. No process has such numbers."""
_NUMBER: Final = 0
_ARCHITECTURE: Final = 4
_ARGUMENTS: Final = 16

Instruction = tuple[int, int, int, int]

_SIGNALS: Final = {"kill": 1, "tkill": 1, "tgkill": 2, "rt_sigqueueinfo": 1, "rt_tgsigqueueinfo": 2}
"""Which argument is the signal."""

_HELD_TRUNCATION: Final = 3
_SCOPED_SIGNALS: Final = 6
"""Since these versions, Landlock restricts what the filter would have to."""
_NEW_NAMESPACES: Final = 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000
"""CLONE_NEWNS, CGROUP, UTS, IPC, USER, PID, NET."""
_TERMINAL_AND_OWNER_IOCTLS: Final = (0x5412, 0x541C, 0x540E, 0x8901, 0x8902)
"""TIOCSTI and TIOCLINUX write to a terminal's input, TIOCSCTTY takes a terminal. FIOSETOWN and SIOCSPGRP do what F_SETOWN does."""
_ATTRIBUTE_IOCTLS: Final = (0x40086602, 0x40046602, 0x40087602, 0x401C5820, 0x40806685)
"""FS_IOC_SETFLAGS in both widths, FS_IOC_SETVERSION, FS_IOC_FSSETXATTR, FS_IOC_ENABLE_VERITY: they change a file that is open for
reading alone, if its owner asks."""
_NEEDED_FCNTLS: Final = (*range(5), 1030, 1032, 1033, 1034)
"""F_DUPFD to F_SETFL, F_DUPFD_CLOEXEC, F_GETPIPE_SZ, F_ADD_SEALS, F_GET_SEALS.

All others are denied. After F_SETLEASE on a file that all may read, such as a module of Python, everybody else who opens it waits.
F_NOTIFY tells when somebody reads one. By a lock of such a file, two cells find each other: one sets it, the other asks for it, or
is refused the same. With F_SETOWN and F_SETSIG, the kernel would send any signal to any process for us. F_SETPIPE_SZ uses up pages
that the whole user shares.
"""
_SETTING_LOCKS: Final = (6, 7, 37, 38)
"""F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW: what go and others do while they build. A filter can't answer F_GETLK for them."""
_PRIVATE_FUTEX: Final = 128
"""Without this flag, whoever maps the same page of a file meets at it, also where it can only be read."""
_OF_A_THREAD: Final = 4
_OWN_CLOCKS: Final = 0xFFFFFFF8
"""A CPU clock has minus one less the process's number above its lowest three bits, one of which says that it is a thread's. The
kernel tells a thread's only within its process. 0 is the caller."""
_ABOUT_PROCESSES: Final = {"getpgid": 0, "getsid": 0, "getpriority": 1, "ioprio_get": 1, "get_robust_list": 0}
"""Which argument is the number of a process."""
_ABOUT_THREADS: Final = ("sched_getscheduler", "sched_getparam", "sched_getaffinity", "sched_getattr", "sched_rr_get_interval")
"""The C library asks these about threads, by their numbers."""
_BUFFER_SIZES: Final = (7, 32)
"""SO_SNDBUF, SO_SNDBUFFORCE: what a socket holds is memory that no limit counts. There are only pairs, which need no other size."""
_MS_SYNC: Final = 4
_DONT_NEED: Final = 4
_PAGE_OUT: Final = 21
"""POSIX_FADV_DONTNEED, MADV_PAGEOUT: others would have to read a shared file from the disk again."""
_NAMELESS: Final = 0o20000000
"""The flag of O_TMPFILE."""
_HAVE_OLDER_ONES: Final = ("clone3", "openat2", "futex_waitv", "futex_wake", "futex_wait", "futex_requeue")
"""A filter can't read arguments in memory, and one rule for waiting is enough. C libraries fall back on clone, openat and futex."""
_PR_SCHED_CORE: Final = 62
"""Whoever has a core scheduling cookie of its own keeps all others off the other half of its core."""


@dataclass(frozen=True, slots=True)
class FilterPolicy:
    """What the filter depends on."""

    python: bool
    single: bool
    """One process with one thread."""
    files_protected: bool
    """Mounted read-only, so that chmod and the like do no harm outside the scratch folder."""
    landlock_version: int
    own_processes: bool = False
    """In its own process namespace: it may signal all processes that it can see."""
    watched: bool = False
    """Whether a listener answers what is denied, and sees which paths are looked for."""
    template: bool = False
    """Whether cells are forked from it. They inherit the filter, so a listener answers what depends on who asks."""
    builds: bool = False
    """Whether it builds. Locks of files, and below level A changes of modes and times, seem to succeed and change nothing."""


class UnsupportedArchitectureError(OSError):
    """The system call numbers of this architecture are not known."""


def install_filter(policy: FilterPolicy) -> int | None:
    """Apply the filter to this thread and its children. Needs no_new_privs.

    Returns the listener's descriptor if the cell is watched, or a template. Until somebody answers there, calls that it is asked
    about wait.
    """
    architecture = this_architecture()
    if architecture is None:
        raise UnsupportedArchitectureError(errno.ENOSYS, f"no seccomp filter for {os.uname().machine}")
    program = _assembled(policy, architecture, os.getpid())
    header = _Program(len(program) // _INSTRUCTION.size, program)
    address = ctypes.addressof(header)
    if policy.watched or policy.template:
        return _install_with_listener(_SECCOMP[architecture.name], address, _WAIT_KILLABLE if policy.template else 0)
    process_control("prctl(PR_SET_SECCOMP)", PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, address)
    return None


def _install_with_listener(number: int, address: int, wait: int) -> int:
    try:
        return system_call("seccomp", number, _SET_MODE_FILTER, _NEW_LISTENER | wait, address)
    except OSError as error:
        if not wait or error.errno != errno.EINVAL:
            raise
    # An older kernel. The zygote sees it when a template leaves its wait, and its cell is charged for what it does.
    return system_call("seccomp", number, _SET_MODE_FILTER, _NEW_LISTENER, address)


def warm_up(policy: FilterPolicy) -> None:
    """Assemble the common part of the cells' filters in the zygote."""
    architecture = this_architecture()
    if architecture is not None:
        _common_part(policy, architecture)


class _Program(ctypes.Structure):
    """The kernel's ``struct sock_fprog``: a filter's length and its instructions."""

    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def _assembled(policy: FilterPolicy, architecture: Architecture, process: int) -> bytes:
    """The filter's bytes for the process of this number."""
    common, own, negative = _common_part(policy, architecture)
    program = bytearray(common)
    for places, value in ((own, process), (negative, -process & _WORD)):
        for place in places:
            _VALUE.pack_into(program, place, value)
    return bytes(program)


@lru_cache(maxsize=16)
def _common_part(policy: FilterPolicy, architecture: Architecture) -> tuple[bytes, list[int], list[int]]:
    """The filter's bytes, and the places in it for the process's own number, and for minus that number."""
    bodies = {architecture.calls[name]: [_return(_DENY)] for name in _denied_calls(policy) if name in architecture.calls}
    bodies |= {architecture.calls[name]: [_return(_UNKNOWN)] for name in _HAVE_OLDER_ONES}
    # .NET's threads end the process if this fails. Done, it could widen what the worker's cell was pinned to.
    bodies |= {architecture.calls["sched_setaffinity"]: [_return(_PRETEND)]}
    if policy.builds and not policy.files_protected:
        # cmake and linkers stop, or complain, if they cannot set the mode or the times of what they have made.
        bodies |= {architecture.calls[name]: [_return(_PRETEND)] for name in METADATA if name in architecture.calls}
    bodies |= _argument_checks(policy, architecture.calls)
    if policy.template:
        bodies |= _template_checks(architecture.calls, bodies)
    if policy.watched:
        bodies = _watched(bodies, {architecture.calls[name] for name in PATHS if name in architecture.calls})
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


def _watched(bodies: Mapping[int, list[Instruction]], paths: set[int]) -> dict[int, list[Instruction]]:
    """Ask the listener instead of denying. It lets all calls with paths go on, so what is denied of these must stay denied here."""
    asking = {number: [_return(_ASK) if step == _return(_DENY) else step for step in body] for number, body in bodies.items()}
    return asking | {number: bodies.get(number, [_return(_ASK)]) for number in paths}


def _tree(bodies: list[tuple[int, list[Instruction]]]) -> list[Instruction]:
    """Find a call's body by binary search: when the filter is installed, the kernel runs it once for each number."""
    if len(bodies) <= _LEAF:
        chain = [step for number, body in bodies for step in ((_IF_EQUAL, 0, len(body), number), *body)]
        return [*chain, _return(_ALLOW)]
    middle = len(bodies) // 2
    lower, upper = _tree(bodies[:middle]), _tree(bodies[middle:])
    return [(_IF_GREATER, 0, 1, bodies[middle][0] - 1), (_JUMP, 0, 0, len(lower)), *lower, *upper]


def _denied_calls(policy: FilterPolicy) -> list[str]:
    names = [*DENIED]
    if policy.python:
        # A timer of timer_create may send SIGKILL to its own process, see _signal_checks. For a program, that is noticed.
        names += ["execve", "execveat", "timer_create"]
    if policy.single:
        names += ["fork", "vfork", "clone"]
    if not policy.files_protected:
        names += METADATA
        if policy.landlock_version < _HELD_TRUNCATION:
            names += ["truncate"]
    return names


def _argument_checks(policy: FilterPolicy, calls: Mapping[str, int]) -> dict[int, list[Instruction]]:
    locking = _PRETEND if policy.builds else _DENY
    checks = {
        "ioctl": _if(1, (*_TERMINAL_AND_OWNER_IOCTLS, *_ATTRIBUTE_IOCTLS), _DENY),
        "fcntl": [*_load(1), *_matches(_SETTING_LOCKS, locking), *_matches(_NEEDED_FCNTLS, _ALLOW), _return(_DENY)],
        "flock": [_return(locking)],
        # Nothing in a scratch folder outlasts the match. To write it at once would have everybody wait for the disk.
        **{name: [_return(_PRETEND)] for name in ("fsync", "fdatasync", "sync_file_range")},
        "msync": [*_load(2), (_IF_BITS, 0, 1, _MS_SYNC), _return(_PRETEND), _return(_ALLOW)],
        "fadvise64": _if(3, [_DONT_NEED], _DENY),
        "madvise": _if(2, [_PAGE_OUT], _DENY),
        # With PR_SET_PDEATHSIG, it could outlive its parent.
        "prctl": _if(0, [PR_SET_PDEATHSIG, _PR_SCHED_CORE], _DENY),
        # Mono sets each new thread to the priority that all threads have, and complains on standard output if that fails.
        "sched_setscheduler": _if(1, [os.SCHED_OTHER], _PRETEND, otherwise=_DENY),
        "prlimit64": _own_limits(),
        "setrlimit": _if(0, [resource.RLIMIT_CPU], _DENY),
        "socketpair": _connected_pairs(),
        "setsockopt": _if(2, _BUFFER_SIZES, _DENY),
    }
    if not policy.own_processes:
        checks |= _signal_checks(policy) | _checks_of_others(policy)
    if not policy.single:
        # The lowest byte is the signal that the parent gets when the child ends.
        ends_parent = [(_KEEP_BITS, 0, 0, 0xFF), (_IF_EQUAL, 0, 1, signal.SIGKILL), _return(_DENY)]
        checks["clone"] = [*_load(0), (_IF_BITS, 0, 1, _NEW_NAMESPACES), _return(_DENY), *ends_parent, _return(_ALLOW)]
    if not policy.files_protected and policy.landlock_version < _HELD_TRUNCATION:
        # O_TRUNC with O_RDONLY, which open(2) calls undefined and Linux obeys.
        for name, argument in (("open", 1), ("openat", 2)):
            body = [*_load(argument), (_IF_BITS, 0, 2, os.O_TRUNC), (_IF_BITS, 1, 0, os.O_ACCMODE), _return(_DENY)]
            checks[name] = [*body, _return(_ALLOW)]
    return {calls[name]: body for name, body in checks.items() if name in calls}


def _checks_of_others(policy: FilterPolicy) -> dict[str, list[Instruction]]:
    """What would tell of other processes: how much one of them has computed, whether it is there, whether it waits at a page.

    A process with one thread knows the numbers 0 and its own. A template's cells have other numbers than their filter, so of what
    the C library asks about threads, theirs goes through.
    """
    of_others = [(_IF_BITS, 1, 0, 1 << 31), _return(_ALLOW), (_IF_BITS, 0, 1, _OF_A_THREAD), _return(_ALLOW)]
    clock = [*_load(0), *of_others, (_KEEP_BITS, 0, 0, _OWN_CLOCKS), *_matches([_OWN_CLOCKS], _ALLOW), _return(_DENY)]
    checks = dict.fromkeys(("clock_gettime", "clock_getres", "clock_nanosleep"), clock)
    if policy.single:
        checks["futex"] = [*_load(1), (_IF_BITS, 1, 0, _PRIVATE_FUTEX), _return(_DENY), _return(_ALLOW)]
        whom = [0] if policy.template else [0, _OWN]
        asking = _ABOUT_PROCESSES if policy.template else _ABOUT_PROCESSES | dict.fromkeys(_ABOUT_THREADS, 0)
        checks |= {name: _unless(argument, whom, _DENY) for name, argument in asking.items()}
    return checks


def _signal_checks(policy: FilterPolicy) -> dict[str, list[Instruction]]:
    """A cell may signal itself and, where Landlock restricts signals, also what it has forked. But never itself with SIGKILL.

    If a cell ends by SIGKILL, it was killed from outside, and its match is played again. Nobody should get a second try that way,
    nor by stopping the launcher of its own program, which is in its group.
    """
    own = {name: [_OWN, 0, _MINUS_OWN] if name == "kill" else [_OWN] for name in _SIGNALS}
    if policy.single or policy.landlock_version < _SCOPED_SIGNALS:
        return {name: [*_deny_kill(which), *_unless(0, own[name], _DENY)] for name, which in _SIGNALS.items()}
    checks = {name: [*_deny_kill(which, signal.SIGSTOP), _return(_ALLOW)] for name, which in _SIGNALS.items()}
    for name in ("kill", "rt_sigqueueinfo"):
        to_whom = _if(0, [_OWN, 0, _MINUS_OWN, -1], _DENY)
        certain = [(_IF_EQUAL, 2, 0, signal.SIGKILL), (_IF_EQUAL, 1, 0, signal.SIGSTOP), _return(_ALLOW)]
        checks[name] = [*_load(_SIGNALS[name]), *certain, *to_whom]
    return checks


def _template_checks(calls: Mapping[str, int], bodies: Mapping[int, list[Instruction]]) -> dict[int, list[Instruction]]:
    """What a process may do to itself alone, and a template not at all. The zygote decides, because it sees who asks.

    Denied is what would carry something from a cell to the next one: a file without a name takes a number from its file system
    without a trace in a folder.
    """
    checks = {
        "clone": [_return(_ASK)],
        # A cell asks for its pipes by this.
        "prctl": [*_load(0), *_matches([PR_SET_PDEATHSIG], _ASK), *_matches([_PR_SCHED_CORE], _DENY), _return(_ALLOW)],
        "prlimit64": [*_load(0), (_IF_EQUAL, 1, 0, 0), _return(_ASK), *_own_limits()],
        # The lowest bit is set for shared memory of both kinds, MAP_SHARED and MAP_SHARED_VALIDATE.
        "mmap": [*_load(3), (_IF_BITS, 0, 1, 1), _return(_ASK), _return(_ALLOW)],
    }
    checks |= {name: [*_deny_kill(which), _return(_ASK)] for name, which in _SIGNALS.items()}
    for name, flags in (("open", 1), ("openat", 2)):
        if name in calls:
            nameless = [*_load(flags), (_IF_BITS, 0, 1, _NAMELESS), _return(_DENY)]
            checks[name] = [*nameless, *bodies.get(calls[name], [_return(_ALLOW)])]
    return {calls[name]: body for name, body in checks.items()}


def _deny_kill(argument: int, *more: int) -> list[Instruction]:
    return [*_load(argument), *_matches((signal.SIGKILL, *more), _DENY)]


def _own_limits() -> list[Instruction]:
    """Limits of other processes could be lowered until they fail; its own CPU time until the kernel sends SIGKILL."""
    new = _ARGUMENTS + 8 * 2
    return [
        *_load(0),
        (_IF_EQUAL, 2, 0, 0),
        (_IF_EQUAL, 1, 0, _OWN),
        _return(_DENY),
        *_load(1),
        (_IF_EQUAL, 1, 0, resource.RLIMIT_CPU),
        _return(_ALLOW),
        # Both halves of a pointer that is null if a limit is only read.
        *(step for half in (new, new + 4) for step in ((_LOAD, 0, 0, half), (_IF_EQUAL, 1, 0, 0), _return(_DENY))),
        _return(_ALLOW),
    ]


def _connected_pairs() -> list[Instruction]:
    """A pair of AF_UNIX that stays connected leads nowhere else; asyncio wakes itself up with one.

    A datagram socket of a pair may still send to any path, without connect. Streams and packets in sequence may not.
    """
    kinds = _matches((socket.SOCK_STREAM, socket.SOCK_SEQPACKET), _ALLOW)
    is_unix = [*_load(0), (_IF_EQUAL, 1, 0, socket.AF_UNIX), _return(_DENY)]
    # Above the lowest four bits are flags such as SOCK_CLOEXEC.
    return [*is_unix, *_load(1), (_KEEP_BITS, 0, 0, 0xF), *kinds, _return(_DENY)]


def _load(argument: int) -> list[Instruction]:
    """Load the lower half of an argument. All checked arguments are ints to the kernel, or flags in the lower half."""
    return [(_LOAD, 0, 0, _ARGUMENTS + 8 * argument)]


def _if(argument: int, values: Iterable[int], action: int, otherwise: int = _ALLOW) -> list[Instruction]:
    return [*_load(argument), *_matches(values, action), _return(otherwise)]


def _unless(argument: int, values: Iterable[int], action: int) -> list[Instruction]:
    return [*_load(argument), *_matches(values, _ALLOW), _return(action)]


def _matches(values: Iterable[int], action: int) -> list[Instruction]:
    return [step for value in values for step in ((_IF_EQUAL, 0, 1, value & _WORD), _return(action))]


def _return(action: int) -> Instruction:
    return (_RETURN, 0, 0, action)
