"""The subcommand of ``tiltyard`` that comes with the game; light to import, as every start of ``tiltyard`` does it."""

from __future__ import annotations

from collections.abc import Iterator

from tiltyard_engine.hooks import hookimpl
from tiltyard_engine.records import Command

TILTYARD_API = 1


@hookimpl
def commands() -> Iterator[Command]:
    """The command ``tiltyard audit filler``, which plays the subject's audit."""
    yield Command("audit", "Run a course's audit on a program.", "tiltyard_filler.audit_commands:app")
