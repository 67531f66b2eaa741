"""The commands by their names; light to import, because every help does it."""

from __future__ import annotations

from collections.abc import Iterator

from tiltyard_engine.hooks import hookimpl
from tiltyard_engine.records import Command

TILTYARD_API = 1


@hookimpl
def commands() -> Iterator[Command]:
    """The modes of assignment 3."""
    yield Command("competition", "Run the competition of assignment 3.", "tiltyard_matchups.commands.competition:app")
    yield Command("comparative", "Compare GameManagers on one map.", "tiltyard_matchups.commands.comparative:app")
