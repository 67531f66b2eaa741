from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.made_records import changed, made_record
from tests.tournaments.running.made_runs import Play, by_chance, ended, tournament_of

from tiltyard_engine.match_record import MatchRecord, Outcome
from tiltyard_engine.registry import Registry
from tiltyard_engine.results import Fault, GameResult, Termination
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.match.verdict import OnCrash, verdict
from tiltyard_simulator.output.reports import quarantine_line
from tiltyard_tournaments.ratings.rate import rate
from tiltyard_tournaments.running.schedule import Schedule, follow
from tiltyard_tournaments.running.tables import TABLES, standings, tables_of
from tiltyard_tournaments.running.tournament import Tournament
from tiltyard_tournaments.standings import TIE_BREAKS, Rules, Scoring, Table, rank

FORMATS: Mapping[str, Mapping[str, Any]] = {
    "round-robin": {},
    "swiss": {"seats": "balanced"},
    "knockout": {"best_of": 2},
    "double-elimination": {"best_of": 1},
    "until-settled": {"budget": 40},
}


def play_in_order(tournament: Tournament, play: Play) -> tuple[Schedule, dict[str, Outcome]]:
    """One match after the other; the schedule, and what was played of it by key."""
    schedule = Schedule(tournament=tournament)
    eligibility = schedule.eligibility
    stored: dict[str, Outcome] = {}
    while batch := schedule.next_batch():
        for spec in batch:
            record = eligibility.without_playing(spec, lambda spec: None)
            if record is None:
                record = stored.setdefault(spec.place.key, play(spec).outcome)
            eligibility.add(spec, record)
        schedule.end_batch()
    schedule.end()
    return schedule, stored


def all_tables(tournament: Tournament, schedule: Schedule) -> list[Table]:
    return tables_of(tournament, schedule, [name for name in TABLES if name != "ratings"])


@pytest.mark.parametrize("format_name", FORMATS)
@given(salt=st.integers(0, 999), faults=st.sampled_from([0, 30]), data=st.data())
@settings(deadline=None, max_examples=8)
def test_following_and_playing_in_any_order_gives_the_same_tables(
    registry: Registry, format_name: str, salt: int, faults: int, data: st.DataObject
) -> None:
    tournament = tournament_of(registry, format_name, 5, 2, quarantine=2, options=FORMATS[format_name])
    play = by_chance(salt, faults)
    whole, played = play_in_order(tournament, play)
    stored = {key: played[key] for key in data.draw(st.sets(st.sampled_from(sorted(played))))}

    def there(spec: MatchSpec) -> Outcome | None:
        return stored.get(spec.place.key)

    while missing := (progress := follow(tournament, there)).missing:
        assert not {spec.place.key for spec in missing} & set(stored)
        assert all_tables(tournament, progress.schedule)
        chosen = data.draw(st.lists(st.sampled_from(missing), min_size=1, unique_by=lambda spec: spec.place.number))
        stored.update({spec.place.key: play(spec).outcome for spec in chosen})
    assert progress.schedule.records == whole.records
    assert all_tables(tournament, progress.schedule) == all_tables(tournament, whole)


@given(data=st.data())
@settings(deadline=None, max_examples=25)
def test_what_is_there_of_a_batch_counts(registry: Registry, data: st.DataObject) -> None:
    tournament = tournament_of(registry, maps=2)
    whole, played = play_in_order(tournament, by_chance(1))
    there = data.draw(st.sets(st.sampled_from(sorted(played))))
    progress = follow(tournament, lambda spec: played[spec.place.key] if spec.place.key in there else None)
    assert [spec.place.key for spec in progress.schedule.matches] == [
        each.place.key for each in whole.matches if each.place.key in there
    ]
    assert [record.key for record in progress.schedule.records] == [
        each.place.key for each in whole.matches if each.place.key in there
    ]
    assert len(progress.missing) == len(played) - len(there)


def test_later_batches_wait_for_earlier_ones(registry: Registry) -> None:
    tournament = tournament_of(registry, "swiss", options={"seats": "balanced"})
    whole, played = play_in_order(tournament, by_chance(3))
    assert (whole.batches, len(whole.matches)) == (2, 4)
    first = whole.matches[0].place.key
    progress = follow(tournament, lambda spec: None if spec.place.key == first else played[spec.place.key])
    assert [spec.place.key for spec in progress.missing] == [first]
    assert [spec.place.key for spec in progress.schedule.matches] == [whole.matches[1].place.key]


def test_forfeits_need_not_be_stored(registry: Registry) -> None:
    tournament = tournament_of(registry, quarantine=1)
    whole, played = play_in_order(tournament, by_chance(2, faults=100))
    progress = follow(tournament, lambda spec: played.get(spec.place.key))
    assert progress.missing == ()
    assert len(whole.matches) > len(played)


def fragile(salt: int, name: str, faults: int) -> Play:
    """Records of equal teams and one that fails in so many of 100 matches; nothing depends on which of the equal ones plays."""

    def play(spec: MatchSpec) -> MatchRecord:
        seat = spec.input.names.index(name) + 1 if name in spec.input.names else 0
        chance = random.Random(f"{salt} {spec.input.map.name} {seat}")
        claim = GameResult(chance.randrange(3), "OVER", 9, ("##",), scores=(chance.random(), chance.random()))
        broke = seat and chance.randrange(100) < faults
        found = (Fault(seat, Termination.CRASH, "it broke", 3),) if broke else ()
        winner, ranks, no_contest = verdict(claim, found, 2, spec.input.on_crash)
        return made_record(claim=claim, faults=found, winner=winner, ranks=ranks, no_contest=no_contest)

    return play


@given(
    on_crash=st.sampled_from(OnCrash),
    salt=st.integers(0, 999),
    position=st.integers(0, 3),
    maps=st.integers(1, 3),
    quarantine=st.integers(0, 12),
    faults=st.sampled_from([30, 100]),
)
@settings(deadline=None, max_examples=25)
def test_equal_teams_stand_equal_whenever_they_met_one_that_came_into_quarantine(
    registry: Registry, on_crash: OnCrash, salt: int, position: int, maps: int, quarantine: int, faults: int
) -> None:
    tournament = replace(tournament_of(registry, maps=maps, quarantine=quarantine), on_crash=on_crash)
    broken = tournament.names[position]
    schedule, played = play_in_order(tournament, fragile(salt, broken, faults))
    progress = follow(tournament, lambda spec: played.get(spec.place.key))
    assert progress.schedule.records == schedule.records
    scorings = [Scoring(), Scoring(places=(5, 2)), Scoring(by="score")]
    fair = tuple(name for name in TIE_BREAKS if name != "lots")
    for lines in [rank(tournament.names, schedule.records, Rules(scoring, fair)) for scoring in scorings]:
        equal = [line for line in lines if line.team != broken]
        assert len({(line.place, line.score.points, line.score.record, *line.tie_breaks.values()) for line in equal}) == 1
    failed = sum(bool(record.faults) for record in played.values())
    is_out = quarantine > 0 and failed == quarantine
    (own,) = (line.score for line in lines if line.team == broken)
    assert (own.forfeits, own.losses) == ((3 * 2 * maps,) * 2 if is_out else (0, own.losses))
    assert is_out == (broken in quarantine_line(schedule.records))
    # What it won or only idled through says nothing of its strength, if nobody would have to meet it any more.
    assert not is_out or broken not in rate(schedule.records)


def test_drawn_rounds_keep_what_they_were_drawn_by(registry: Registry) -> None:
    """ann wins her semi-final in spite of a crash, and is put in quarantine after it."""
    tournament = tournament_of(registry, "knockout", quarantine=1, options={"best_of": 1, "third_place": False})
    tournament = replace(tournament, on_crash=OnCrash.IDLE)

    def play(spec: MatchSpec) -> MatchRecord:
        seat = spec.input.names.index("ann") + 1 if "ann" in spec.input.names else 0
        return changed(ended(seat or 1), faults=(Fault(seat, Termination.CRASH, "it broke", 1),) if seat else ())

    schedule, played = play_in_order(tournament, play)
    semi_final, _, final = schedule.records
    loser = next(name for name in semi_final.teams if name != "ann")
    assert (semi_final.winner_name, semi_final.forfeited) == (loser, (semi_final.teams.index("ann") + 1,))
    assert "ann" in final.teams
    assert loser not in final.teams
    assert final.is_forfeit
    assert follow(tournament, lambda spec: played.get(spec.place.key)).schedule.results == schedule.results
    # The winner of the final is first, and whoever won nothing that counts is last.
    assert [(line.place, float(line.score.points)) for line in standings(tournament, schedule)][::3] == [(1, 6.0), (4, 0.0)]
    assert standings(tournament, schedule)[-1].team == "ann"


def test_equal_maps_and_games_have_equal_seeds(registry: Registry) -> None:
    schedule = Schedule(tournament=tournament_of(registry, maps=2))
    batch = schedule.next_batch()
    assert [(fixture.game, fixture.stage) for fixture in schedule.fixtures] == [
        (spec.place.game_number, spec.place.stage) for spec in batch
    ]
    seeds = {(spec.input.map.name, spec.place.game_number): spec.input.seed for spec in batch}
    assert all(spec.input.seed == seeds[spec.input.map.name, spec.place.game_number] for spec in batch)
    assert len(set(seeds.values())) == len(seeds) == 2
    assert len({spec.place.key for spec in batch}) == len(batch)


def test_a_batch_is_ended_whole(registry: Registry) -> None:
    schedule = Schedule(tournament=tournament_of(registry))
    batch = schedule.next_batch()
    with pytest.raises(ValueError, match="shorter"):
        schedule.end_batch([ended(1).outcome] * (len(batch) - 1))
