"""A line on standard error that says how far a subcommand of ``tiltyard`` is."""

from __future__ import annotations

import sys
from typing import Final

import typer

WIDEST: Final = 100
CLEAR: Final = "\r\x1b[K"


class ProgressLine:
    """One line on standard error that is written anew; where that is no terminal, only what is worth keeping is written."""

    def __init__(self) -> None:
        self._is_terminal = sys.stderr.isatty()
        self._shown = ""

    def show(self, text: str) -> None:
        """How far it is; forgotten with the next line."""
        if self._is_terminal and text != self._shown:
            sys.stderr.write(f"{CLEAR}{text[:WIDEST]}")
            sys.stderr.flush()
            self._shown = text

    def say(self, text: str) -> None:
        """A line that stays."""
        self.clear()
        typer.echo(text, err=True)

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            sys.stderr.write(CLEAR)
            sys.stderr.flush()
            self._shown = ""
