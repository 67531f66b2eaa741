"""The subcommand of ``tiltyard`` that comes with the game; light to import, as every start of ``tiltyard`` does it."""

from __future__ import annotations

from collections.abc import Iterator

from tiltyard_engine.hooks import hookimpl
from tiltyard_engine.records import Command


@hookimpl
def commands() -> Iterator[Command]:
    """``tiltyard tanks``."""
    yield Command("tanks", "Tank maps: generate, check, draw", "tiltyard_tanks.map_commands:app")
