"""The command by its name; light to import, because every help does it."""

from __future__ import annotations

from collections.abc import Iterator

from tiltyard_engine.hooks import hookimpl
from tiltyard_engine.records import Command

TILTYARD_API = 1


@hookimpl
def commands() -> Iterator[Command]:
    """What compares what teams do, for staff."""
    yield Command(
        "alike", "Show staff which teams answer alike, and which results the ratings don't explain.", "tiltyard_alike.command:app"
    )
