"""What publishers get is what the store holds, less what is hidden from readers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.tournaments.running.made_runs import Heard, ShuffledExecutor, by_chance, tournament_of

from tiltyard_engine.lifecycle import MatchFinished
from tiltyard_engine.publishing import Publication
from tiltyard_engine.registry import Registry
from tiltyard_simulator.specs import MatchOutcome, MatchSpec, SeatAccount
from tiltyard_tournaments.played import finished_match
from tiltyard_tournaments.running.reporting import standings
from tiltyard_tournaments.running.results import tournament_results
from tiltyard_tournaments.running.run import run_tournament
from tiltyard_tournaments.running.schedule import follow
from tiltyard_tournaments.store import Store


def test_matches_are_those_that_were_told_of(registry: Registry, tmp_path: Path) -> None:
    tournament = tournament_of(registry, "swiss", options={"rounds": 2})
    heard = Heard()
    with Store(tmp_path) as store:
        run_tournament(tournament, store, ShuffledExecutor(by_chance(1, 30), seed=2), heard)
        progress = follow(tournament, store.outcome)
        results = tournament_results(tournament, progress, store, tmp_path / "elsewhere")
    told = sorted((event for event in heard.events if isinstance(event, MatchFinished)), key=lambda event: event.place)
    assert list(results.matches) == [replace(event, played=False) for event in told]
    assert results.teams == tuple(line.team for line in standings(tournament, progress.schedule))
    assert (results.missing, results.folder, results.title, results.game) == (0, tmp_path / "elsewhere", "Cup", "tanks")
    assert all(results.table(name).headers for name in results.tables)
    assert results.theme is not None
    assert [finished_match(match) for match in results.matches] == progress.schedule.matches()


def test_what_is_hidden_publishers_do_not_get(registry: Registry, tmp_path: Path) -> None:
    def play(spec: MatchSpec) -> MatchOutcome:
        return replace(by_chance(1)(spec), accounts=(SeatAccount("sandbox", b"secret"), SeatAccount("sandbox")))

    tournament = tournament_of(registry, teams=2)
    open_to_all = replace(tournament, publication=Publication(hide=frozenset()))
    with Store(tmp_path) as store:
        run_tournament(tournament, store, ShuffledExecutor(play), Heard())
        progress = follow(tournament, store.outcome)
        key = progress.schedule.planned[0].key
        assert tournament_results(tournament, progress, store).output(key) == ()
        assert tournament_results(open_to_all, progress, store).output(key) == ("secret", "")
