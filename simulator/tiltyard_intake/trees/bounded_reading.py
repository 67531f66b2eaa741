"""Reading what strangers handed in, in a process that can be killed: within bounds of CPU time, memory and time on the clock.

The process takes one request after the other, and a new one is started after it was killed: starting it takes as long as unpacking
dozens of usual archives. It is an interpreter of its own, as threads may be at work here, and only POSIX is needed for it. It runs
nothing of anybody else, so it has no sandbox: what must hold is that one archive takes no more than its share.
"""

from __future__ import annotations

import atexit
import json
import os
import pickle
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, ParamSpec, TypeVar, cast

from tiltyard_engine.errors import UserError, describe
from tiltyard_engine.texts.quantities import counted
from tiltyard_intake.archives.bounds import MIB, Bounds, in_words
from tiltyard_intake.archives.unpack_errors import Cause, UnpackError
from tiltyard_intake.trees.reading_process import LENGTH, READY
from tiltyard_simulator.guard.process_start import STARTING

P = ParamSpec("P")
T = TypeVar("T")
LARGEST_ANSWER: Final = 64 * MIB
LOOK_SECONDS: Final = 0.2
"""How often it is looked at whether the caller still wants an answer."""
BOOT: Final = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from tiltyard_intake.trees.reading_process import serve; serve()"
)
_NO_PROCESS: Final = "no process can be started to read the works"


class GivenUpError(Exception):
    """Nobody waits for the answer any more."""


def never() -> bool:
    """For callers that always want the answer."""
    return False


def read_bounded(
    name: str, bounds: Bounds, given_up: Callable[[], bool], function: Callable[P, T], *arguments: P.args, **more: P.kwargs
) -> T:
    """Call a function in the reading process.

    Whatever it has written until it is killed stays: the caller removes it.

    Args:
        name: how people call what is read, for messages.
        bounds: for this call alone.
        given_up: whether the answer isn't wanted any more; looked at a few times a second.
        function: a function of a module. It, what it gets and what it returns can be pickled.
        arguments: what it gets.
        more: the same by name.

    Raises:
        UnpackError: a bound was passed, the process fell, or the function raised what it shouldn't.
        UserError: the function raised it, or no process can be started.
        GivenUpError: ``given_up`` said so.
    """
    request = pickle.dumps((_here(), bounds, function, arguments, more))
    process = _take()
    try:
        while not process.ask(request):
            # Somebody ended it since it was last used.
            process.end()
            process = _take()
        is_returned, value = process.answer(name, bounds, given_up)
    except BaseException:
        process.end()
        raise
    if is_returned or isinstance(value, UserError):
        _IDLE.append(process)
    else:
        # Its memory may be full.
        process.end()
    if is_returned:
        return cast("T", value)
    if isinstance(value, UserError):
        raise value
    assert isinstance(value, Exception)
    if isinstance(value, MemoryError):
        raise _too_long(name, f"{in_words(bounds.memory)} of memory")
    raise UnpackError(name, Cause.DAMAGED, describe(value))


def _here() -> str:
    """The folder that relative paths are relative to."""
    with suppress(OSError):
        return str(Path.cwd())
    return "/"


def _too_long(name: str, what: str) -> UnpackError:
    return UnpackError(name, Cause.TOO_LONG, what)


class _Process:
    def __init__(self) -> None:
        path = [str(Path(folder).absolute()) for folder in sys.path]
        try:
            with STARTING:
                self._process = subprocess.Popen(
                    # Without -P, modules would be imported from the current folder, where students' files may lie.
                    [sys.executable, "-P", "-s", "-c", BOOT, json.dumps(path)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    bufsize=0,
                    # Ctrl-C goes to this process, which ends that one.
                    start_new_session=True,
                )
        except OSError as error:
            raise UserError(f"{_NO_PROCESS}: {error.strerror}") from error
        try:
            assert self._process.stdout is not None
            is_ready = bool(self._process.stdout.read(len(READY)))
        except BaseException:
            self.end()
            raise
        if not is_ready:
            self.end()
            raise UserError(f"{_NO_PROCESS}: {sys.executable} ended with status {self._process.returncode}")

    def ask(self, request: bytes) -> bool:
        """Send a request; whether it was taken."""
        assert self._process.stdin is not None
        data = memoryview(LENGTH.pack(len(request)) + request)
        try:
            while data:
                data = data[self._process.stdin.write(data) :]
        except BrokenPipeError:
            return False
        return True

    def answer(self, name: str, bounds: Bounds, given_up: Callable[[], bool]) -> tuple[bool, object]:
        """Wait for the answer: whether the function returned, and what it returned or raised."""
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        until = time.monotonic() + bounds.seconds
        data = bytearray()
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        while len(data) < LENGTH.size or len(data) < LENGTH.size + LENGTH.unpack_from(data)[0]:
            if given_up():
                raise GivenUpError
            left = until - time.monotonic()
            if left <= 0:
                raise _too_long(name, counted(bounds.seconds, "second"))
            if not poll.poll(1000 * min(left, LOOK_SECONDS)):
                continue
            piece = os.read(descriptor, MIB)
            if not piece:
                raise self._fallen(name, bounds)
            data += piece
            if len(data) > LARGEST_ANSWER:
                raise UnpackError(name, Cause.LONG_LIST, in_words(LARGEST_ANSWER))
        # From our own code, which has the same rights as this process.
        return cast("tuple[bool, object]", pickle.loads(data[LENGTH.size :]))  # noqa: S301

    def _fallen(self, name: str, bounds: Bounds) -> UnpackError:
        status = self._process.wait()
        if status == -signal.SIGXCPU:
            return _too_long(name, f"{counted(bounds.cpu_seconds, 'second')} of CPU time")
        how = signal.Signals(-status).name if status < 0 else f"status {status}"
        return UnpackError(name, Cause.DAMAGED, f"its reader ended with {how}")

    def end(self) -> None:
        """Kill it, and wait until it has ended."""
        self._process.kill()
        self._process.wait()
        self._close()

    def forget(self) -> None:
        """Leave it to another process."""
        # Else it would be told of as one that was not waited for.
        self._process.returncode = 0
        self._close()

    def _close(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()


_IDLE: Final[list[_Process]] = []
"""Those that wait for a request."""


def _take() -> _Process:
    try:
        return _IDLE.pop()
    except IndexError:
        return _Process()


@atexit.register
def end_idle() -> None:
    """End all that wait for a request."""
    while _IDLE:
        _IDLE.pop().end()


def _forget() -> None:
    """A fork has nothing of its parent's processes, and ends none."""
    for process in _IDLE:
        process.forget()
    _IDLE.clear()


os.register_at_fork(after_in_child=_forget)
