"""The terminal at which people play: lines are written and asked for."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Final, TextIO

from tiltyard_engine.errors import UserError
from tiltyard_kit.terminal.palette import palette_of

TTY: Final = "/dev/tty"
"""The terminal that a process belongs to, wherever its standard streams lead."""
CLEAR: Final = "\x1b[H\x1b[2J"
NARROWEST: Final = 20
LONGEST_LINE: Final = 10_000
"""Characters; more of a line is not read at once."""


class LeftError(Exception):
    """The person who was asked has left the game."""


class InputEndedError(LeftError):
    """Nothing more can be read."""


class NoTerminalError(UserError):
    """A terminal cannot be opened; the message is the system's."""


class Console:
    """Where people are asked. Input that does not come from a terminal is echoed after the question, so that a log can be read.

    Args:
        source: where answers come from.
        target: where questions go.
        color: whether to use colours; None: as the terminal and NO_COLOR say.
        clears: whether a new picture replaces the last one, where the terminal can do that.
    """

    def __init__(self, source: TextIO, target: TextIO, *, color: bool | None = None, clears: bool = False) -> None:
        self._source, self._target = source, target
        self.palette = palette_of(target, color=color)
        self._echoes = not source.isatty()
        self._clears = clears and target.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self._edits = source is sys.stdin and target is sys.stdout and source.isatty() and target.isatty()
        for stream in (source, target):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="replace")
        if self._edits:
            # Arrow keys and a history, where Python was built with them.
            with contextlib.suppress(ImportError):
                import readline

                readline.set_history_length(100)

    @property
    def width(self) -> int:
        """Columns of the screen; 80 where there is none."""
        with contextlib.suppress(OSError, ValueError):
            return max(NARROWEST, os.get_terminal_size(self._target.fileno()).columns)
        return shutil.get_terminal_size().columns if self._target.isatty() else 80

    def say(self, *lines: str) -> None:
        """Write lines, each with its end."""
        self._write("".join(f"{line}\n" for line in lines))

    def say_wrapped(self, text: str) -> None:
        """Write a line, broken between words where it is too long."""
        self.say(*(textwrap.wrap(text, self.width - 1, subsequent_indent="  ") or [""]))

    def show(self, *lines: str) -> None:
        """Write a picture that stands by itself."""
        self._write(CLEAR if self._clears else "\n")
        self.say(*lines)

    def ask(self, question: str) -> str:
        """A typed line, without blanks around it.

        Raises:
            InputEndedError: there will be none.
            KeyboardInterrupt: Ctrl-C.
        """
        try:
            line = self._read(f"{question} ")
        except KeyboardInterrupt:
            self.say("")
            raise
        except OSError as error:
            raise InputEndedError(f"the terminal cannot be read: {error.strerror}") from error
        if not line:
            self.say("")
            raise InputEndedError("the input ended")
        if self._echoes:
            self.say(line.strip())
        return line.strip()

    def _read(self, question: str) -> str:
        if not self._edits:
            self._write(question)
            return self._source.readline(LONGEST_LINE)
        try:
            return f"{input(question)}\n"
        except EOFError:
            return ""

    def _write(self, text: str) -> None:
        self._target.write(text)
        self._target.flush()


@contextlib.contextmanager
def open_console(path: str = "") -> Iterator[Console]:
    """The terminal at ``path``; without one, standard input and output if they are a terminal, else the controlling terminal.

    Raises:
        NoTerminalError: it cannot be opened.
    """
    if not path and all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout)):
        yield Console(sys.stdin, sys.stdout)
        return
    device = Path(path or TTY)
    with contextlib.ExitStack() as stack:
        try:
            source = stack.enter_context(device.open(encoding="utf-8", errors="replace"))
            target = stack.enter_context(device.open("w", encoding="utf-8", errors="replace"))
        except OSError as error:
            raise NoTerminalError(f"{device}: cannot be opened: {error.strerror}") from error
        yield Console(source, target)
