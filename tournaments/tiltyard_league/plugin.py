"""The commands by their names; light to import, because every help does it, on a student's machine too."""

from __future__ import annotations

from collections.abc import Iterator

from tiltyard_engine.hooks import hookimpl
from tiltyard_engine.records import Command

TILTYARD_API = 1


@hookimpl
def commands() -> Iterator[Command]:
    """``tiltyard league`` and ``tiltyard new league`` for staff, and ``tiltyard hand-in`` for teams."""
    yield Command("league", "Run a league: teams hand in, and play all day.", "tiltyard_league.cli.league:app")
    yield Command("hand-in", "Hand your team's code in to a league.", "tiltyard_league.cli.hand_in:app")
    about = "Create a folder with a commented league file that can be started as it is."
    yield Command("new league", about, "tiltyard_league.cli.new_league:app")
