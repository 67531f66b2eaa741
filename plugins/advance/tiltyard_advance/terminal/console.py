"""Lines asked of whoever sits at the terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TextIO

from tiltyard_advance.terminal.look import Look, look_of


class InputEndedError(Exception):
    """Nobody will type any more: the end of the input."""


class Console:
    """Where to read and to write. Input that is not typed at a terminal is shown behind the prompt, so that a log can be read."""

    def __init__(self, source: TextIO, target: TextIO, color: bool | None = None) -> None:
        self._source = source
        self._target = target
        self.look: Look = look_of(target, color=color)
        self._echoes = not source.isatty()
        self._edits = source is sys.stdin and target is sys.stdout and source.isatty() and target.isatty()
        if self._edits:
            # Arrow keys and a history, where Python was built with them.
            try:
                import readline
            except ImportError:
                pass
            else:
                readline.set_history_length(100)

    def say(self, *lines: str) -> None:
        """Write lines."""
        self._target.write("".join(f"{line}\n" for line in lines))
        self._target.flush()

    def show(self, lines: Sequence[str]) -> None:
        """Write a board, with an empty line before it."""
        self.say("", *lines)

    def ask(self, prompt: str) -> str:
        """A typed line, without blanks around it.

        Raises:
            InputEndedError: there will be none.
            KeyboardInterrupt: Ctrl-C.
        """
        try:
            if self._edits:
                return input(prompt).strip()
            self._target.write(prompt)
            self._target.flush()
            line = self._source.readline()
        except EOFError:
            line = ""
        except OSError as error:
            raise InputEndedError from error
        if not line:
            self.say("")
            raise InputEndedError
        if self._echoes:
            self.say(line.strip())
        return line.strip()
