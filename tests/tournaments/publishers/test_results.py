"""What publishers get is what the store holds, less what is hidden from readers."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from tests.made_records import changed
from tests.tournaments.running.made_runs import Heard, ShuffledExecutor, by_chance, tournament_of

from tiltyard_engine.lifecycle import Publication
from tiltyard_engine.match_record import MatchRecord, Outcome, SeatAccount
from tiltyard_engine.registry import Registry
from tiltyard_engine.replay import Replay
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.output.reports import quarantine_line
from tiltyard_tournaments.publishers.results import tournament_results
from tiltyard_tournaments.running.run import run_tournament
from tiltyard_tournaments.running.schedule import follow
from tiltyard_tournaments.running.tables import standings
from tiltyard_tournaments.store import Store


def test_matches_are_those_that_were_told_of(registry: Registry, tmp_path: Path) -> None:
    tournament = tournament_of(registry, "swiss", options={"rounds": 2})
    heard = Heard()
    with Store(tmp_path) as store:
        run_tournament(tournament, store, ShuffledExecutor(by_chance(1, 30), seed=2), heard)
        progress = follow(tournament, store.ended_as)
        results = tournament_results(tournament, progress, lambda: nullcontext(store))
    told = sorted((event for event in heard.events if isinstance(event, Outcome)), key=lambda event: event.place)
    assert list(results.matches) == [replace(event, played=False) for event in told]
    assert results.teams == tuple(line.team for line in standings(tournament, progress.schedule))
    assert (results.missing, results.folder, results.title, results.game) == (0, tournament.folder, "Cup", "tanks")
    assert all(results.table(name).headers for name in results.tables)
    assert results.theme is not None
    assert list(results.matches) == [replace(record, played=False) for record in progress.schedule.records]


def test_publishers_get_the_format_and_what_has_no_games(registry: Registry, tmp_path: Path) -> None:
    tournament = tournament_of(registry, "swiss", teams=3, options={"rounds": 2})
    with Store(tmp_path) as store:
        run_tournament(tournament, store, ShuffledExecutor(by_chance(1)), Heard())
        first, *_ = follow(tournament, store.ended_as).schedule.matches
        half = follow(tournament, lambda spec: store.ended_as(spec) if spec.place.key == first.place.key else None)
        results = tournament_results(tournament, half, lambda: nullcontext(store))
        began, ended = map(datetime.fromisoformat, results.period())
        nothing = tournament_results(tournament, follow(tournament, lambda spec: None), lambda: nullcontext(store))
    assert (results.format, results.challengers, results.is_scored) == ("swiss", (), False)
    bye, to_play = results.pairings
    assert (bye.stage, len(bye.teams)) == (to_play.stage, 1) == ("round 1", 1)
    assert (set(to_play.teams), to_play.games) == (set(first.input.names), results.missing)
    assert began.tzinfo is not None
    assert began <= ended
    # There may be no store before the first match.
    assert nothing.period() == ("", "")


def test_what_is_hidden_publishers_do_not_get(registry: Registry, tmp_path: Path) -> None:
    def play(spec: MatchSpec) -> MatchRecord:
        return changed(by_chance(1)(spec), accounts=(SeatAccount(held="sandbox", output=b"secret"), SeatAccount(held="sandbox")))

    tournament = tournament_of(registry, teams=2)
    open_to_all = replace(tournament, publication=Publication(hide=frozenset()))
    with Store(tmp_path) as store:
        run_tournament(tournament, store, ShuffledExecutor(play), Heard())
        progress = follow(tournament, store.ended_as)
        key = progress.schedule.matches[0].place.key
        assert tournament_results(tournament, progress, lambda: nullcontext(store)).output(key) == ()
        assert tournament_results(open_to_all, progress, lambda: nullcontext(store)).output(key) == ("secret", "")


def test_nothing_is_shown_of_what_was_played_of_a_forfeit(registry: Registry, tmp_path: Path) -> None:
    replay = Replay(game="tanks", width=1, height=1, squares=(" ",), seats=("a", "b"))

    def play(spec: MatchSpec) -> MatchRecord:
        accounts = (SeatAccount(held="sandbox", output=b"printed"), SeatAccount(held="sandbox"))
        return changed(by_chance(3, 100)(spec), accounts=accounts, replay=replay)

    tournament = replace(tournament_of(registry, quarantine=1), publication=Publication(hide=frozenset()))
    with Store(tmp_path) as store:
        run_tournament(tournament, store, ShuffledExecutor(play, seed=4, ahead=12), Heard())
        progress = follow(tournament, store.ended_as)
        results = tournament_results(tournament, progress, lambda: nullcontext(store))
        stored = store.keys()
        early = [record.key for record in progress.schedule.records if record.is_forfeit and record.key in stored]
        played = [record.key for record in progress.schedule.records if not record.is_forfeit]
        assert early
        assert played
        assert [(results.replay(key), results.output(key)) for key in early] == [(None, ())] * len(early)
        # Also of those that count as forfeits by now: who failed wants to see why.
        assert all(results.replay(key) is not None and results.output(key) for key in played)
        assert any(record.forfeited for record in results.matches if record.key in played)
        assert [note for note in results.notes if "quarantine" in note] == quarantine_line(progress.schedule.records).splitlines()
