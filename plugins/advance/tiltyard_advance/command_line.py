"""What the game's subcommands of ``tiltyard`` share: how they end, and a line on standard error that says how far they are."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import typer

from tiltyard_engine.errors import UserError

WIDEST: Final = 100
CLEAR: Final = "\r\x1b[K"


def usable_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def errors_told() -> Iterator[None]:
    """A user's mistake becomes one message and exit status 2."""
    try:
        yield
    except UserError as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(2) from None


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
