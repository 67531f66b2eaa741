"""The process of a match worker: a fork of this one where that is safe, else an interpreter of its own.

A fork has everything imported already. An interpreter of its own takes a quarter of a second for that, as long as thirty short
matches. What a fork inherits and an interpreter of its own wouldn't is given back before it plays: descriptors, signal handlers,
standard streams, the folder of the main script.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import os
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NoReturn, Protocol, TextIO, cast

from tiltyard_simulator.guard.confinement.kernel.libc import LAST_DESCRIPTOR, close_range
from tiltyard_simulator.match.imported_packages import folders_of_the_main_script
from tiltyard_simulator.play.worker_main import main

FIRST_OTHER_DESCRIPTOR: Final = 3
"""The first after the standard streams."""


class WorkerProcess(Protocol):
    """A child process, however it was started."""

    @property
    def pid(self) -> int:
        """The number of the process."""
        ...

    def kill(self) -> None:
        """End it at once; nothing happens if it has ended."""
        ...

    def wait(self) -> int:
        """Wait until it has ended. Returns its exit status, or the negative number of the signal that ended it."""
        ...


def start_worker(channel: socket.socket, core: int, environment: Mapping[str, str], may_fork: bool = True) -> WorkerProcess:
    """Start a match worker.

    Args:
        channel: its end of the channel; the caller closes it here.
        core: the core for it and its cells; -1: any.
        environment: added to its environment. With anything in it, the worker is an interpreter of its own: what this process has
            loaded may have read its own environment.
        may_fork: False: an interpreter of its own in any case.

    Raises:
        OSError: the machine allows no further process.
    """
    if may_fork and not environment and can_fork():
        return _forked(channel.fileno(), core)
    # Without -P, modules would be imported from the current folder, which teams could then read.
    numbers = [str(number) for number in (channel.fileno(), os.getpid(), core)]
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "tiltyard_simulator.play.worker_main", *numbers],
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        pass_fds=[channel.fileno()],
        start_new_session=True,
    )


def can_fork() -> bool:
    """Whether this process has one thread: in a fork, locks that other threads hold would stay locked.

    Threads of libraries count too, which only the kernel knows.
    """
    try:
        return sys.platform == "linux" and len(list(Path("/proc/self/task").iterdir())) == 1
    except OSError:
        return False


class _Fork:
    """A child process that ``subprocess`` doesn't know."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._status: int | None = None

    def kill(self) -> None:
        if self._status is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        if self._status is None:
            self._status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self._status


def _forked(channel: int, core: int) -> _Fork:
    parent = os.getpid()
    # No handler of this process may run in the fork, and no Ctrl-C may reach it before it ignores that.
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        pid = os.fork()
        if pid == 0:
            _play_and_exit(channel, parent, core, blocked)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
    return _Fork(pid)


def _play_and_exit(channel: int, parent: int, core: int, mask: set[int | signal.Signals]) -> NoReturn:
    """The fork: it never returns, so nothing of its parent is left, closed or flushed a second time."""
    status = 1
    try:
        # Objects of the parent that own descriptors must not be found unused here: the numbers are others' by then.
        gc.freeze()
        os.setsid()
        channel = fcntl.fcntl(channel, fcntl.F_DUPFD_CLOEXEC, FIRST_OTHER_DESCRIPTOR)
        _give_back(channel)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        main(channel, parent, core)
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def _give_back(own_descriptor: int) -> None:
    """What is the parent's alone; the descriptor ``kept`` is this process's."""
    for number in signal.valid_signals():
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_IGN if number == signal.SIGINT else signal.SIG_DFL)
    signal.set_wakeup_fd(-1)
    close_range(FIRST_OTHER_DESCRIPTOR, own_descriptor - 1)
    close_range(own_descriptor + 1, LAST_DESCRIPTOR)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    if nowhere >= FIRST_OTHER_DESCRIPTOR:
        os.close(nowhere)
    sys.stdin, sys.stdout = _stream(0, "r"), _stream(1, "w")
    with contextlib.suppress(OSError):
        sys.stderr = _stream(2, "w")
    if not sys.flags.safe_path and sys.path and sys.path[0] in folders_of_the_main_script():
        # As -P does it.
        del sys.path[0]


def _stream(descriptor: int, mode: str) -> TextIO:
    """A standard stream that holds nothing of what the parent's has read ahead or not written yet."""
    return cast(TextIO, open(descriptor, mode, 1, encoding="utf-8", errors="backslashreplace", closefd=False))
