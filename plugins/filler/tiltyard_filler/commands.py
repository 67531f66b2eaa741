"""The subcommand of ``tiltyard`` that comes with the game; light to import, as every start of ``tiltyard`` does it."""

from __future__ import annotations

from collections.abc import Iterator

from tiltyard_engine.hooks import hookimpl
from tiltyard_engine.records import Command


@hookimpl
def commands() -> Iterator[Command]:
    """``tiltyard audit filler``."""
    yield Command("audit", "A course's audits of programs", "tiltyard_filler.audit_commands:app")
