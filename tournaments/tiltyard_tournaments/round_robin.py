"""Round robin: every pair of algorithms, in both seat orders, on every map."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from tiltyard_engine.registry import Reference
from tiltyard_simulator.specs import MapSource, MatchSpec


def schedule(
    game: Reference, manager: Reference, maps: Sequence[MapSource], algorithms: Sequence[Reference], verbose: bool = False
) -> list[MatchSpec]:
    """All games, map by map, so that the table is readable early: after each map everybody has met everybody."""
    return [
        MatchSpec(game, manager, source, seats, verbose=verbose)
        for source in maps
        for first, second in combinations(algorithms, 2)
        for seats in ((first, second), (second, first))
    ]
