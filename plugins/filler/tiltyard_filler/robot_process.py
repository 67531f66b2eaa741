"""A robot as the subject's engine runs it: with the folder and the environment of whoever starts the game, not confined.

Unlike there nothing of it is left at the end of the game.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

from tiltyard_engine.host.plain_host import kill_group
from tiltyard_engine.programs import LAST_ANSWER_SECONDS, ProgramError, late_answer
from tiltyard_engine.results import Termination
from tiltyard_engine.texts.lines import LineBuffer

CHUNK: Final = 1 << 16
MOST_AHEAD: Final = 1 << 20
"""The number of bytes kept of what a robot writes before it is asked; then it has to wait."""
PR_SET_PDEATHSIG: Final = 1
PR_SET_CHILD_SUBREAPER: Final = 36
LIBC: Final = ctypes.CDLL(None) if sys.platform == "linux" else None


class RobotProcess:
    """One robot's process, a Channel."""

    def __init__(self, executable: str, path: str, reads_stderr: bool = True) -> None:
        """Start ``executable``, which is told that its name is ``path``.

        What it writes to standard error is thrown away; with ``reads_stderr`` False it fills a pipe, and then the robot waits.

        Raises:
            OSError: it cannot be started.
        """
        self._process = subprocess.Popen(
            [path],
            executable=executable,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if reads_stderr else subprocess.PIPE,
            start_new_session=True,
            preexec_fn=_die_with_parent,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._stdin, False)
        os.set_blocking(self._stdout, False)
        self._output = LineBuffer()
        self._has_ended = False
        """Whether the robot has closed its output."""
        self._until = float("inf")

    def begin(self, seconds: float, doing: str) -> None:
        """What follows may take that long, in wall time."""
        self._until = time.monotonic() + seconds

    def write(self, data: bytes) -> None:
        """Write all of it; what the robot writes meanwhile is kept, as it may wait for that to be read."""
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[os.write(self._stdin, rest) :]
            except BlockingIOError:
                descriptors = [(self._stdin, select.POLLOUT)]
                if not self._has_ended and len(self._output) < MOST_AHEAD:
                    descriptors.append((self._stdout, select.POLLIN))
                if self._stdout in self._wait(descriptors):
                    self._receive()
            except BrokenPipeError:
                self._receive()
                received = self._output.take(CHUNK)
                raise ProgramError(Termination.DISCONNECT, "the robot closed its standard input", received) from None

    def read(self, limit: int) -> bytes:
        """What there is, at most ``limit`` bytes, as soon as there is any; empty at the end of the output."""
        while not len(self._output) and not self._has_ended:
            self._wait([(self._stdout, select.POLLIN)])
            self._receive()
        return self._output.take(limit)

    def _receive(self) -> None:
        with contextlib.suppress(BlockingIOError):
            data = os.read(self._stdout, CHUNK)
            self._output.add(data)
            self._has_ended = not data

    def _wait(self, descriptors: list[tuple[int, int]]) -> list[int]:
        """The descriptors that are ready; ProgramError if the time is over."""
        poller = select.poll()
        for descriptor, events in descriptors:
            poller.register(descriptor, events)
        seconds_left = self._until - time.monotonic()
        ready = poller.poll(None if seconds_left == float("inf") else max(0.0, seconds_left * 1000))
        if not ready:
            raise ProgramError(Termination.TIMEOUT, f"no answer in time{self._last_answer()}")
        return [descriptor for descriptor, _ in ready]

    def _last_answer(self) -> str:
        """What to say of an answer that comes only when the input is closed."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        if not select.select([self._stdout], [], [], LAST_ANSWER_SECONDS)[0]:
            return ""
        self._receive()
        answer = self._output.take(CHUNK)
        return late_answer(answer) if answer.strip() else ""

    def end(self) -> None:
        """Kill the robot and its process group."""
        kill_group(self._process)


def adopt_orphans() -> None:
    """From now on a descendant whose parent has ended is a child of this process, and can be found in the end."""
    if LIBC is not None:
        LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def kill_children() -> None:
    """Kill and reap all children of this process, and whoever becomes one by that: those that left their robot's group."""
    while children := _children():
        for child in children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(child, 0)


def _children() -> list[int]:
    own, children = os.getpid(), []
    for folder in Path("/proc").glob("[0-9]*") if sys.platform == "linux" else ():
        with contextlib.suppress(OSError):
            # "pid (name) state parent ..."; a name may hold anything.
            fields = (folder / "stat").read_bytes().rpartition(b")")[2].split()
            if int(fields[1]) == own:
                children.append(int(folder.name))
    return children


def _die_with_parent() -> None:
    """In the robot's process before it becomes the robot: killed game, killed robots."""
    if LIBC is not None:
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
