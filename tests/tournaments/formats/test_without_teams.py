"""What is left of a format where teams were struck."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tournaments.formats.playing import field_of

from tiltyard_engine.formats import Field, Fixture, Format
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import FORMAT
from tiltyard_tournaments.formats.without_teams import create_without


def named(field: Field, batch: Sequence[Fixture]) -> list[tuple[tuple[str, ...], tuple[int, int, str]]]:
    return [(tuple(field.teams[team] for team in fixture.seats), (fixture.map, fixture.game, fixture.stage)) for fixture in batch]


@pytest.mark.parametrize(
    ("name", "options"),
    [("round-robin", {"seats": "single"}), ("gauntlet", {"seats": "single"}), ("competition", {}), ("pools", {})],
)
@given(teams=st.integers(3, 7), maps=st.integers(1, 3), data=st.data())
def test_the_other_teams_matches_stay_as_they_were(
    registry: Registry, name: str, options: dict[str, Any], teams: int, maps: int, data: st.DataObject
) -> None:
    record = registry.find(FORMAT, name).reference.load_as(Format)
    chosen = record.options(**options)
    whole = field_of(teams, maps)
    struck = data.draw(st.sets(st.sampled_from(whole.teams), min_size=1, max_size=teams - 2))
    field = Field(teams=tuple(team for team in whole.teams if team not in struck), maps=whole.maps)
    left = create_without(record, chosen, field, whole.teams, struck)
    expected = [each for each in named(whole, record.create(whole, chosen).next_batch(())) if not struck & set(each[0])]
    assert named(field, left.next_batch(())) == expected
    assert left.expected_games() == (len(expected), len(expected))


def test_formats_that_depend_on_results_draw_for_the_others_alone(registry: Registry) -> None:
    record = registry.find(FORMAT, "knockout").reference.load_as(Format)
    whole = field_of(4)
    field = Field(teams=whole.teams[1:], maps=whole.maps)
    left = create_without(record, record.options(), field, whole.teams, {whole.teams[0]})
    assert left.next_batch(()) == record.create(field, record.options()).next_batch(())
