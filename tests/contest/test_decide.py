"""Decisions about games: shown first, stored with reason and time, applied wherever results are read, and taken back."""

from __future__ import annotations

import csv
import json
import shutil
from dataclasses import replace
from itertools import starmap
from pathlib import Path
from typing import Any

import pytest
import typer
from tests.conftest import DUEL, map_text
from tests.engine.making import team_source
from tests.tournaments.running.made_runs import Heard, ShuffledExecutor, by_chance, ended, tournament_of
from typer.testing import CliRunner, Result

from tiltyard_checks.command.export import app as export
from tiltyard_checks.command.status import app as status
from tiltyard_checks.runs.recovery import recover
from tiltyard_contest.decide import award_app, decisions_app, rerun_app, void_app
from tiltyard_engine.decisions import DecidedGame, DecidedOutcome, Decision, DecisionKind
from tiltyard_engine.errors import NotFoundError, UserError
from tiltyard_engine.registry import Registry
from tiltyard_engine.results import Fault, PairingEnding, Termination
from tiltyard_simulator.match.code_digest import code_digest
from tiltyard_site.live.live_site import LiveSite
from tiltyard_tournaments.cli.publish import app as publish
from tiltyard_tournaments.cli.run import app as run
from tiltyard_tournaments.cli.standings import app as standings_app
from tiltyard_tournaments.running.qualification import with_teams_admitted_so_far
from tiltyard_tournaments.running.run import run_tournament
from tiltyard_tournaments.running.schedule import Schedule, progress_to_show
from tiltyard_tournaments.running.standing_rounds import with_standing_rounds
from tiltyard_tournaments.running.tables import standings
from tiltyard_tournaments.running.tournament import Tournament
from tiltyard_tournaments.store import Store

RUNNER = CliRunner()
CUP = "game: tanks\nteams: [acorn, bramble, coyote]\nmaps: [duel.txt]\nformat: round-robin\n"


def call(app: typer.Typer, *words: str) -> Result:
    return RUNNER.invoke(app, words, catch_exceptions=False)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cup of six games that was played."""
    folder = tmp_path_factory.mktemp("decided")
    (folder / "duel.txt").write_text(map_text(DUEL, 20, 5))
    (folder / "cup.yaml").write_text(CUP)
    assert call(run, str(folder / "cup.yaml")).exit_code == 0
    return folder


@pytest.fixture
def cup(finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    shutil.copytree(finished, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return "cup.yaml"


def table(*names: str) -> str:
    return call(standings_app, "cup.yaml", "--format", "csv", "--table", *names).stdout


def test_a_preview_names_the_groups(cup: str) -> None:
    teams = "[acorn, bramble, coyote, {team: acorn, name: a2}]"
    Path("groups.yaml").write_text(
        CUP.replace("[acorn, bramble, coyote]", teams).replace("round-robin", "{name: groups, groups: 2}"), encoding="utf-8"
    )
    assert call(run, "groups.yaml").exit_code == 0
    rows = call(void_app, "groups.yaml", "--team", "a2", "--why", "a reason").stdout.split("-\n", 1)[1].split("\n\n")[0]
    assert [row.split()[0] for row in rows.splitlines()] == ["A", "A", "B", "B"]


def test_a_preview_shows_the_table_that_a_decision_makes(cup: str) -> None:
    before = table("standings")
    words = (cup, "coyote", "--team", "acorn", "--why", "acorn broke\nthe rules")
    preview = call(award_app, *words)
    assert table("standings") == before, "nothing is decided yet"
    assert preview.stdout.startswith("award to coyote: all 2 games of coyote and acorn\nreason: acorn broke the rules\n")
    assert "use --yes" in preview.stderr
    made = call(award_app, *words, "--yes")
    assert made.stdout.startswith(preview.stdout)
    assert made.stdout.endswith("decision 1 is made; 'tiltyard decisions cup.yaml' lists all\n")
    rows = [line.split() for line in preview.stdout.partition("-----\n")[2].splitlines() if line]
    now = [line.split(",")[:3] for line in table("standings").splitlines()[1:]]
    old = [line.split(",")[:3] for line in before.splitlines()[1:]]
    assert [[place, team, points] for place, _, team, points, _ in rows] == now
    assert sorted([was, team, points] for _, was, team, _, points in rows) == sorted(old)
    assert now != old


def test_what_was_taken_back_leaves_no_trace_in_what_counts(cup: str) -> None:
    exports = (cup,), (cup, "--reproducible", "--replays")
    before = [call(export, *words).stdout for words in exports]
    call(void_app, cup, "--match", "2", "--why", "both agreed", "--yes")
    call(rerun_app, cup, "--match", "3", "--why", "the machine was busy", "--yes")
    assert "decisions: 2; 'tiltyard decisions cup.yaml' lists them" in call(status, cup).stdout
    assert "left: 1 game" in call(status, cup).stdout
    assert call(run, cup).exit_code == 0
    lines = [json.loads(line) for line in call(export, cup).stdout.splitlines()]
    assert [(line["kind"], line.get("number"), line.get("why")) for line in lines[1:3]] == [
        ("decision", 1, "both agreed"),
        ("decision", 2, "the machine was busy"),
    ]
    matches = [line for line in lines if line["kind"] == "match"]
    voided, again = matches[1], matches[2]
    assert (voided["decision"], voided["ending"], voided["counts"], voided["winner"]) == (1, "void", False, 0)
    assert voided["claim"] == [json.loads(line) for line in before[0].splitlines()][2]["claim"], "what was played stays"
    assert again["key"].endswith("-2")
    assert "unused" not in call(status, cup).stdout
    for number in (2, 1):
        assert call(decisions_app, cup, "--take-back", str(number), "--yes").exit_code == 0
    assert [call(export, *words).stdout for words in exports] == before
    listed = call(decisions_app, cup, "--format", "csv").stdout.splitlines()
    assert [line.split(",")[0] for line in listed] == ["number", "1", "2"]
    every = [json.loads(line) for line in call(export, cup, "--all").stdout.splitlines()]
    assert sum(line["kind"] == "match" for line in every) == 7
    assert all(line["taken_back_at"] for line in every if line["kind"] == "decision")


def test_the_site_says_what_was_decided(cup: str) -> None:
    call(publish, cup)
    assert not Path("cup/site/decisions.html").exists()
    call(award_app, cup, "bramble", "--match", "1", "--why", "it <i>broke</i> the rules", "--yes")
    call(rerun_app, cup, "--match", "2", "--why", "noise", "--yes")
    call(decisions_app, cup, "--take-back", "2", "--yes")
    call(publish, cup)
    page = Path("cup/site/decisions.html").read_text()
    assert "it &lt;i&gt;broke&lt;/i&gt; the rules" in page
    assert "awarded to <bdi>bramble</bdi>" in page
    assert '<a href="match.html#match=1" aria-label="game 1">1</a>' in page
    # The number is another one when a team joins, and the key is not.
    lines = [json.loads(line) for line in call(export, cup).stdout.splitlines()]
    key = next(line["key"] for line in lines if line["kind"] == "match")
    assert f"<bdi>game 1 (key {key[:8]}" in page
    assert f"game 1 (key {key[:8]}" in call(decisions_app, cup).stdout
    assert "<s>played again</s> taken back" in page
    assert '<a href="decisions.html">Decisions</a>' in Path("cup/site/index.html").read_text()
    games = json.loads(Path("cup/site/data/games.json").read_text())["games"]
    assert [game.get("decision") for game in games] == [1, *[None] * 5]
    assert games[0]["winner"] == "bramble"
    assert games[0]["message"].startswith("Awarded to bramble by decision 1: it <i>broke</i> the rules (as played: ")


@pytest.mark.parametrize(
    ("app", "words", "message"),
    [
        (void_app, ("--match", "1"), "give a reason"),
        (void_app, ("--why", "x"), "choose the games"),
        (void_app, ("--match", "1", "--map", "duel", "--why", "x"), "choose the games"),
        (void_app, ("--match", "70", "--why", "x"), "there is no game 70; 'tiltyard replay' lists the file's games by number"),
        (void_app, ("--team", "ann", "--why", "x"), "ann"),
        (void_app, ("--map", "dual", "--why", "x"), "dual"),
        (award_app, ("acorn", "--match", "6", "--why", "x"), "game 6 is not one of acorn: expected "),
        (rerun_app, ("--match", "1", "--unconfined", "--why", "x"), "are for fault folders"),
        (decisions_app, ("--take-back", "1"), "there is no decision 1 to take back"),
    ],
)
def test_what_can_not_be_decided(cup: str, app: typer.Typer, words: tuple[str, ...], message: str) -> None:
    with pytest.raises((UserError, NotFoundError), match=message):
        call(app, cup, *words, "--yes")
    assert not Store(Path("cup")).decisions()


def matches() -> list[dict[str, Any]]:
    """The games of an export, in the order of the schedule."""
    lines = [json.loads(line) for line in call(export, "cup.yaml").stdout.splitlines()]
    return [line for line in lines if line["kind"] == "match"]


def test_a_decision_holds_for_a_game_that_is_played_again_with_other_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("duel.txt").write_text(map_text(DUEL, 20, 5))
    Path("own.py").write_text(team_source("own"))
    Path("cup.yaml").write_text("game: tanks\nteams: [own.py, acorn]\nmaps: [duel.txt]\ngames: 2\nisolation: inline\nworkers: 1\n")
    assert call(run, "cup.yaml").exit_code == 0
    call(void_app, "cup.yaml", "--match", "1", "--why", "noise", "--yes")
    call(award_app, "cup.yaml", "own", "--match", "2", "--why", "late", "--yes")
    before = matches()
    Path("own.py").write_text(team_source("own") + "# changed\n")
    code_digest.cache_clear()
    assert call(run, "cup.yaml").exit_code == 0

    now = matches()
    assert {each["key"] for each in now}.isdisjoint(each["key"] for each in before)
    how = [(each.get("decision"), each.get("ending"), each["winner"]) for each in now]
    assert how == [(each.get("decision"), each.get("ending"), each["winner"]) for each in before]
    assert [each[0] for each in how] == [1, 2, None, None]
    assert now[0]["message"].startswith("Void by decision 1, which was about an earlier version of this game: noise")
    listed = call(decisions_app, "cup.yaml")
    assert "decision 1 holds for a game that was played again since, with different code or settings" in listed.stderr
    preview = call(award_app, "cup.yaml", "own", "--match", "3", "--why", "too")
    assert "decision 2 holds for a game that was played again since" in preview.stderr
    call(publish, "cup.yaml")
    assert '<a href="match.html#match=1" aria-label="game 1">1</a>' in Path("cup/site/decisions.html").read_text()

    # Whoever has the game played again wants its result to count.
    call(rerun_app, "cup.yaml", "--match", "1", "--why", "it counts now", "--yes")
    assert call(run, "cup.yaml").exit_code == 0
    assert (matches()[0].get("decision"), matches()[0].get("ending")) == (None, None)
    call(decisions_app, "cup.yaml", "--take-back", "3", "--yes")
    assert matches()[0]["decision"] == 1


def test_what_was_not_played_can_be_awarded(cup: str) -> None:
    Path("cup.yaml").write_text(CUP.replace("duel.txt]", "duel.txt, back-yard]") + "disqualify: {coyote: it did not come}\n")
    assert call(run, cup).exit_code == 0
    before = matches()
    number = next(place for place, each in enumerate(before, start=1) if each.get("ending"))
    rival = next(name for name in before[number - 1]["teams"] if name != "coyote")
    refused = RUNNER.invoke(rerun_app, [cup, "--match", str(number), "--why", "x"])
    assert f"game {number} was not played, so it can't be played again: Not played: coyote" in str(refused.exception)
    call(award_app, cup, rival, "--match", str(number), "--why", "coyote did not come", "--yes")
    after = matches()[number - 1]
    assert (after["decision"], after["ending"]) == (1, "awarded")
    assert after["teams"][after["winner"] - 1] == rival
    call(void_app, cup, "--team", "coyote", "--map", "back-yard", "--why", "nobody was told", "--yes")
    voided = [each.get("ending") for each in matches() if each["map"] == "back-yard" and "coyote" in each["teams"]]
    assert voided == ["void"] * 4
    again = call(run, cup)
    assert "0 played in this run" in again.stderr
    call(decisions_app, cup, "--take-back", "1", "--yes")
    call(decisions_app, cup, "--take-back", "2", "--yes")
    assert matches() == before


def decide(store: Store, kind: DecisionKind, *games: tuple[str, int], why: str = "so") -> None:
    store.add_decision(
        Decision(number=0, kind=kind, about="some games", why=why, made_at="", games=tuple(starmap(DecidedGame, games)))
    )


def shown(tournament: Tournament, store: Store) -> Schedule:
    return progress_to_show(with_standing_rounds(tournament, store), store).schedule


def test_a_game_that_is_played_again_takes_nobody_out_of_quarantine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "duel.txt").write_text(map_text(DUEL, 20, 5))
    (tmp_path / "bad.py").write_text(team_source("bad", action="raise ValueError('broken')"))
    (tmp_path / "cup.yaml").write_text(CUP.replace("coyote", "./bad.py") + "quarantine: 1\nisolation: inline\nworkers: 1\n")
    assert call(run, "cup.yaml").exit_code == 0
    points = {row["algorithm"]: row["points"] for row in csv.DictReader(table("standings").splitlines())}
    preview = call(rerun_app, "cup.yaml", "--match", "1", "--why", "a protest")
    assert "note: until the next run plays it again, the game counts for nobody" in preview.stderr, preview.stderr
    shown = {words[2]: words[3:5] for words in map(str.split, preview.stdout.splitlines()) if words[2:3] and words[2] in points}
    # Their tie is open, and all that was forfeited stands.
    assert shown["acorn"] == [str(int(points["acorn"]) - 1), points["acorn"]]
    assert call(rerun_app, "cup.yaml", "--match", "1", "--why", "a protest", "--yes").exit_code == 0
    until_then = {row["algorithm"]: row["points"] for row in csv.DictReader(table("standings").splitlines())}
    assert until_then == {name: words[0] for name, words in shown.items()}
    assert call(run, "cup.yaml").exit_code == 0
    assert {row["algorithm"]: row["points"] for row in csv.DictReader(table("standings").splitlines())} == points


def test_faults_of_a_void_game_bring_nobody_into_quarantine(registry: Registry, tmp_path: Path) -> None:
    tournament = tournament_of(registry, teams=3, quarantine=2)
    crash = Fault(1, Termination.CRASH, "it broke", 2)
    first = tournament.names[0]
    with Store(tmp_path) as store:
        play = ShuffledExecutor(lambda spec: ended(0, *([crash] if spec.input.names[0] == first else [])))
        played = run_tournament(tournament, store, play, Heard())
        assert any(outcome.forfeited for outcome in played.records)
        own = next(each for each in played.records if each.faults)
        decide(store, DecisionKind.VOID, (own.key, 0))
        records = shown(tournament, store).records
        assert not any(outcome.forfeited for outcome in records)
        again = run_tournament(with_standing_rounds(tournament, store), store, play, Heard())
        assert [replace(each, played=False) for each in again.records] == [replace(each, played=False) for each in records]
        voided = next(each for each in records if each.key == own.key)
        assert isinstance(voided, DecidedOutcome)
        assert (voided.ending, voided.is_void, voided.counts) == (PairingEnding.VOID, False, False)
        assert store.ended(own.key).outcome.faults == own.faults  # type: ignore[union-attr]


def test_a_killed_run_loses_no_decision_and_a_recovered_store_neither(registry: Registry, tmp_path: Path) -> None:
    tournament = tournament_of(registry, "swiss", 5, options={"rounds": 3})
    with Store(tmp_path) as store:
        records = run_tournament(tournament, store, ShuffledExecutor(by_chance(3)), Heard()).records
        decide(store, DecisionKind.RERUN, *((each.key, 0) for each in records[:4]))
        decide(store, DecisionKind.AWARD, (records[5].key, 1))
        before, rounds = store.decisions(), store.rounds()
        stopped = ShuffledExecutor(by_chance(4), ahead=1, stop_after=2)
        with pytest.raises(KeyboardInterrupt):
            run_tournament(with_standing_rounds(tournament, store), store, stopped, Heard())
        assert store.decisions() == before
        schedule = run_tournament(with_standing_rounds(tournament, store), store, ShuffledExecutor(by_chance(4)), Heard())
        assert [each.key.partition("-")[2] for each in schedule.records[:6]] == ["1", "1", "1", "1", "", ""]
        assert schedule.records[5].ending is PairingEnding.AWARDED
        assert schedule.records[5].winner == 1
        assert store.rounds() == rounds, "what was drawn stands"
        assert [each.teams for each in schedule.records] == [each.teams for each in records]
        first = store.ended(records[0].key)
        assert first is not None
        assert first.outcome.message == records[0].message, "the first game is still there"
    path = tmp_path / "tournament.sqlite"
    path.write_bytes(path.read_bytes()[:-4096])
    recover(tmp_path)
    with Store(tmp_path) as store:
        assert store.decisions() == before
        assert store.rounds() == rounds


def test_who_goes_on_in_a_knockout_changes_with_a_decision(registry: Registry, tmp_path: Path) -> None:
    tournament = tournament_of(registry, "knockout", 4)
    best_is_first = ShuffledExecutor(lambda spec: ended(spec.input.names.index(min(spec.input.names)) + 1))
    with Store(tmp_path) as store:
        before = run_tournament(with_standing_rounds(tournament, store), store, best_is_first, Heard()).records
        lost = [each for each in before[:4] if "ann" in each.teams]
        other = next(name for name in lost[0].teams if name != "ann")
        decide(store, DecisionKind.AWARD, *((each.key, each.teams.index(other) + 1) for each in lost))
        standing = with_standing_rounds(tournament, store)
        assert len(progress_to_show(standing, store).missing) > 0
        schedule = run_tournament(standing, store, best_is_first, Heard())
        final = standings(standing, schedule)
        assert [line.team for line in final].index(other) < [line.team for line in final].index("ann")
        store.take_back(1)
        assert [replace(each, played=True) for each in shown(tournament, store).records] == before


def test_a_live_site_hears_of_a_decision(registry: Registry, tmp_path: Path) -> None:
    tournament = tournament_of(registry, teams=3, folder=tmp_path)
    with Store(tmp_path) as store:
        records = run_tournament(tournament, store, ShuffledExecutor(lambda spec: ended(1)), Heard()).records
    live = LiveSite(lambda: with_teams_admitted_so_far(tournament))
    assert live.file("decisions.html") is None
    with Store(tmp_path) as store:
        decide(store, DecisionKind.VOID, (records[0].key, 0), why="both agreed")
    live.bring_up_to_date()
    assert b"both agreed" in (live.file("decisions.html") or b"")
    with Store(tmp_path) as store:
        store.take_back(1)
    live.bring_up_to_date()
    assert b"taken back" in (live.file("decisions.html") or b"")
