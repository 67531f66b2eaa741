"""A line on standard error that says how far a subcommand of ``tiltyard`` is."""

from __future__ import annotations

import sys
from typing import Final

import typer

WIDEST: Final = 100
CLEAR: Final = "\r\x1b[K"


class ProgressLine:
    """One line on standard error that changes all the time; where that is no terminal, only what is worth keeping is written."""

    def __init__(self) -> None:
        self._is_terminal = sys.stderr.isatty()
        self._text = ""

    def show(self, text: str) -> None:
        """Show the progress; the next line replaces it."""
        if self._is_terminal and text != self._text:
            sys.stderr.write(f"{CLEAR}{text[:WIDEST]}")
            sys.stderr.flush()
            self._text = text

    def say(self, text: str) -> None:
        """Print a line that stays, and take the progress away."""
        self.clear()
        typer.echo(text, err=True)

    def clear(self) -> None:
        """Remove the line from the terminal."""
        if self._text:
            sys.stderr.write(CLEAR)
            sys.stderr.flush()
            self._text = ""
