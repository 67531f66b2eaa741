"""The commands by their names; light to import, because every help does it."""

from __future__ import annotations

from collections.abc import Iterator

from tiltyard_engine.hooks import hookimpl
from tiltyard_engine.records import Command

TILTYARD_API = 1


@hookimpl
def commands() -> Iterator[Command]:
    """What says how a match could have gone."""
    yield Command("whatif", "Put a different answer into a match, and see the result.", "tiltyard_whatif.command.whatif:app")
    yield Command("why", "Say at which turns a team lost a match.", "tiltyard_whatif.command.why:app")
