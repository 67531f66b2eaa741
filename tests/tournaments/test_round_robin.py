from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from tiltyard_engine.registry import Reference
from tiltyard_engine.registry.sources import Origin, Source
from tiltyard_simulator.specs import MapSource
from tiltyard_tournaments.round_robin import schedule


def named(name: str) -> Reference:
    return Reference("algorithm", name, "g", Source(name, Origin.FILE, f"/{name}.py"))


@given(st.integers(2, 8), st.integers(1, 4))
def test_every_ordered_pair_meets_once_a_map(teams: int, maps: int) -> None:
    algorithms = [named(f"t{number}") for number in range(teams)]
    sources = [MapSource(f"m{number}", b"") for number in range(maps)]
    specs = schedule(named("g"), named("m"), sources, algorithms)
    played = Counter((spec.map.name, *spec.names) for spec in specs)
    assert set(played.values()) == {1}
    assert len(played) == maps * teams * (teams - 1)
    assert all(first != second for _, first, second in played)


def test_map_by_map_both_seats_one_after_the_other() -> None:
    specs = schedule(named("g"), named("m"), [MapSource("k", b""), MapSource("l", b"")], [named("a"), named("b")], verbose=True)
    assert [(spec.map.name, *spec.names) for spec in specs] == [("k", "a", "b"), ("k", "b", "a"), ("l", "a", "b"), ("l", "b", "a")]
    assert all(spec.verbose for spec in specs)
