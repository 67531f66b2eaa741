"""The part of a stored match that tells which code it was played with, and whether another match is the same but for that."""

from __future__ import annotations

import msgspec

from tiltyard_simulator.match.on_crash import OnCrash
from tiltyard_tournaments.store.contradictions import Named


class PlayedSource(msgspec.Struct, frozen=True):
    """Of a ``Source`` what it is called."""

    distribution: str = ""
    version: str = ""


class PlayedReference(Named, frozen=True, kw_only=True):
    """Of a ``Reference`` what it is called, and where it came from."""

    source: PlayedSource


class PlayedSpec(msgspec.Struct, frozen=True):
    """The part of a ``MatchSpec``; the fields are called the same."""

    game: PlayedReference
    manager: PlayedReference
    map: Named
    """The seed depends on its contents."""
    algorithms: tuple[PlayedReference, ...]
    seed: int = 0
    on_crash: OnCrash = OnCrash.FORFEIT
    digests: tuple[str, ...] = ()
