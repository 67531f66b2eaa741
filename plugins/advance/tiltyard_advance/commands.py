"""The subcommands of ``tiltyard`` that come with the game; light to import, as every start of ``tiltyard`` does it."""

from __future__ import annotations

from collections.abc import Iterator

from tiltyard_engine.hooks import hookimpl
from tiltyard_engine.records import Command

TILTYARD_API = 1


@hookimpl
def commands() -> Iterator[Command]:
    """``tiltyard mark advance``, ``tiltyard advance`` and ``tiltyard play advance``."""
    yield Command("mark", "Mark programs as a course does.", "tiltyard_advance.mark_commands:app")
    yield Command("advance", "Make and check test packs for Advance.", "tiltyard_advance.pack_commands:app")
    yield Command("play advance", "Play Advance: board, levels, openings, replays.", "tiltyard_advance.terminal.play_commands:app")
