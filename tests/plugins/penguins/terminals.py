"""A terminal of one's own for a command: what it shows, and what somebody types into it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

PATIENCE: Final = 120.0
"""Seconds; a loaded machine takes long to start a command."""
AGAIN: Final = 5.0
"""Seconds until somebody interrupts once more."""
CTRL_C: Final = "\x03"
CTRL_D: Final = "\x04"


class Seat:
    """The far end of the terminal."""

    def __init__(self, process: subprocess.Popen[bytes], terminal: int) -> None:
        self._process, self._terminal = process, terminal
        self.shown = ""
        """All that was shown."""
        self._seen = 0

    def expect(self, text: str) -> str:
        """Wait until something is shown, behind what was expected before; what was shown up to there."""
        until = time.monotonic() + PATIENCE
        while (found := self.shown.find(text, self._seen)) < 0:
            assert self._read(until), f"{text!r} was not shown, but: {self.shown[self._seen :]!r}"
        begin, self._seen = self._seen, found + len(text)
        return self.shown[begin : self._seen]

    def type(self, text: str, end: str = "\n") -> None:
        """Type a line."""
        os.write(self._terminal, f"{text}{end}".encode())

    def end(self, again: Callable[[], object] | None = None) -> int:
        """Wait for the end of the command; its status.

        Args:
            again: what asked it to end, to be done again from time to time: of an interruption between a prompt and the wait for
                a key Python hears at the next one only.
        """
        until = time.monotonic() + PATIENCE
        while again is not None and self._process.poll() is None and time.monotonic() < until:
            pause = time.monotonic() + AGAIN
            while self._read(pause):
                pass
            if self._process.poll() is None:
                again()
        while self._read(until):
            pass
        return self._process.wait(PATIENCE)

    def send(self, number: signal.Signals) -> None:
        """Send the command a signal."""
        self._process.send_signal(number)

    def _read(self, until: float) -> bool:
        if not select.select([self._terminal], [], [], max(0.0, until - time.monotonic()))[0]:
            return False
        try:
            data = os.read(self._terminal, 65536)
        except OSError:
            # Nobody has the other end any more.
            return False
        self.shown += data.decode().replace("\r\n", "\n")
        return bool(data)


@contextlib.contextmanager
def at_terminal(
    words: Sequence[str],
    folder: Path,
    *,
    environment: Mapping[str, str] | None = None,
    size: tuple[int, int] = (24, 80),
    streams: bool = True,
) -> Iterator[Seat]:
    """A command in a session of its own, whose terminal this is.

    Args:
        words: the command.
        folder: in which it runs.
        environment: variables that differ.
        size: lines and columns.
        streams: whether the command's standard streams lead to the terminal; else it has none, as under some game masters.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
    # TIOCSCTTY needs a session's first process; a small Python becomes it, and then the command.
    start = (
        "import fcntl, os, sys, termios; fcntl.ioctl(int(sys.argv[1]), termios.TIOCSCTTY, 0); os.execv(sys.argv[2], sys.argv[2:])"
    )
    process = subprocess.Popen(
        [sys.executable, "-S", "-c", start, str(theirs), *words],
        cwd=folder,
        env={**os.environ, "TERM": "xterm", "NO_COLOR": "1", **(environment or {})},
        stdin=theirs if streams else subprocess.DEVNULL,
        stdout=theirs if streams else subprocess.DEVNULL,
        stderr=theirs if streams else subprocess.DEVNULL,
        start_new_session=True,
        pass_fds=(theirs,),
    )
    os.close(theirs)
    try:
        yield Seat(process, ours)
    finally:
        process.kill()
        process.wait()
        os.close(ours)
