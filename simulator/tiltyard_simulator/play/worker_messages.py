"""What a coordinating process and its match workers tell each other."""

from __future__ import annotations

from typing import Final

import msgspec

from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.registry import Reference
from tiltyard_simulator.guard.policy import Level
from tiltyard_simulator.match.spec import MatchSpec


class Task(msgspec.Struct, frozen=True, array_like=True):
    """A match for a worker."""

    spec: MatchSpec
    level: Level | None
    """How its cells are confined; None if none are."""
    preload: tuple[Reference, ...] = ()
    """Who plays in this match or a later one; sent with a worker's first match of a schedule."""
    readable: tuple[str, ...] = ()
    """Folders in which teams will lie that are not known yet; sent likewise."""


class Ready(msgspec.Struct, frozen=True, array_like=True, tag=0):
    """A new worker's first message."""


class Played(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """A match was played."""

    record: MatchRecord


class Noted(msgspec.Struct, frozen=True, array_like=True, tag=3):
    """While a match is played: a sentence for the user, who is told it once whichever workers say it."""

    text: str


class RefusedMatch(msgspec.Struct, frozen=True, array_like=True, tag=2):
    """A match could not be set up; the message is for the user."""

    message: str


ENCODER: Final = msgspec.msgpack.Encoder()
TASKS: Final = msgspec.msgpack.Decoder(Task)
ANSWERS: Final = msgspec.msgpack.Decoder(Ready | Played | RefusedMatch | Noted)
