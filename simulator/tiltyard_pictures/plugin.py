"""The subcommand of ``tiltyard`` that draws; light to import, as the help of ``tiltyard`` does it."""

from __future__ import annotations

from collections.abc import Iterator

from tiltyard_engine.hooks import hookimpl
from tiltyard_engine.records import Command

TILTYARD_API = 1


@hookimpl
def commands() -> Iterator[Command]:
    """``tiltyard picture``, the only way into this package."""
    yield Command("picture", "Draw a picture or a film of a replay.", "tiltyard_pictures.cli:app")
