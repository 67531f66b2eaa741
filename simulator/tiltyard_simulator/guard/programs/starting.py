"""Starts a program's processes from the launcher: at once, or through a child that restricts itself first."""

from __future__ import annotations

import errno
import os
import signal
import struct
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from typing import Final, NoReturn

from tiltyard_engine.data_classes import dataclass
from tiltyard_simulator.guard.confinement.kernel.landlock import Ruleset, restrict_self
from tiltyard_simulator.guard.confinement.kernel.proc_mount import ProcMountLayer

BACK_TO_DEFAULT: Final = (signal.SIGPIPE, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD)
"""Python or the launcher ignores or catches these signals. A program must start with the defaults.

SIGXFSZ stays ignored. A file that gets too large is then an error that the program can handle: .NET makes room for all code that it
may ever compile, finds that it cannot, and goes on. By the signal, it would be killed at its start.
"""
_MISSING: Final = (errno.ENOENT, errno.ENOTDIR, errno.ESTALE, errno.ENODEV, errno.ETIMEDOUT)
_NUMBER: Final = struct.Struct("=i")
_LONGEST: Final = 1024
"""Bytes of a number and a reason: a pipe takes them at once."""


@dataclass(frozen=True, slots=True)
class ProcessStart:
    """What a process is to be."""

    command: list[str]
    environment: Mapping[str, str]
    """Beside the launcher's own."""
    streams: tuple[int, int, int]
    """Its standard streams. All other descriptors are closed there."""


def start(what: ProcessStart, proc_mount: ProcMountLayer | None = None) -> int:
    """Start a process; its number.

    Raises:
        OSError: it cannot be started.
    """
    if proc_mount is not None:
        return _start_restricted(what, proc_mount)
    actions = [(os.POSIX_SPAWN_DUP2, descriptor, place) for place, descriptor in enumerate(what.streams)]
    environment = {**os.environ, **what.environment}
    return os.posix_spawnp(what.command[0], what.command, environment, file_actions=actions, setsigdef=BACK_TO_DEFAULT)


def _start_restricted(what: ProcessStart, proc_mount: ProcMountLayer) -> int:
    """Fork, let the child wait until the rules name it, and let it apply them."""
    with ExitStack() as stack:
        rules = proc_mount.new_rules()
        stack.callback(os.close, rules.descriptor)
        admitted, admit = _pipe(stack)
        failed, fail = os.pipe2(os.O_CLOEXEC)
        stack.callback(os.close, failed)
        try:
            process = os.fork()
            if process == 0:
                _become(what, rules, admitted, fail)
        finally:
            # Only the child holds this end now, until it becomes the program.
            os.close(fail)
        try:
            proc_mount.admit(process, rules)
            os.write(admit, b"+")
            problem = os.read(failed, _LONGEST)
        except BaseException:
            _reap(process)
            raise
    if problem:
        _reap(process)
        (number,) = _NUMBER.unpack_from(problem)
        raise OSError(number, problem[_NUMBER.size :].decode("utf-8", "replace"))
    return process


def _pipe(stack: ExitStack) -> tuple[int, int]:
    """A pipe that is closed with the stack."""
    ends = os.pipe2(os.O_CLOEXEC)
    for end in ends:
        stack.callback(os.close, end)
    return ends


def _reap(process: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)


def _become(what: ProcessStart, rules: Ruleset, admitted: int, fail: int) -> NoReturn:
    """In the forked child: wait for the rules, apply them, and become the program."""
    try:
        os.read(admitted, 1)
        restrict_self(rules.descriptor)
        for place, descriptor in enumerate(what.streams):
            os.dup2(descriptor, place)
        for number in BACK_TO_DEFAULT:
            signal.signal(number, signal.SIG_DFL)
        _execute(what.command, {**os.environ, **what.environment})
    except OSError as error:
        # Not the command alone may fail, but also what confines it.
        os.write(fail, (_NUMBER.pack(error.errno or errno.EIO) + str(error.strerror).encode())[:_LONGEST])
    finally:
        os._exit(127)


def _execute(command: list[str], environment: Mapping[str, str]) -> NoReturn:
    """Become the program, looked up as posix_spawnp does it."""
    places = [command[0]] if "/" in command[0] else [f"{folder}/{command[0]}" for folder in os.get_exec_path()]
    problem = FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    refused: OSError | None = None
    for path in places:
        try:
            os.execve(path, command, environment)  # noqa: S606 -- no shell is the point
        except PermissionError as error:
            refused = error
        except OSError as error:
            if error.errno not in _MISSING:
                raise
    raise refused or problem
