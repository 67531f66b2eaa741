"""Every command that takes a tournament file takes one with stages, and what programs read of it is whole."""

from __future__ import annotations

import csv
import json
import shutil
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from tests.contest.stages_cup import call
from tests.made_records import changed
from typer import Typer

from tiltyard_checks.command import plan
from tiltyard_checks.command.recover import app as recover
from tiltyard_checks.command.status import app as status
from tiltyard_checks.command.verify import app as verify
from tiltyard_contest.decide import decisions_app as decisions
from tiltyard_contest.decide import void_app as void
from tiltyard_engine.errors import UserError
from tiltyard_pictures.cli import app as picture
from tiltyard_tournaments.cli.publish import app as publish
from tiltyard_tournaments.cli.run import app as run
from tiltyard_tournaments.cli.standings import app as standings
from tiltyard_tournaments.cli.working_folder import store_of
from tiltyard_tournaments.store import Store
from tiltyard_viewer.command.watch import app as watch

CUP = """\
title: Cup
game: tanks
maps: [back-yard]
teams: [acorn, bramble, coyote]
workers: 1
output: cup
stages:
  - {name: first, format: round-robin}
  - {name: second, teams: {from: first, top: 2}}
  - {name: third, teams: {from: second, top: 2}}
"""
WITHOUT_STAGES = {"tiltyard intake", "tiltyard new tournament", "tiltyard new league"}
"""They don't read a tournament, or no more than its folder."""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a cup whose third stage was not begun."""
    folder = tmp_path_factory.mktemp("played")
    (folder / "cup.yaml").write_text(CUP.replace("output: cup", f"output: {folder}/cup"))
    for stage in ("first", "second"):
        done = call(run, folder / "cup.yaml", "--stage", stage)
        assert done.exit_code == 0, done.output
    return folder


@pytest.fixture
def cup(played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(played / "cup", tmp_path / "cup")
    (tmp_path / "cup.yaml").write_text(CUP)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "cup"


def told(app: Typer, *words: str) -> str:
    done = call(app, *words)
    assert isinstance(done.exception, UserError), done.output
    return str(done.exception)


def test_whatever_takes_a_tournament_file_takes_a_stage() -> None:
    helps = [
        (name, " ".join(text.split())) for name, text in import_module("docs.reference.commands").with_subcommands(["tiltyard"])
    ]
    takers = {name: text for name, text in helps if "tournament file" in text.partition("Options:")[0].partition("Arguments:")[2]}
    assert {"tiltyard run", "tiltyard verify", "tiltyard watch", "tiltyard picture", "tiltyard recover"} <= takers.keys()
    assert {name for name, text in takers.items() if "--stage <str>" not in text} <= WITHOUT_STAGES


def test_all_stages_are_verified_or_one(cup: Path) -> None:
    done = call(verify, "cup.yaml", "-w", "1")
    assert done.exit_code == 0
    same = "2 of 2 matches gave the stored result\n"
    assert done.stdout == f"Stage first\n{same.replace('2', '6')}\nStage second\n{same}\nStage third: not begun\n"
    assert call(verify, "cup.yaml", "--stage", "second", "-w", "1").stdout == same
    assert json.loads(call(verify, "cup.yaml", "--stage", "second", "--format", "json", "-w", "1").stdout) == []
    assert "choose one with --stage NAME" in told(verify, "cup.yaml", "--format", "json")
    assert "--stage second: is for a tournament file" in told(verify, "cup/second", "--stage", "second")
    assert "--stage is for the stored matches" in told(verify, "acorn", "coyote", "--stage", "second")
    assert told(verify, "cup").endswith("name the tournament file, or one of cup/first, cup/second")


def test_a_difference_in_an_earlier_stage_counts(cup: Path) -> None:
    with Store(cup / "first") as store:
        match = next(store.matches())
        claim = replace(match.record.evidence.claim, rounds=match.record.evidence.claim.rounds + 1)
        store.add(match.key, match.spec, changed(match.record, claim=claim), instead_of=match.key)
    done = call(verify, "cup.yaml", "-w", "1")
    assert done.exit_code == 1
    assert "5 of 6 matches gave the stored result" in done.stdout
    assert done.stdout.endswith("2 of 2 matches gave the stored result\n\nStage third: not begun\n")


def test_all_stages_are_recovered_or_one(cup: Path) -> None:
    said = "the store is not damaged (2 matches); nothing was changed\n"
    first = said.replace("2", "6")
    assert call(recover, "cup.yaml").stdout == (
        f"Stage first\ncup/first: {first}\nStage second\ncup/second: {said}\nStage third: not begun\n"
    )
    assert call(recover, "cup.yaml", "--stage", "first").stdout == f"cup/first: {first}"
    assert "--stage first: is for a tournament file" in told(recover, "cup/first", "--stage", "first")


def test_decisions_of_all_stages_are_listed_or_those_of_one(cup: Path) -> None:
    made = call(void, "cup.yaml", "--stage", "second", "--match", "1", "--why", "a protest", "--yes")
    assert made.stdout.endswith("'tiltyard decisions cup.yaml --stage second' lists all\n")
    listed = call(decisions, "cup.yaml").stdout
    assert listed.startswith("Stage first\n")
    assert "a protest" in listed.partition("\nStage second\n")[2]
    assert call(decisions, "cup.yaml", "--stage", "second").stdout in listed
    # Programs get one table.
    assert "choose one with --stage NAME" in told(decisions, "cup.yaml", "--format", "json")
    assert [each["reason"] for each in json.loads(call(decisions, "cup.yaml", "--stage", "second", "--format", "json").stdout)]
    status_of = call(status, "cup.yaml").stdout
    assert "decisions: 1; 'tiltyard decisions cup.yaml --stage second' lists them" in status_of


def test_headings_of_stages_are_headings_where_there_are_some(cup: Path) -> None:
    assert (
        "<h1>Stage first</h1>\n<h2>Standings</h2>" in call(standings, "cup.yaml", "--table", "standings", "--format", "html").stdout
    )
    for style in ("github", "markdown"):
        assert "\n# Stage second\n" in call(standings, "cup.yaml", "--table", "standings", "--format", style).stdout


def test_who_has_left_is_told_below_the_final_ranking(cup: Path) -> None:
    assert "Left before the end" not in call(standings, "cup.yaml").stdout
    Path("cup.yaml").write_text(CUP.replace("workers", "withdraw: {coyote: now}\nworkers"))
    assert call(standings, "cup.yaml").stdout.endswith("\nLeft before the end: coyote.\n")
    call(publish, "cup.yaml")
    assert "Left before the end: coyote." in Path("cup", "site", "index.html").read_text("utf-8")


def test_a_file_whose_stages_were_played_has_results(cup: Path) -> None:
    assert store_of(Path("cup.yaml")) == Path("cup", "first", "tournament.sqlite")


def test_a_stage_that_was_played_alone_names_the_next_one(cup: Path) -> None:
    assert call(run, "cup.yaml", "--stage", "second").stderr.endswith("next: tiltyard run cup.yaml --stage third\n")
    assert "next:" not in call(run, "cup.yaml", "--stage", "third").stderr


def test_who_has_left_is_drawn_again_only_with_a_word(cup: Path) -> None:
    gone = CUP.replace("format: round-robin", "format: knockout").replace("workers", "withdraw: {coyote: now}\nworkers")
    Path("cup.yaml").write_text(gone)
    note = "note: coyote has left, but is still in the draw: its opponents win the games that it doesn't play\n"
    told = call(plan.app, "cup.yaml", "--stage", "first", "--redraw", "--trials", "0").stderr
    assert note in told
    assert "note: to draw without coyote, take it out of 'teams' and 'withdraw'\n" in told
    assert note in call(run, "cup.yaml", "--stage", "first", "--redraw").stderr
    assert note not in call(run, "cup.yaml", "--stage", "first").stderr


def test_a_match_of_a_stage_is_shown(cup: Path) -> None:
    assert call(watch, "cup.yaml", "--stage", "second", "--match", "1").exit_code == 0
    assert call(picture, "cup.yaml", "--stage", "second", "--match", "1", "-o", "x.svg").exit_code == 0
    assert "'tiltyard replay cup.yaml --stage second' lists them" in told(watch, "cup.yaml", "--stage", "second")
    assert "--stage x: only works with one tournament file" in told(watch, "acorn", "coyote", "--stage", "x")
    Path("a.jsonl").write_text("")
    assert "--stage x: only a tournament file has stages" in told(watch, "a.jsonl", "--stage", "x")


def rows(*words: str) -> Any:
    done = call(standings, "cup.yaml", "--format", "json", *words)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_programs_get_a_table_of_all_stages(cup: Path) -> None:
    assert [(row["stage"], row["place"]) for row in rows("--table", "standings")] == [
        *(("first", 1), ("first", 2), ("first", 3), ("second", 1), ("second", 1))
    ]
    assert [row["stage"] for row in rows("--table", "games")] == ["first"] * 6 + ["second"] * 2
    both = rows("--table", "games", "--table", "standings")
    assert {title: len(each) for title, each in both.items()} == {"Games": 8, "Standings": 5}
    crosstable = rows("--table", "crosstable")
    assert {row["stage"] for row in crosstable} == {"first", "second"}
    assert len({tuple(row) for row in crosstable}) == 1
    assert any("" in row.values() for row in crosstable if row["stage"] == "second")
    assert [row["last stage"] for row in rows()] == ["second", "second", "first"]
    assert rows("--table", "final-ranking") == rows()
    alone = call(standings, "cup.yaml", "--table", "final-ranking").stdout
    assert alone.startswith("Final ranking, so far\n")
    assert call(standings, "cup.yaml").stdout.endswith(alone)
    beside = call(standings, "cup.yaml", "--table", "games", "--table", "final-ranking").stdout
    assert beside.count("\nGames\n") == 2
    assert beside.endswith(alone)
    assert {title: len(each) for title, each in rows("--table", "games", "--table", "final-ranking").items()} == {
        "Games": 8,
        "Final ranking, so far": 3,
    }
    for style in ("simple", "csv"):
        mistyped = call(standings, "cup.yaml", "--table", "fnal-ranking", "--format", style)
        assert "did you mean final-ranking?" in str(mistyped.exception)


def test_publishers_of_tables_write_the_final_ranking(cup: Path) -> None:
    words = [word for name in ("json", "csv", "markdown", "html") for word in ("--publisher", name)]
    done = call(publish, "cup.yaml", *words)
    assert done.exit_code == 0
    *_, html, page = done.stdout.splitlines()
    assert (html, page) == ("cup/site/final-ranking.html", "cup/site/index.html")
    assert "<h1>Final ranking, so far</h1>" in (cup / "site/final-ranking.html").read_text()
    assert json.loads((cup / "site/final-ranking.json").read_text()) == rows()
    table = list(csv.reader((cup / "site/final-ranking.csv").read_text().splitlines()))
    assert table[0] == list(rows()[0])
    assert len(table) == 4
    assert (cup / "site/final-ranking.md").read_text().startswith("|   place | algorithm")
    assert call(publish, "cup.yaml").exit_code == 0
    assert not list((cup / "site").glob("final-ranking.*"))
