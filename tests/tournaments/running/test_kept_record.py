"""What a run keeps in memory of its matches."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import replace
from pathlib import Path

from hypothesis import given
from tests.tournaments.made_matches import duels
from tests.tournaments.running.made_runs import Heard, ended, tournament_of

from tiltyard_engine.match_record import MatchRecord, SeatAccount
from tiltyard_engine.registry import Reference, Registry
from tiltyard_engine.replay import Replay
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.play.refusals import OnRefusal, raise_refusal
from tiltyard_tournaments.ratings.rate import rate, ratings_table
from tiltyard_tournaments.running.kept_record import RecordKeeper
from tiltyard_tournaments.running.run import run_tournament
from tiltyard_tournaments.standings import Rules, rank
from tiltyard_tournaments.standings.tie_breaks import TIE_BREAKS
from tiltyard_tournaments.store import Store


def large(spec: MatchSpec) -> MatchRecord:
    """With a replay, a board and outputs."""
    record = ended(1)
    board = tuple(f"row {number}" for number in range(20))
    replay = Replay(game="tanks", width=1, height=1, squares=("x",), message=spec.key)
    accounts = tuple(SeatAccount(held="inline", output=b"much" * 100) for _ in range(2))
    return spec.label(replace(record, claim=replace(record.claim, final_state=board), replay=replay, accounts=accounts))


class Playing:
    """Ends each match at once, with all that a record may contain."""

    def play(
        self, matches: Iterable[MatchSpec], refused: OnRefusal = raise_refusal, preload: Iterable[Reference] = ()
    ) -> Generator[MatchRecord, None, None]:
        yield from map(large, matches)


@given(matches=duels())
def test_tables_and_ratings_are_the_same(matches: list[MatchRecord]) -> None:
    keeper = RecordKeeper()
    kept = [keeper.kept(match, match.key) for match in matches]
    rules = Rules(tie_breaks=tuple(TIE_BREAKS))
    names = ("ant", "bee", "cat", "dog")
    assert rank(names, kept, rules) == rank(names, matches, rules)
    assert [record.digest for record in kept] == [match.digest for match in matches]
    assert [(one.message, one.counts, one.scores) for one in kept] == [(one.message, one.counts, one.scores) for one in matches]
    if matches:
        assert ratings_table(rate(kept), names) == ratings_table(rate(matches), names)


def test_a_run_keeps_nothing_large_and_the_store_everything(registry: Registry, tmp_path: Path) -> None:
    tournament = tournament_of(registry)
    heard = Heard()
    with Store(tmp_path) as store:
        schedule = run_tournament(tournament, store, Playing(), heard)
        assert len(schedule.records) == 12
        for spec, record in zip(schedule.matches, schedule.records, strict=True):
            assert (record.replay, record.claim.final_state, record.accounts[0].output) == (None, (), b"")
            stored = store.match(spec.key)
            assert stored is not None
            assert stored.record.claim.final_state == large(spec).claim.final_state
            assert stored.record.accounts == large(spec).accounts
            assert store.replay(spec.key) == large(spec).replay
            assert record.digest == stored.record.digest
    # Who watches is still told of the board.
    assert all(event.claim.final_state for event in heard.events if isinstance(event, MatchRecord))


def test_a_resumed_run_reads_each_match_when_it_is_its_turn(registry: Registry, tmp_path: Path) -> None:
    tournament = tournament_of(registry)
    with Store(tmp_path) as store:
        run_tournament(tournament, store, Playing(), Heard())
        again = Heard()
        schedule = run_tournament(tournament, store, Playing(), again)
        records = [event for event in again.events if isinstance(event, MatchRecord)]
        assert [record.played for record in records] == [False] * 12
        assert all(record.claim.final_state for record in records)
        assert all(not record.claim.final_state for record in schedule.records)
