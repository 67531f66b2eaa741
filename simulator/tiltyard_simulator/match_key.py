"""A match's key: a hash over everything that its result depends on. Same key, same result, as long as teams are deterministic."""

from __future__ import annotations

import hashlib
from typing import Any, Final

import msgspec

from tiltyard_engine.registry import Reference
from tiltyard_simulator.code_digest import code_digest
from tiltyard_simulator.guard.isolation import Isolation
from tiltyard_simulator.specs import MatchSpec

KEY_VERSION: Final = 1
"""Changed when the same match would come to another result because the host itself changed."""


def match_key(spec: MatchSpec) -> str:
    """32 hexadecimal digits over game, manager, map, teams, their code, seats, seed, limits and how seats and manager are held.

    What is only wanted of a match (its output file, its replay, times) is no part of it, nor is where a plugin lies.

    Raises:
        UserError: a plugin's files cannot be read.
    """
    whole: tuple[Any, ...] = (
        KEY_VERSION,
        _plugin(spec.game),
        _plugin(spec.manager),
        (spec.map.name, hashlib.blake2b(spec.map.data, digest_size=16).digest()),
        [_plugin(team) for team in spec.algorithms],
        spec.seed,
        spec.rounds,
        spec.idle_on_fault,
        [spec.isolation_of(seat) for seat in range(1, len(spec.algorithms) + 1)],
        [spec.limits_of(seat) for seat in range(1, len(spec.algorithms) + 1)],
        spec.manager_isolation,
        None if spec.manager_isolation is Isolation.INLINE else spec.manager_limits,
        *(["watched"] if spec.watch_infos else []),
    )
    return hashlib.blake2b(msgspec.msgpack.encode(whole), digest_size=16).hexdigest()


def _plugin(reference: Reference) -> tuple[str, str, str]:
    return reference.name, reference.game, code_digest(reference.source)
