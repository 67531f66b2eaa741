"""Disqualified teams play no further match, whatever the format; the tables say who they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.tournaments.running.made_runs import Heard, ShuffledExecutor, ended, tournament_of, void
from typer import Typer
from typer.testing import CliRunner

import tiltyard_tournaments as tiltyard
from tiltyard_checks.command import export, status
from tiltyard_engine.lifecycle import BatchStarted
from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.registry import Registry
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.output.reports import quarantine_line
from tiltyard_tournaments.cli import standings as standings_command
from tiltyard_tournaments.running.run import run_tournament
from tiltyard_tournaments.running.schedule import Schedule, follow
from tiltyard_tournaments.running.tables import standings, tables_of
from tiltyard_tournaments.running.tournament import Disqualification, Tournament
from tiltyard_tournaments.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path) as opened:
        yield opened


def first_name_wins(spec: MatchSpec) -> MatchRecord:
    return ended(spec.input.names.index(min(spec.input.names)) + 1)


def without(tournament: Tournament, name: str) -> Tournament:
    """The tournament after ``name`` was disqualified and its results kept."""
    (team,) = (team for team in tournament.teams if team.label == name)
    return replace(tournament, disqualified=(Disqualification(team, "it cheated"),))


def play(tournament: Tournament, store: Store, matches: int | None = None) -> Schedule | None:
    """Play on; ``matches`` stops the run after so many."""
    try:
        return run_tournament(tournament, store, ShuffledExecutor(first_name_wins, ahead=1, stop_after=matches), Heard())
    except KeyboardInterrupt:
        return None


def places(tournament: Tournament, schedule: Schedule) -> list[tuple[int, str]]:
    return [(line.place, line.team) for line in standings(tournament, schedule)]


def test_what_it_has_played_counts_and_it_forfeits_the_rest(registry: Registry, store: Store) -> None:
    tournament = tournament_of(registry)
    play(tournament, store, matches=4)
    cup = without(tournament, "ann")
    progress = follow(cup, store.ended_as)
    assert all("ann" not in spec.input.names for spec in progress.missing)
    schedule = play(cup, store)
    assert schedule is not None
    own = [record for record in schedule.records if "ann" in record.teams]
    stored = store.keys()
    kept, forfeited = ([record for record in own if (record.key in stored) is there] for there in (True, False))
    assert kept
    assert forfeited
    assert {record.winner_name for record in kept} == {"ann"}
    assert "ann" not in {record.winner_name for record in forfeited}
    assert all(record.counts for record in forfeited)
    assert forfeited[0].message == "Not played: ann disqualified"
    assert quarantine_line(schedule.records) == ""
    # Whoever follows sees what the run saw.
    assert follow(cup, store.ended_as).schedule.records == [
        replace(record, played=record.key in stored) for record in schedule.records
    ]
    # Without the key, all is as before.
    assert {name for spec in follow(tournament, store.ended_as).missing for name in spec.input.names} >= {"ann"}


def test_the_run_does_not_tell_of_forfeits_as_played_earlier(registry: Registry, store: Store) -> None:
    heard = Heard()
    run_tournament(without(tournament_of(registry), "ann"), store, ShuffledExecutor(first_name_wins), heard)
    assert [(event.matches, event.stored) for event in heard.events if isinstance(event, BatchStarted)] == [(12, 0)]


def test_it_stands_last_without_a_place_and_the_others_move_up(registry: Registry, store: Store) -> None:
    tournament = tournament_of(registry)
    schedule = play(tournament, store)
    assert schedule is not None
    cup = without(tournament, "bob")
    assert places(cup, schedule) == [(1, "ann"), (2, "cat"), (3, "dan"), (0, "bob")]
    table, reasons = tables_of(cup, schedule)[:2]
    assert table.rows[-1][:3] == ("DSQ", "bob", 24 - 12)
    assert reasons.rows == (("bob", "kept", "it cheated"),)
    ties = Schedule(tournament=cup)
    ties.end_batch([ended(0).outcome for _ in ties.next_batch()])
    assert places(cup, ties) == [(1, "ann"), (1, "cat"), (1, "dan"), (0, "bob")]


def test_a_match_that_the_machine_spoilt_is_not_played_again(registry: Registry, store: Store) -> None:
    tournament = tournament_of(registry, teams=2)
    run_tournament(tournament, store, ShuffledExecutor(lambda spec: void()), Heard())
    progress = follow(without(tournament, "bob"), store.ended_as)
    assert (progress.missing, progress.schedule.voids) == ((), 0)
    assert {record.winner_name for record in progress.schedule.records} == {"ann"}


@pytest.mark.parametrize(
    ("name", "options", "played", "expected"),
    [
        # Before the semi-final, its opponent is in the final; before the final, the other finalist wins.
        ("knockout", {"best_of": 1}, 0, [(1, "bob"), (2, "dan"), (3, "cat")]),
        ("knockout", {"best_of": 1}, 2, [(1, "bob"), (2, "cat"), (3, "dan")]),
        # After it, the second is first.
        ("knockout", {"best_of": 1}, None, [(1, "bob"), (2, "cat"), (3, "dan")]),
        # What was drawn stands; it is paired no more.
        ("swiss", {"rounds": 3}, 4, [(1, "bob"), (2, "cat"), (2, "dan")]),
    ],
)
def test_formats_that_need_a_winner_have_one(
    registry: Registry, store: Store, name: str, options: dict[str, Any], played: int | None, expected: list[tuple[int, str]]
) -> None:
    tournament = tournament_of(registry, name, options=options)
    play(tournament, store, played)
    cup = without(tournament, "ann")
    schedule = play(cup, store)
    assert schedule is not None
    assert places(cup, schedule) == [*expected, (0, "ann")]
    stored = store.keys()
    later = [record for record in schedule.records if "ann" in record.teams and record.key not in stored]
    assert all(record.is_forfeit and record.winner_name != "ann" for record in later)
    assert bool(later) is (played is not None)


CUP = "title: Cup\ngame: tanks\nteams: [acorn, bramble, coyote]\nmaps: back-yard\nworkers: 1\n"


def shown_by(app: Typer, file: Path, *options: str) -> str:
    done = CliRunner().invoke(app, [str(file), *options])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_after_the_fact_and_back(tmp_path: Path) -> None:
    file = tmp_path / "cup.yaml"
    file.write_text(CUP)
    tiltyard.load(file).run()
    tables = shown_by(standings_command.app, file)
    exported = shown_by(export.app, file)

    file.write_text(f"{CUP}disqualify: {{acorn: {{reason: copied <b>, results: strike}}}}\n")
    cup = tiltyard.load(file)
    assert (cup.teams, cup.disqualified) == (("bramble", "coyote"), (("acorn", "struck", "copied <b>"),))
    assert cup.status().complete
    shown = shown_by(standings_command.app, file)
    assert shown.index("Standings") < shown.index("Disqualified") < shown.index("Ratings")
    assert shown.count("acorn") == 1
    assert {row["games"] for row in cup.standings()} == {2}
    page = cup.publish()[0].read_text()
    assert "copied &lt;b&gt;" in page
    (markdown,) = cup.publish(publishers=["markdown"])
    assert "| acorn       | struck    | copied" in markdown.read_text()
    lines = shown_by(export.app, file).splitlines()
    assert lines[1] == '{"kind":"disqualified","reason":"copied <b>","results":"struck","team":"acorn"}'
    assert len(lines) == 2 + 2
    assert len(shown_by(export.app, file, "--all").splitlines()) == 2 + 6

    file.write_text(f"{CUP}disqualify: {{acorn: copied <b>}}\n")
    assert "disqualified: acorn (results kept): copied <b>" in shown_by(status.app, file)
    assert ">DSQ<" in tiltyard.load(file).publish()[0].read_text()

    file.write_text(CUP)
    assert shown_by(standings_command.app, file) == tables
    assert shown_by(export.app, file) == exported
