"""The lines that a league prints while it runs: JSON, on standard output."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from typing import TypeAlias

from tiltyard_league.database.clock import now

Emit: TypeAlias = Callable[..., None]
"""Takes what has happened, in a few words, and more about it by name: what a part of the service is given for the log."""


def print_event(source: str, event: str, **fields: object) -> None:
    """Print what has happened, on one line, at once.

    A line that cannot be written is lost, and nothing else: the log may lie on the disk that is full.

    Args:
        source: which process says it. The log keeps the names that it has always had: ``door`` is the web process, ``steward``
            the service.
        event: what has happened, in a few words.
        fields: more about it.
    """
    with suppress(OSError):
        print(json.dumps({"at": now(), "from": source, "event": event, **fields}, default=str), flush=True)
