"""The commands by their names; light to import, because every help does it."""

from __future__ import annotations

from collections.abc import Iterator

from tiltyard_engine.hooks import hookimpl
from tiltyard_engine.records import Command

TILTYARD_API = 1


@hookimpl
def commands() -> Iterator[Command]:
    """Decisions about games of a tournament."""
    yield Command("rerun", "Decide that games are played again.", "tiltyard_contest.decide:rerun_app")
    yield Command("void", "Decide that games count for nobody.", "tiltyard_contest.decide:void_app")
    yield Command("award", "Decide that a team has won games.", "tiltyard_contest.decide:award_app")
    yield Command("decisions", "List decisions about games, or take one back.", "tiltyard_contest.decide:decisions_app")
