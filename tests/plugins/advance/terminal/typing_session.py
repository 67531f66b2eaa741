"""Somebody at a real terminal: a command behind a pty, and what it shows waited for."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

GENEROUS = 120.0
"""Seconds that anything may take on a busy machine."""
AGAIN = 5.0
"""Seconds until somebody presses Ctrl-C again."""
_SEQUENCES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


_CONTROLLING = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
"""Makes the pseudo-terminal the one that Ctrl-C comes from and that /dev/tty is, then becomes the command."""


class Session:
    """A context: at its end the command is gone."""

    def __init__(self, command: list[str], folder: Path, environment: Mapping[str, str]) -> None:
        self.shown = ""
        """All that came until now."""
        self._seen = 0
        self._terminal, end = pty.openpty()
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _CONTROLLING, *command],
                stdin=end,
                stdout=end,
                stderr=end,
                cwd=folder,
                env=dict(environment),
                start_new_session=True,
            )
        finally:
            os.close(end)

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._terminal)

    def expect(self, text: str) -> str:
        """Wait until ``text`` has come since the last time; what came up to its end, without colours."""
        until = time.monotonic() + GENEROUS
        while (at := self.plain.find(text, self._seen)) < 0:
            assert self._receive(until), f"{text!r} never came; there came:\n{self.plain[self._seen :]}"
        begun, self._seen = self._seen, at + len(text)
        return self.plain[begun : self._seen]

    def type(self, text: str) -> None:
        """Press keys."""
        os.write(self._terminal, text.encode())

    def interrupt(self, text: str) -> str:
        """Press Ctrl-C until ``text`` comes; what came up to its end.

        One that comes between a prompt and the wait for a key is seen by Python at the next key only.
        """
        until = time.monotonic() + GENEROUS
        while text not in self.plain[self._seen :]:
            assert time.monotonic() < until, f"{text!r} never came; there came:\n{self.plain[self._seen :]}"
            self.type("\x03")
            pause = time.monotonic() + AGAIN
            while text not in self.plain[self._seen :] and self._receive(pause):
                pass
        return self.expect(text)

    def end(self) -> int:
        """Wait for the end of the command; its status."""
        until = time.monotonic() + GENEROUS
        while self._receive(until):
            pass
        return self._process.wait(max(1.0, until - time.monotonic()))

    @property
    def plain(self) -> str:
        """All that came, without colours and carriage returns."""
        return _SEQUENCES.sub("", self.shown).replace("\r", "")

    def _receive(self, until: float) -> bool:
        ready, _, _ = select.select([self._terminal], [], [], max(0.0, until - time.monotonic()))
        try:
            data = os.read(self._terminal, 1 << 16) if ready else b""
        except OSError:
            # What a pty reads as when nobody holds its other end any more.
            data = b""
        self.shown += data.decode("utf-8", "replace")
        return bool(data)
