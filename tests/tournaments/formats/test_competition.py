"""The format is the competition of the simulator."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tournaments.formats.playing import field_of, only_batch

from tiltyard_engine.match import NoOptions
from tiltyard_engine.registry import Reference, Source
from tiltyard_engine.registry.sources import Origin
from tiltyard_matchups.competition import CompetitionPlan, schedule
from tiltyard_simulator.match.spec import MapSource
from tiltyard_tournaments.formats.competition import Competition


def reference(kind: str, name: str) -> Reference:
    return Reference(
        kind=kind, name=name, game="tanks", source=Source(name=name, origin=Origin.FILE, value=str(Path("/nowhere") / name))
    )


@given(st.integers(2, 12), st.integers(1, 12))
def test_the_same_matches_in_the_same_order_as_the_simulators(count: int, boards: int) -> None:
    field = field_of(count, boards)
    algorithms = [reference("algorithm", name) for name in field.teams]
    maps = [MapSource(name, b"") for name in field.maps]
    specs = schedule(CompetitionPlan(reference("game", "tanks"), reference("game manager", "reference"), maps, algorithms))
    wanted = [(spec.input.names, spec.input.map.name) for spec in specs]
    found = [
        (tuple(field.teams[team] for team in fixture.seats), field.maps[fixture.map])
        for fixture in only_batch(Competition(field, NoOptions()), field)
    ]
    assert found == wanted


@pytest.mark.parametrize("games", [1, 3])
def test_further_games_repeat_the_pairings_with_other_seeds(games: int) -> None:
    field = field_of(5, 2, games=games)
    batch = only_batch(Competition(field, NoOptions()), field)
    assert len(batch) == 5 * 2 * games
    assert {fixture.game for fixture in batch} == set(range(games))
