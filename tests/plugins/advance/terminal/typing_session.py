"""Somebody at a real terminal: a command behind a pty, and what it shows waited for."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

GENEROUS = 120.0
"""Seconds that anything may take on a busy machine."""
_SEQUENCES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Session:
    """A context: at its end the command is gone."""

    def __init__(self, command: list[str], folder: Path, environment: Mapping[str, str]) -> None:
        self.shown = ""
        """All that came until now."""
        self._seen = 0
        self.status: int | None = None
        self._pid, self._terminal = pty.fork()
        if self._pid == 0:
            with suppress(OSError):
                os.chdir(folder)
                os.execve(command[0], command, dict(environment))
            os._exit(127)

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        if self.status is None:
            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
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

    def end(self) -> int:
        """Wait for the end of the command; its status."""
        until = time.monotonic() + GENEROUS
        while self._receive(until):
            pass
        self.status = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        return self.status

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
