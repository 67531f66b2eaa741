"""Somebody at a real terminal: a command behind a pseudo-terminal, what it shows, and what is typed into it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

PATIENCE: Final = 120.0
"""Seconds; a loaded machine takes long to start a command."""
AGAIN: Final = 5.0
"""Seconds until somebody presses Ctrl-C again."""
CTRL_C: Final = "\x03"
CTRL_D: Final = "\x04"
SEQUENCES: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
# TIOCSCTTY needs a session's first process; a small Python becomes it, and then the command.
START: Final = (
    "import fcntl, os, sys, termios; fcntl.ioctl(int(sys.argv[1]), termios.TIOCSCTTY, 0); os.execv(sys.argv[2], sys.argv[2:])"
)


class TerminalSession:
    """A command in a session of its own, whose terminal this is. A context: at its end the command is gone.

    Args:
        command: the command.
        folder: in which it runs.
        environment: all its variables.
        size: lines and columns.
        streams: whether the command's standard streams lead to the terminal; else it has none, as under some game masters.
    """

    def __init__(
        self,
        command: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        *,
        size: tuple[int, int] = (24, 80),
        streams: bool = True,
    ) -> None:
        self.shown = ""
        """All that came until now."""
        self._seen = 0
        self._terminal, end = pty.openpty()
        fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-S", "-c", START, str(end), *command],
                stdin=end if streams else subprocess.DEVNULL,
                stdout=end if streams else subprocess.DEVNULL,
                stderr=end if streams else subprocess.DEVNULL,
                cwd=folder,
                env=dict(environment),
                start_new_session=True,
                pass_fds=(end,),
            )
        finally:
            os.close(end)

    def __enter__(self) -> TerminalSession:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._terminal)

    @property
    def plain(self) -> str:
        """All that came, without colours and carriage returns."""
        return SEQUENCES.sub("", self.shown).replace("\r", "")

    def expect(self, text: str) -> str:
        """Wait until ``text`` has come since the last time; what came up to its end, without colours."""
        until = time.monotonic() + PATIENCE
        while (at := self.plain.find(text, self._seen)) < 0:
            assert self._receive(until), f"{text!r} never came; there came:\n{self.plain[self._seen :]}"
        begun, self._seen = self._seen, at + len(text)
        return self.plain[begun : self._seen]

    def press(self, keys: str) -> None:
        """Press keys."""
        os.write(self._terminal, keys.encode())

    def type(self, line: str) -> None:
        """Type a line."""
        self.press(f"{line}\n")

    def interrupt(self, text: str) -> str:
        """Press Ctrl-C until ``text`` comes; what came up to its end.

        One that comes between a prompt and the wait for a key is seen by Python at the next key only.
        """
        until = time.monotonic() + PATIENCE
        while text not in self.plain[self._seen :]:
            assert time.monotonic() < until, f"{text!r} never came; there came:\n{self.plain[self._seen :]}"
            self.press(CTRL_C)
            self._receive_for(AGAIN, lambda: text in self.plain[self._seen :])
        return self.expect(text)

    def send(self, number: signal.Signals) -> None:
        """Send the command a signal."""
        self._process.send_signal(number)

    def end(self, again: Callable[[], object] | None = None) -> int:
        """Wait for the end of the command; its status.

        Args:
            again: what asked it to end, to be done again from time to time, as in ``interrupt``.
        """
        until = time.monotonic() + PATIENCE
        while again is not None and self._process.poll() is None and time.monotonic() < until:
            self._receive_for(AGAIN, lambda: False)
            if self._process.poll() is None:
                again()
        while self._receive(until):
            pass
        return self._process.wait(max(1.0, until - time.monotonic()))

    def _receive_for(self, seconds: float, is_enough: Callable[[], bool]) -> None:
        until = time.monotonic() + seconds
        while not is_enough() and self._receive(until):
            pass

    def _receive(self, until: float) -> bool:
        ready, _, _ = select.select([self._terminal], [], [], max(0.0, until - time.monotonic()))
        try:
            data = os.read(self._terminal, 1 << 16) if ready else b""
        except OSError:
            # What a pseudo-terminal reads as when nobody holds its other end any more.
            data = b""
        self.shown += data.decode("utf-8", "replace")
        return bool(data)
