"""A program on a pseudo-terminal of its own: keys go in, what it draws comes out."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

ROOT = Path(__file__).resolve().parents[2]

LONG = 60.0
"""Seconds after which a test gives up: far beyond what a busy machine needs."""

CONTROLLING = "import fcntl, sys, termios; fcntl.ioctl(1, termios.TIOCSCTTY, 0)\n"
"""Makes the pseudo-terminal the one that Ctrl-C and resizes come from."""


class PseudoTerminal:
    """Runs Python ``code`` on a terminal of ``columns`` x ``rows``; a context that leaves no process behind."""

    def __init__(
        self,
        code: str,
        *,
        columns: int = 80,
        rows: int = 24,
        environment: Mapping[str, str] | None = None,
        stdin: int | None = None,
    ) -> None:
        self.output = ""
        self._seen = 0
        self._main, self._end = pty.openpty()
        self.mode = termios.tcgetattr(self._end)
        self.resize(columns, rows)
        inherited = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "COLORTERM")}
        self.process = subprocess.Popen(
            [sys.executable, "-c", CONTROLLING + code],
            stdin=self._end if stdin is None else stdin,
            stdout=self._end,
            stderr=self._end,
            start_new_session=True,
            cwd=ROOT,
            env={**inherited, "TERM": "xterm-256color", "PYTHONUTF8": "1", **(environment or {})},
        )

    def __enter__(self) -> PseudoTerminal:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._main)
        os.close(self._end)

    def resize(self, columns: int, rows: int) -> None:
        """Another window size; the kernel sends SIGWINCH."""
        fcntl.ioctl(self._main, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def press(self, keys: str) -> None:
        """Type."""
        os.write(self._main, keys.encode())

    def wait_for(self, text: str) -> str:
        """What was written since the last call up to and including ``text``."""
        deadline = time.monotonic() + LONG
        while (at := self.output.find(text, self._seen)) < 0:
            assert time.monotonic() < deadline, f"{text!r} did not come; last: {self.output[self._seen :][-2000:]!r}"
            self._read(0.1)
        before, self._seen = self._seen, at + len(text)
        return self.output[before : self._seen]

    def wait_for_end(self) -> int:
        """The exit status; ``output`` is complete then."""
        deadline = time.monotonic() + LONG
        # The terminal is read on: a program whose output nobody takes could not end.
        while self.process.poll() is None:
            assert time.monotonic() < deadline, f"it did not end; last: {self.output[-2000:]!r}"
            self._read(0.05)
        while self._read(0):
            pass
        return self.process.returncode

    def is_restored(self) -> bool:
        """Whether screen, cursor, line wrap and keyboard are as they were at the start."""
        last = {code: max(self.output.rfind(code + "h"), self.output.rfind(code + "l")) for code in ("[?1049", "[?25", "[?7")}
        left = [self.output[at : at + 8].startswith(code) for code, at in last.items()]
        states = [self.output[at + len(code)] for code, at in last.items()]
        return all(left) and states == ["l", "h", "h"] and termios.tcgetattr(self._end) == self.mode

    def _read(self, timeout: float) -> bool:
        ready, _, _ = select.select([self._main], [], [], timeout)
        if ready:
            self.output += os.read(self._main, 65536).decode("utf-8", "replace")
        return bool(ready)
