"""A run keeps the outcomes of its matches and nothing else of them; the store has the evidence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.made_records import made_record
from tests.tournaments.running.made_runs import Heard, ShuffledExecutor, ended, tournament_of

from tiltyard_engine.match_record import Interned, MatchRecord, Outcome, SeatAccount
from tiltyard_engine.registry import Registry
from tiltyard_engine.replay import Replay
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.play.arena import labelled
from tiltyard_simulator.replays.files import pack
from tiltyard_tournaments.running.run import run_tournament
from tiltyard_tournaments.store import Store


def large(spec: MatchSpec) -> MatchRecord:
    """A match with a replay, a board and outputs."""
    record = ended(1)
    board = tuple(f"row {number}" for number in range(20))
    replay = Replay(game="tanks", width=1, height=1, squares=("x",), message=spec.place.key)
    accounts = tuple(SeatAccount(held="inline", output=b"much" * 100) for _ in range(2))
    claim = replace(record.evidence.claim, final_state=board)
    return labelled(made_record(claim=claim, winner=1, ranks=(1, 2), accounts=accounts, replay=replay), spec)


def playing() -> ShuffledExecutor:
    """Ends each match at once, with all that a record may contain."""
    return ShuffledExecutor(large, ahead=1)


def test_a_run_keeps_and_tells_outcomes_and_the_store_has_everything(registry: Registry, tmp_path: Path) -> None:
    tournament = tournament_of(registry)
    heard = Heard()
    with Store(tmp_path) as store:
        schedule = run_tournament(tournament, store, playing(), heard)
        assert len(schedule.records) == 12
        for spec, outcome in zip(schedule.matches, schedule.records, strict=True):
            assert type(outcome) is Outcome
            stored = store.record(spec.place.key, with_replay=True)
            assert stored == replace(large(spec), outcome=replace(large(spec).outcome))
            assert store.ended_as(spec) == stored.outcome == outcome
            replay = store.replay(spec.place.key)
            assert replay is not None
            assert pack(replay) == stored.evidence.replay
    told = [event for event in heard.events if isinstance(event, Outcome)]
    assert sorted(map(id, told)) == sorted(map(id, schedule.records)), "whoever listens gets the values that the run keeps"


def test_a_resumed_run_tells_of_matches_that_are_in_the_store(registry: Registry, tmp_path: Path) -> None:
    tournament = tournament_of(registry)
    with Store(tmp_path) as store:
        first = run_tournament(tournament, store, playing(), Heard())
        again = Heard()
        schedule = run_tournament(tournament, store, playing(), again)
        outcomes = [event for event in again.events if isinstance(event, Outcome)]
        assert [outcome.played for outcome in outcomes] == [False] * 12
        assert schedule.records == outcomes == [replace(outcome, played=False) for outcome in first.records]


def test_what_is_equal_in_two_outcomes_is_there_once() -> None:
    one, other = (ended(1, message=f"over {winner}").outcome for winner in (1, 1))
    assert one.message is not other.message
    interned = Interned()
    one, other = (interned.outcome(outcome, "k") for outcome in (one, other))
    assert one == other
    assert one.message is other.message
    assert one.held is other.held
    assert one.ranks is other.ranks
