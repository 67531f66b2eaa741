"""System calls that Python does not offer, or that it doesn't name in its errors. A failure is an OSError that names the call.

A kernel says little more than "Invalid argument", so the message also says what the call was to do.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
from collections.abc import Iterable, Iterator
from typing import Final

_LIBC: Final = ctypes.CDLL(None, use_errno=True)
_syscall = _LIBC.syscall
_syscall.restype = ctypes.c_long
_prctl = _LIBC.prctl
_prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]

PR_SET_PDEATHSIG: Final = 1
PR_SET_DUMPABLE: Final = 4
PR_SET_SECCOMP: Final = 22
PR_SET_CHILD_SUBREAPER: Final = 36
PR_SET_NO_NEW_PRIVS: Final = 38
LAST_DESCRIPTOR: Final = 0x7FFFFFFF
_MNT_DETACH: Final = 2
_CLOSE_RANGE: Final = 436
"""On every architecture."""
_NAMESPACES: Final = {0x10000000: "user", 0x00020000: "mount", 0x08000000: "ipc", 0x20000000: "pid", 0x40000000: "net"}
_AT_FDCWD: Final = -100
_EXCHANGE: Final = 2


def system_call(name: str, number: int, *arguments: int | bytes | ctypes.Array[ctypes.c_char] | None) -> int:
    """Make a system call by its number.

    Integers are passed as longs: a variadic C function would otherwise leave their upper halves undefined.
    """
    values = [ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
    return _checked(name, int(_syscall(ctypes.c_long(number), *values)))


def process_control(name: str, option: int, *arguments: int) -> None:
    """prctl(2); unused arguments are 0, as several options demand."""
    _checked(name, int(_prctl(option, *(*arguments, 0, 0, 0, 0)[:4])))


def give_memory_back() -> None:
    """Return freed memory to the system, which the C library keeps; nothing where it can't. Takes some milliseconds."""
    with contextlib.suppress(AttributeError):
        # Only the GNU C library has it.
        _LIBC.malloc_trim(0)


def unshare(flags: int) -> None:
    """Leave the namespaces that the flags name."""
    names = ", ".join(name for flag, name in _NAMESPACES.items() if flags & flag) or f"flags {flags:#x}"
    _checked(f"unshare of the namespaces: {names}", int(_LIBC.unshare(ctypes.c_int(flags))))


def mount(source: str, target: str, kind: str, flags: int, options: str) -> None:
    """Mount a file system; without a kind the source, or what is there with other flags."""
    paths = (os.fsencode(source), os.fsencode(target), os.fsencode(kind))
    what = f"mount of {kind or source or 'it again'} on {target} (flags {flags:#x}{f', {options}' if options else ''})"
    _checked(what, int(_LIBC.mount(*paths, ctypes.c_ulong(flags), options.encode("ascii"))))


def unmount(target: str) -> None:
    """Unmount a file system, at once or when it is no longer used."""
    _checked(f"unmount {target}", int(_LIBC.umount2(os.fsencode(target), ctypes.c_int(_MNT_DETACH))))


def exchange(one: str, other: str) -> None:
    """Let two files or folders of one file system change places, in one step. Not every file system can."""
    paths = [ctypes.c_char_p(os.fsencode(path)) for path in (one, other)]
    here = ctypes.c_int(_AT_FDCWD)
    _checked(f"renameat2 of {one} and {other}", int(_LIBC.renameat2(here, paths[0], here, paths[1], ctypes.c_uint(_EXCHANGE))))


def close_range(first: int, last: int) -> None:
    """Close all descriptors from first to last. Before Linux 5.9 this is done one by one, up to the limit of open files."""
    try:
        system_call("close_range", _CLOSE_RANGE, first, last, 0)
    except OSError:
        os.closerange(first, min(last, os.sysconf("SC_OPEN_MAX")) + 1)


def run_on(cores: Iterable[int]) -> None:
    """Let this process run on these cores alone. They may have been taken from it since it learned of them."""
    numbers = sorted(cores)
    with naming_errors(f"sched_setaffinity to the cores {numbers}"):
        os.sched_setaffinity(0, numbers)


@contextlib.contextmanager
def naming_errors(what: str) -> Iterator[None]:
    """What fails inside is an OSError that says what was being done."""
    try:
        yield
    except (OSError, ValueError) as error:
        number = getattr(error, "errno", None) or errno.EINVAL
        raise OSError(number, f"{what}: {getattr(error, 'strerror', None) or error}") from error


def _checked(name: str, result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result
