"""A replay that comes from another process as it will be stored: most of them are never looked into on their way."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import fields, replace
from typing import Any

from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.replay import Replay
from tiltyard_simulator.replays.files import pack, unpack


class PackedReplay(Replay):
    """A replay of which only the bytes are known until somebody looks into it; then it is one as any other.

    Args:
        data: what ``pack`` made of it.
        values: the fields themselves, as ``dataclasses.replace`` gives them.

    Raises:
        UserError: when it is looked into, if the bytes are damaged.
    """

    __slots__ = ("packed",)

    def __init__(self, data: bytes = b"", **values: Any) -> None:
        object.__setattr__(self, "packed", data)
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        if name not in _NAMES or not self.packed:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        self._open()
        return getattr(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        self._open()
        object.__setattr__(self, name, value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Replay) and all(getattr(self, name) == getattr(other, name) for name in _NAMES)

    __hash__ = None  # type: ignore[assignment]

    def _open(self) -> None:
        if self.packed:
            replay = unpack(self.packed, "a replay from another process")
            # Whoever looks into it may change it, and then these bytes are another one's.
            object.__setattr__(self, "packed", b"")
            for name in _NAMES:
                object.__setattr__(self, name, getattr(replay, name))


_NAMES = tuple(field.name for field in fields(Replay))


def packed(replay: Replay) -> bytes:
    """As ``pack``, but nothing is done where it is packed already."""
    return (isinstance(replay, PackedReplay) and replay.packed) or pack(replay)


def with_packed_replay(record: MatchRecord) -> tuple[MatchRecord, bytes]:
    """What another process gets of a record: the record without its replay, and that packed, where there are more cores to do so.

    A replay that is no board stays in the record, and nothing is packed: the store says so. Of none, nothing is packed either.
    """
    if record.replay is not None:
        with suppress(UserError):
            return replace(record, replay=None), packed(record.replay)
        return replace(record, replay=_without_panels(record.replay)), b""
    return record, b""


def _without_panels(replay: Replay) -> Replay:
    """What is wrong with the board stays; panels are sound, and are not sent like this."""
    return replace(replay, panels=(), frames=[replace(frame, panels=()) for frame in replay.frames])


def with_replay(record: MatchRecord, data: bytes) -> MatchRecord:
    """The record with its replay again."""
    return replace(record, replay=PackedReplay(data)) if data else record
