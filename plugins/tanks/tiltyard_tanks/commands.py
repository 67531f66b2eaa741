"""The subcommand of ``tiltyard`` that comes with the game; light to import, as every start of ``tiltyard`` does it."""

from __future__ import annotations

from collections.abc import Iterator

from tiltyard_engine.hooks import hookimpl
from tiltyard_engine.records import Command

TILTYARD_API = 1


@hookimpl
def commands() -> Iterator[Command]:
    """The command ``tiltyard tanks``, which is about maps and whole programs."""
    yield Command(
        "tanks", "Generate, check and draw tank maps; compare whole programs with the rules.", "tiltyard_tanks.map_commands:app"
    )
