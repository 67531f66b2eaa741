from __future__ import annotations

import itertools
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tournaments.running.made_runs import Heard, ShuffledExecutor, by_chance, ended, tournament_of, void

from tiltyard_checks.runs.export_lines import export_lines
from tiltyard_engine.errors import UserError
from tiltyard_engine.lifecycle import BatchStarted, Event, MatchFault, MatchStarted, TournamentFinished, TournamentStarted
from tiltyard_engine.match_record import MatchRecord, Outcome
from tiltyard_engine.registry import Registry
from tiltyard_engine.results import Termination
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_tournaments.running.run import run_tournament, tournament_started
from tiltyard_tournaments.running.schedule import Schedule, follow
from tiltyard_tournaments.running.tables import TABLES, tables_of
from tiltyard_tournaments.running.tournament import Tournament
from tiltyard_tournaments.standings import Table
from tiltyard_tournaments.store import Store

FORMATS: list[tuple[str, dict[str, Any]]] = [
    ("round-robin", {}),
    ("swiss", {"rounds": 3}),
    ("knockout", {"best_of": 3}),
    ("double-elimination", {"best_of": 1}),
    ("until-settled", {"budget": 40}),
]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path) as opened:
        yield opened


@contextmanager
def new_store() -> Iterator[Store]:
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder)) as opened:
        yield opened


def all_tables(tournament: Tournament, schedule: Schedule) -> list[Table]:
    return tables_of(tournament, schedule, [name for name in TABLES if name != "ratings"])


def in_any_run(schedule: Schedule) -> list[Outcome]:
    """The outcomes, whether this run played them or an earlier one did."""
    return [replace(record, played=True) for record in schedule.records]


def contents(store: Store) -> dict[str, MatchRecord]:
    return {match.key: match.record for match in store.matches()}


@pytest.mark.parametrize(
    ("format_name", "options"),
    FORMATS,
)
@given(salt=st.integers(0, 999), seed=st.integers(), ahead=st.integers(1, 9))
@settings(deadline=None, max_examples=6)
def test_the_order_of_finishing_changes_nothing(
    registry: Registry, format_name: str, options: dict[str, Any], salt: int, seed: int, ahead: int
) -> None:
    tournament = tournament_of(registry, format_name, 5, options=options)
    with new_store() as one, new_store() as other:
        first = run_tournament(tournament, one, ShuffledExecutor(by_chance(salt, 20), ahead=1), Heard())
        second = run_tournament(tournament, other, ShuffledExecutor(by_chance(salt, 20), seed, ahead), Heard())
        assert contents(one) == contents(other)
        assert first.records == second.records
        assert all_tables(tournament, first) == all_tables(tournament, second)
        assert all_tables(tournament, follow(tournament, one.ended_as).schedule) == all_tables(tournament, first)


@pytest.mark.parametrize("name", ["knockout", "double-elimination"])
@given(salt=st.integers(0, 999), stops=st.lists(st.integers(0, 12), max_size=4), seed=st.integers())
@settings(deadline=None, max_examples=8)
def test_an_interrupted_run_goes_on_to_the_same_end(registry: Registry, name: str, salt: int, stops: list[int], seed: int) -> None:
    tournament = tournament_of(registry, name, 6, quarantine=2, options={"best_of": 3})
    play = by_chance(salt, 30)
    with new_store() as undisturbed, new_store() as disturbed:
        whole = run_tournament(tournament, undisturbed, ShuffledExecutor(play, ahead=1), Heard())
        done: set[str] = set()
        for number, stop in enumerate(stops):
            executor = ShuffledExecutor(play, seed + number, stop_after=stop)
            heard = Heard()
            try:
                run_tournament(tournament, disturbed, executor, heard)
            except KeyboardInterrupt:
                last = heard.events[-1]
                assert isinstance(last, TournamentFinished)
                assert not last.complete
            assert not done & set(executor.played)
            done |= set(executor.played)
            assert disturbed.keys() == done
        executor = ShuffledExecutor(play, seed)
        again = run_tournament(tournament, disturbed, executor, Heard())
        assert not done & set(executor.played)
        assert in_any_run(again) == in_any_run(whole)
        assert all_tables(tournament, again) == all_tables(tournament, whole)
        assert set(contents(undisturbed)) <= set(contents(disturbed))


def test_a_team_that_joins_a_round_robin_adds_its_own_matches_alone(registry: Registry, store: Store) -> None:
    run_tournament(tournament_of(registry, teams=4, maps=2), store, ShuffledExecutor(by_chance(1)), Heard())
    before = contents(store)
    executor = ShuffledExecutor(by_chance(1))
    run_tournament(tournament_of(registry, teams=5, maps=2), store, executor, Heard())
    after = contents(store)
    # The fifth plays the four others on both maps, from both sides.
    assert len(executor.played) == 4 * 2 * 2
    assert {key: after[key] for key in before} == before
    assert all("eve" in after[key].outcome.teams for key in executor.played)


def test_a_complete_tournament_is_not_played_again(registry: Registry, store: Store) -> None:
    tournament = tournament_of(registry)
    run_tournament(tournament, store, ShuffledExecutor(by_chance(1)), Heard())
    executor, heard = ShuffledExecutor(by_chance(1)), Heard()
    run_tournament(tournament, store, executor, heard)
    assert executor.played == []
    assert heard.events[:2] == [tournament_started(tournament, 12), BatchStarted(1, 12, 12)]
    assert [event.played for event in heard.events if isinstance(event, Outcome)] == [False] * 12


def test_events_come_in_order(registry: Registry, store: Store) -> None:
    tournament = tournament_of(registry, "swiss", options={"rounds": 2})
    heard = Heard()
    run_tournament(tournament, store, ShuffledExecutor(by_chance(1), seed=5), heard)
    begin, *between, end = heard.events
    assert begin == TournamentStarted(
        title="Cup",
        teams=("ann", "bob", "cat", "dan"),
        stored=0,
        expected=(8, 8),
        game="tanks",
        manager="reference",
        format="swiss",
        maps=("m0",),
        folder="cup",
    )
    assert isinstance(end, TournamentFinished)
    assert (end.matches, end.complete) == (8, True)
    started: list[int] = []
    finished: list[int] = []
    batches: list[BatchStarted] = []
    for event in between:
        if isinstance(event, BatchStarted):
            assert len(finished) == sum(batch.matches for batch in batches)
            batches.append(event)
        elif isinstance(event, MatchStarted):
            started.append(event.place)
        elif isinstance(event, Outcome):
            assert event.place in started
            assert event.stage == f"round {len(batches)}"
            finished.append(event.place)
    assert batches == [BatchStarted(1, 4, 0), BatchStarted(2, 4, 0)]
    assert started == sorted(finished) == list(range(8))
    assert finished != started


def test_a_match_is_stored_before_it_is_told(registry: Registry, tmp_path: Path) -> None:
    tournament = tournament_of(registry, maps=2)
    with Store(tmp_path) as store, Store(tmp_path, writable=False) as reader:
        seen = 0

        def tell(event: Event) -> None:
            nonlocal seen
            if isinstance(event, Outcome):
                record = reader.record(event.key)
                assert record is not None
                assert (event.winner, event.ranks, event.faults) == (
                    record.outcome.winner,
                    record.outcome.ranks,
                    record.outcome.faults,
                )
                seen += 1

        run_tournament(tournament, store, ShuffledExecutor(by_chance(1)), tell)
    assert seen == 24


def test_faults_are_told_once_just_before_their_match_finishes(registry: Registry, store: Store) -> None:
    tournament = tournament_of(registry)
    heard, again = Heard(), Heard()
    run_tournament(tournament, store, ShuffledExecutor(by_chance(1, faults=50), seed=2), heard)
    found = [event.place for event in heard.events if isinstance(event, MatchFault)]
    assert len(found) > 2
    for event, following in itertools.pairwise(heard.events):
        if isinstance(event, MatchFault):
            assert isinstance(following, Outcome)
            assert (event.place, event.key) == (following.place, following.key)
            assert following.faults == (event.fault,)
            assert event.who == following.teams[event.fault.seat - 1]
    run_tournament(tournament, store, ShuffledExecutor(by_chance(1)), again)
    assert not any(isinstance(event, MatchFault) for event in again.events)


def test_what_the_machine_spoils_is_tried_again_by_the_next_run(registry: Registry, store: Store) -> None:
    tournament = tournament_of(registry)
    spoilt: list[MatchSpec] = []

    def spoiling(spec: MatchSpec) -> MatchRecord:
        if spec.input.names == ("ann", "bob"):
            spoilt.append(spec)
            return void()
        return by_chance(1)(spec)

    heard = Heard()
    schedule = run_tournament(tournament, store, ShuffledExecutor(spoiling), heard)
    assert len(spoilt) == 1
    assert len(store.keys()) == 11
    ((key, _, what),) = store.incidents()
    assert what == "its match worker died"
    assert store.record(key) is None
    assert [record.teams for record in schedule.records if not record.counts] == [("ann", "bob")]
    seen = store.ended(key)
    assert seen is not None
    assert seen.outcome.is_void
    end = heard.events[-1]
    assert isinstance(end, TournamentFinished)
    assert (end.matches, end.complete, end.voids) == (12, False, 1)
    executor, heard = ShuffledExecutor(by_chance(1)), Heard()
    run_tournament(tournament, store, executor, heard)
    assert executor.played == [key]
    assert store.ended(key) == store.record(key) is not None
    end = heard.events[-1]
    assert isinstance(end, TournamentFinished)
    assert (end.complete, end.voids) == (True, 0)


@pytest.mark.parametrize(("name", "options"), FORMATS)
def test_a_format_goes_on_without_what_the_machine_spoils_and_the_next_run_mends_it(
    registry: Registry, store: Store, name: str, options: dict[str, Any]
) -> None:
    tournament = tournament_of(registry, name, 5, options=options)
    with new_store() as calm:
        wanted = all_tables(tournament, run_tournament(tournament, calm, ShuffledExecutor(by_chance(2)), Heard()))
    schedule = run_tournament(tournament, store, ShuffledExecutor(by_chance(2, voids=60)), Heard())
    assert schedule.voids > 0
    seen = follow(tournament, store.ended_as)
    # All that was played is in the tables, in later rounds too.
    assert (seen.missing, seen.schedule.voids) == ((), schedule.voids)
    assert all_tables(tournament, seen.schedule) == all_tables(tournament, schedule)
    again = run_tournament(tournament, store, ShuffledExecutor(by_chance(2)), Heard())
    assert again.voids == 0
    assert all_tables(tournament, again) == wanted
    assert all_tables(tournament, follow(tournament, store.ended_as).schedule) == wanted


@pytest.mark.parametrize("ahead", [1, 3, 20])
def test_quarantine_goes_over_batches(registry: Registry, store: Store, ahead: int) -> None:
    """ann fails in the first two rounds, so that her third is a forfeit, however far ahead matches are played."""
    tournament = tournament_of(registry, "swiss", 4, quarantine=2, options={"rounds": 3, "seats": "balanced"})

    def play(spec: MatchSpec) -> MatchRecord:
        fault = by_chance(0, 100)(spec).outcome.faults[0]
        seats = [seat for seat, name in enumerate(spec.input.names, start=1) if name == "ann"]
        return ended(0, *[type(fault)(seat, fault.termination, fault.message, 1) for seat in seats])

    executor, heard = ShuffledExecutor(play, seed=3, ahead=ahead), Heard()
    schedule = run_tournament(tournament, store, executor, heard)
    of_ann = [record for record in schedule.records if "ann" in record.teams]
    assert [record.faults[0].termination for record in of_ann] == [Termination.CRASH, Termination.CRASH, Termination.FORFEIT]
    assert len(executor.played) == len(store.keys()) == 5
    assert [event.played for event in heard.events if isinstance(event, Outcome)].count(False) == 1
    again = ShuffledExecutor(play)
    assert in_any_run(run_tournament(tournament, store, again, Heard())) == in_any_run(schedule)
    assert again.played == []


@given(seed=st.integers(), ahead=st.integers(1, 12))
@settings(deadline=None, max_examples=8)
def test_what_is_exported_is_what_counts_whatever_was_played_too_early(registry: Registry, seed: int, ahead: int) -> None:
    tournament = tournament_of(registry, teams=5, maps=2, quarantine=2)
    with new_store() as calm, new_store() as hasty:
        wanted = exported(calm, run_tournament(tournament, calm, ShuffledExecutor(by_chance(3, 40), ahead=1), Heard()))
        schedule = run_tournament(tournament, hasty, ShuffledExecutor(by_chance(3, 40), seed, ahead), Heard())
        assert exported(hasty, schedule) == exported(hasty, follow(tournament, hasty.ended_as).schedule) == wanted
        everything = [json.loads(line) for line in export_lines(hasty)]
        assert {line["key"] for line in everything if line["kind"] == "match"} == hasty.keys()
        facts = {line["key"]: line for line in everything if line["kind"] == "match"}
    forfeits = [line for line in wanted if any(fault["termination"] == "forfeit" for fault in line["faults"])]
    assert forfeits
    assert len(wanted) == 40
    counted = [line for line in wanted if "forfeited" in line and line not in forfeits]
    assert counted
    for line in counted:
        assert (line["winner"] in line["forfeited"], line["counts"]) == (False, len(line["forfeited"]) < 2)
        # What was played is told as it was.
        fact = facts[line["key"]]
        assert [line[part] for part in ("claim", "faults", "accounts")] == [fact[part] for part in ("claim", "faults", "accounts")]
        assert "forfeited" not in fact


def exported(store: Store, schedule: Schedule) -> list[dict[str, Any]]:
    settled = list(zip(schedule.matches, schedule.records, strict=True))
    lines = [json.loads(line) for line in export_lines(store, settled=settled)]
    return [line | {"played_at": bool(line["played_at"])} for line in lines if line["kind"] == "match"]


def test_a_store_that_fails_ends_the_run_and_is_said(registry: Registry, store: Store) -> None:
    def play(spec: MatchSpec) -> MatchRecord:
        if len(store.keys()) == 3:
            store.close()
        return by_chance(1)(spec)

    heard = Heard()
    with pytest.raises(UserError, match=r"tournament\.sqlite"):
        run_tournament(tournament_of(registry), store, ShuffledExecutor(play, ahead=1), heard)
    last = heard.events[-1]
    assert isinstance(last, TournamentFinished)
    assert not last.complete
    assert sum(isinstance(event, Outcome) for event in heard.events) == 3
