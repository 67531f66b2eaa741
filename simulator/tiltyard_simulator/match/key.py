"""A match's key: a hash over everything that its result depends on. With the same key, deterministic teams have the same result."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

import msgspec

from tiltyard_engine.records import Game
from tiltyard_engine.registry import Reference
from tiltyard_engine.registry.sources import Origin, Source
from tiltyard_engine.results import MANAGER_SEAT
from tiltyard_simulator.match.code_digest import code_digest, digest_without_loader
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import MapSource, MatchSpec
from tiltyard_simulator.match.verdict import OnCrash

KEY_VERSION: Final = 1
"""Changed when a new version of the host can change results of matches."""
MOST_SAME: Final = 4096
"""So many sets of digests are remembered: a league goes on for months, and has another one for each pair that meets."""
_ENCODER: Final = msgspec.msgpack.Encoder()


def with_key(spec: MatchSpec) -> MatchSpec:
    """The match with its key and the digests in it; errors as for ``match_key``."""
    return KeyMaker().with_key(spec)


def players_of(specs: Iterable[MatchSpec]) -> tuple[Reference, ...]:
    """All whose code a schedule depends on, each once."""
    return tuple(dict.fromkeys(player for spec in specs for player in spec.input.players))


def match_key(spec: MatchSpec) -> str:
    """32 hexadecimal digits over game, manager, map, teams, their code, seats, seed, limits, isolation and what a crash means.

    What a match is only asked for (output file, replay, times) is not part of it, nor are the places of plugins, nor the files with
    which the game only shows matches.

    Raises:
        UserError: a plugin's files cannot be read, or the game cannot be loaded.
    """
    return KeyMaker().key(spec)


class KeyMaker:
    """Makes the keys of many matches, and remembers what is the same in several of them: their plugins and maps."""

    def __init__(self) -> None:
        # By identity: to hash one of them takes as long as to encode it. The values keep them alive.
        self._plugins: dict[tuple[int, int], tuple[Reference, Reference, msgspec.Raw]] = {}
        self._maps: dict[int, tuple[MapSource, msgspec.Raw]] = {}
        self._digests: dict[int, tuple[Reference, str]] = {}
        self._same: dict[tuple[str, ...], tuple[str, ...]] = {}
        """Equal digests of many matches are one in memory."""

    def with_key(self, spec: MatchSpec) -> MatchSpec:
        """The match with its key and the digests in it; errors as for ``match_key``."""
        digests = tuple(map(self._digest, spec.input.players))
        if len(self._same) >= MOST_SAME:
            self._same.clear()
        place = replace(spec.place, key=self.key(spec), digests=self._same.setdefault(digests, digests))
        return MatchSpec(spec.input, spec.holding, spec.recording, place)

    def key(self, spec: MatchSpec) -> str:
        """The key of a match, as ``match_key`` makes it."""
        match, holding = spec.input, spec.holding
        seats = range(1, len(match.teams) + 1)
        whole: tuple[Any, ...] = (
            KEY_VERSION,
            self._plugin(match.game, match.game),
            self._plugin(match.manager, match.game),
            self._map(match.map),
            [self._plugin(team, match.game) for team in match.teams],
            match.seed,
            match.rounds,
            match.idle_on_fault,
            [spec.isolation_of(seat) for seat in seats],
            [holding.limits_of(seat) for seat in seats],
            spec.isolation_of(MANAGER_SEAT),
            None if spec.isolation_of(MANAGER_SEAT) is Isolation.INLINE else holding.manager_limits,
            *(["watched"] if holding.watch_infos else []),
            *([f"on crash: {match.on_crash}"] if match.on_crash is not OnCrash.FORFEIT else []),
        )
        return hashlib.blake2b(_ENCODER.encode(whole), digest_size=16).hexdigest()

    def _plugin(self, reference: Reference, game: Reference) -> msgspec.Raw:
        entry = self._plugins.get((id(reference), id(game)))
        if entry is None:
            entry = self._plugins[id(reference), id(game)] = reference, game, _encoded(_plugin(reference, game))
        return entry[2]

    def _map(self, source: MapSource) -> msgspec.Raw:
        entry = self._maps.get(id(source))
        if entry is None:
            part = source.name, hashlib.blake2b(source.data, digest_size=16).digest()
            entry = self._maps[id(source)] = source, _encoded(part)
        return entry[1]

    def _digest(self, reference: Reference) -> str:
        entry = self._digests.get(id(reference))
        if entry is None:
            entry = self._digests[id(reference)] = reference, digest_without_loader(reference.source)
        return entry[1]


def _encoded(part: object) -> msgspec.Raw:
    return msgspec.Raw(_ENCODER.encode(part))


def _plugin(reference: Reference, game: Reference) -> tuple[str, str, str]:
    # A game says what of its own plugin only shows matches; of anybody else's it has nothing to say.
    shows = game.load_as(Game).display.modules if _plugin_of(reference.source) == _plugin_of(game.source) else ()
    name = f"{reference.name} as {reference.twin}" if reference.twin else reference.name
    return name, reference.game, code_digest(reference.source, shows)


def _plugin_of(source: Source) -> tuple[Origin, str]:
    """What is installed or handed in as one."""
    return source.origin, source.distribution if source.origin is Origin.INSTALLED else source.folder or source.value
