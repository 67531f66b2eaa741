"""The commands by their names; light to import, because every help does it."""

from __future__ import annotations

from collections.abc import Iterator

from tiltyard_engine.hooks import hookimpl
from tiltyard_engine.records import Command

TILTYARD_API = 1


@hookimpl
def commands() -> Iterator[Command]:
    """What is played without a tournament file, such as the modes of assignment 3."""
    yield Command("competition", "Run the competition of assignment 3.", "tiltyard_matchups.commands.competition:app")
    yield Command("comparative", "Compare GameManagers on one map.", "tiltyard_matchups.commands.comparative:app")
    about = "Play all pairs in both seats on all maps."
    yield Command("round-robin", about, "tiltyard_matchups.commands.round_robin:app")
