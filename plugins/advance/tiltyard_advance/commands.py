"""The subcommands of ``tiltyard`` that come with the game; light to import, as every start of ``tiltyard`` does it."""

from __future__ import annotations

from collections.abc import Iterator

from tiltyard_engine.hooks import hookimpl
from tiltyard_engine.records import Command


@hookimpl
def commands() -> Iterator[Command]:
    """``tiltyard mark advance``, ``tiltyard advance`` and ``tiltyard play advance``."""
    yield Command("mark", "A course's marking of programs", "tiltyard_advance.mark_commands:app")
    yield Command("advance", "Test packs for Advance", "tiltyard_advance.pack_commands:app")
    yield Command("play", "Sit down at the board and play", "tiltyard_advance.terminal.play_commands:app")
