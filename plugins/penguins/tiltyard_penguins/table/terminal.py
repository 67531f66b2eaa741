"""The terminal that people sit at: lines asked for and said."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Final, TextIO

from tiltyard_engine.errors import UserError

TTY: Final = Path("/dev/tty")
"""The terminal that a process belongs to, wherever its standard streams lead."""
CLEAR: Final = "\x1b[H\x1b[2J"
NARROWEST: Final = 20
LEAST_LETTERS: Final = 10_000
"""A line that somebody types is not longer."""


class LeftError(Exception):
    """Who was asked does not play on."""


class Terminal:
    """Where questions are asked and answered."""

    def __init__(self, answers: TextIO, screen: TextIO, *, clears: bool = False) -> None:
        """``clears``: whether a new picture replaces the last one, where the screen can do that."""
        self._answers, self._screen = answers, screen
        self._shows_typing = answers.isatty()
        is_screen = screen.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self.color = is_screen and not os.environ.get("NO_COLOR")
        self._clears = clears and is_screen

    @property
    def width(self) -> int:
        """Columns of the screen; 80 where it is none."""
        with contextlib.suppress(OSError, ValueError):
            return max(NARROWEST, os.get_terminal_size(self._screen.fileno()).columns)
        return shutil.get_terminal_size().columns if self._screen.isatty() else 80

    def new_picture(self) -> None:
        """What is said from now on stands by itself."""
        self.say(CLEAR if self._clears else "", end="" if self._clears else "\n")

    def say(self, text: str = "", end: str = "\n") -> None:
        """A line."""
        self._screen.write(f"{text}{end}")
        self._screen.flush()

    def say_wrapped(self, text: str) -> None:
        """A line, broken between words where it is too long."""
        for line in textwrap.wrap(text, self.width - 1, subsequent_indent="  ") or [""]:
            self.say(line)

    def ask(self, question: str) -> str:
        """What somebody types.

        Raises:
            LeftError: there is nobody any more, the input has ended.
            KeyboardInterrupt: Ctrl-C.
        """
        self.say(f"{question} ", end="")
        try:
            line = self._answers.readline(LEAST_LETTERS)
        except KeyboardInterrupt:
            self.say()
            raise
        except OSError as error:
            raise LeftError(f"the terminal cannot be read: {error.strerror}") from error
        if not line:
            self.say()
            raise LeftError("the input has ended")
        if not self._shows_typing:
            # In a pipe or a file it reads as it would have looked.
            self.say(line.rstrip("\r\n"))
        return line.strip()


@contextlib.contextmanager
def controlling_terminal() -> Iterator[Terminal]:
    """The terminal of the person, also under a game master that took the standard streams away.

    Raises:
        UserError: there is no terminal.
    """
    with contextlib.ExitStack() as stack:
        if sys.stdin is not None and sys.stdin.isatty() and sys.stdout is not None and sys.stdout.isatty():
            yield Terminal(sys.stdin, sys.stdout)
            return
        try:
            answers = stack.enter_context(TTY.open(encoding="utf-8", errors="replace"))
            screen = stack.enter_context(TTY.open("w", encoding="utf-8", errors="replace"))
        except OSError as error:
            raise UserError(
                f"there is no terminal to ask at: standard input is none, and {TTY} cannot be opened: {error.strerror}; "
                "start the game master in a terminal, and let it keep its programs in that session"
            ) from error
        yield Terminal(answers, screen)
