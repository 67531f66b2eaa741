"""The command by its name; light to import, because every help does it."""

from __future__ import annotations

from collections.abc import Iterator

from tiltyard_engine.hooks import hookimpl
from tiltyard_engine.records import Command

TILTYARD_API = 1


@hookimpl
def commands() -> Iterator[Command]:
    """The one command, ``tiltyard intake``."""
    yield Command("intake", "Turn what students handed in into teams that play.", "tiltyard_intake.command.intake:app")
