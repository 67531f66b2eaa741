from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tournaments.running.made_runs import Play, by_chance, ended, tournament_of

from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.registry import Registry
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.play.quarantine import Quarantine
from tiltyard_tournaments.running.schedule import Schedule, follow
from tiltyard_tournaments.running.tables import TABLES, tables_of
from tiltyard_tournaments.running.tournament import Tournament
from tiltyard_tournaments.standings import Table

FORMATS: Mapping[str, Mapping[str, Any]] = {
    "round-robin": {},
    "swiss": {"seats": "balanced"},
    "knockout": {"best_of": 2},
    "until-settled": {"budget": 40},
}


def play_in_order(tournament: Tournament, play: Play) -> tuple[Schedule, dict[str, MatchRecord]]:
    """One match after the other; the schedule, and what was played of it by key."""
    schedule = Schedule(tournament=tournament)
    quarantine = Quarantine(tournament.quarantine)
    stored: dict[str, MatchRecord] = {}
    while batch := schedule.next_batch():
        for spec in batch:
            record = quarantine.forfeit(spec)
            if record is None:
                record = stored.setdefault(spec.key, play(spec))
            quarantine.add(spec, record)
        schedule.end_batch(quarantine.settled[-len(batch) :])
    return schedule, stored


def all_tables(tournament: Tournament, schedule: Schedule) -> list[Table]:
    return tables_of(tournament, schedule, [name for name in TABLES if name != "ratings"])


@pytest.mark.parametrize("format_name", FORMATS)
@given(salt=st.integers(0, 999), faults=st.sampled_from([0, 30]), data=st.data())
@settings(deadline=None, max_examples=25)
def test_following_and_playing_in_any_order_gives_the_same_tables(
    registry: Registry, format_name: str, salt: int, faults: int, data: st.DataObject
) -> None:
    tournament = tournament_of(registry, format_name, 5, 2, quarantine=2, options=FORMATS[format_name])
    play = by_chance(salt, faults)
    whole, played = play_in_order(tournament, play)
    stored = {key: played[key] for key in data.draw(st.sets(st.sampled_from(sorted(played))))}

    def there(spec: MatchSpec) -> MatchRecord | None:
        return stored.get(spec.key)

    while missing := (progress := follow(tournament, there)).missing:
        assert not {spec.key for spec in missing} & set(stored)
        assert all_tables(tournament, progress.schedule)
        chosen = data.draw(st.lists(st.sampled_from(missing), min_size=1, unique_by=lambda spec: spec.place))
        stored.update({spec.key: play(spec) for spec in chosen})
    assert progress.schedule.records == whole.records
    assert all_tables(tournament, progress.schedule) == all_tables(tournament, whole)


@given(data=st.data())
@settings(deadline=None, max_examples=25)
def test_what_is_there_of_a_batch_counts(registry: Registry, data: st.DataObject) -> None:
    tournament = tournament_of(registry, maps=2)
    whole, played = play_in_order(tournament, by_chance(1))
    there = data.draw(st.sets(st.sampled_from(sorted(played))))
    progress = follow(tournament, lambda spec: played[spec.key] if spec.key in there else None)
    assert [spec.key for spec in progress.schedule.matches] == [each.key for each in whole.matches if each.key in there]
    assert [record.key for record in progress.schedule.records] == [each.key for each in whole.matches if each.key in there]
    assert len(progress.missing) == len(played) - len(there)


def test_later_batches_wait_for_earlier_ones(registry: Registry) -> None:
    tournament = tournament_of(registry, "swiss", options={"seats": "balanced"})
    whole, played = play_in_order(tournament, by_chance(3))
    assert (whole.batches, len(whole.matches)) == (2, 4)
    first = whole.matches[0].key
    progress = follow(tournament, lambda spec: None if spec.key == first else played[spec.key])
    assert [spec.key for spec in progress.missing] == [first]
    assert [spec.key for spec in progress.schedule.matches] == [whole.matches[1].key]


def test_forfeits_need_not_be_stored(registry: Registry) -> None:
    tournament = tournament_of(registry, quarantine=1)
    whole, played = play_in_order(tournament, by_chance(2, faults=100))
    progress = follow(tournament, lambda spec: played.get(spec.key))
    assert progress.missing == ()
    assert len(whole.matches) > len(played)


def test_equal_maps_and_games_have_equal_seeds(registry: Registry) -> None:
    schedule = Schedule(tournament=tournament_of(registry, maps=2))
    batch = schedule.next_batch()
    assert [(fixture.game, fixture.stage) for fixture in schedule.fixtures] == [(spec.game_number, spec.stage) for spec in batch]
    seeds = {(spec.map.name, spec.game_number): spec.seed for spec in batch}
    assert all(spec.seed == seeds[spec.map.name, spec.game_number] for spec in batch)
    assert len(set(seeds.values())) == len(seeds) == 2
    assert len({spec.key for spec in batch}) == len(batch)


def test_a_batch_is_ended_whole(registry: Registry) -> None:
    schedule = Schedule(tournament=tournament_of(registry))
    batch = schedule.next_batch()
    with pytest.raises(ValueError, match="shorter"):
        schedule.end_batch([ended(1)] * (len(batch) - 1))
