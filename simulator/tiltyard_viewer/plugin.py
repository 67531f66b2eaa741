"""The command by its name; light to import, because every help does it."""

from __future__ import annotations

from collections.abc import Iterator

from tiltyard_engine.hooks import hookimpl
from tiltyard_engine.records import Command

TILTYARD_API = 1


@hookimpl
def commands() -> Iterator[Command]:
    """What shows matches in the terminal."""
    yield Command("watch", "Show a match, a replay or an output file in the terminal.", "tiltyard_viewer.command.watch:app")
