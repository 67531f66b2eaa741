"""Who may play, and under which names: asked once, kept, asked again of those who changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.conftest import RunCommand
from tests.plugins.advance.marked_bots import parrot, script, small_pack

import tiltyard_tournaments as tiltyard
from tiltyard_advance.level_tests import LevelTest
from tiltyard_engine.errors import UserError
from tiltyard_simulator.guard.cells.zygote import Zygote
from tiltyard_simulator.match.code_digest import code_digest
from tiltyard_tournaments.library.cup import Cup
from tiltyard_tournaments.running.qualification import qualifying_progress, with_admitted_teams, with_teams_admitted_so_far
from tiltyard_tournaments.store import Store
from tiltyard_tournaments.tournament_file.resolution import load_tournament

MANIFEST = 'game = "advance"\ncommand = ["./bot"]\n'
COPIES = """#!/bin/sh
case "$1" in name) echo '{}'; exit;; esac
cp "$2" "$3"
"""
FILE = """\
title: Cup
game: advance
teams: [{teams}]
maps: advance-start
workers: 1
qualify: {qualify}
"""
Write = Callable[..., Path]


def program(folder: Path, text: str) -> None:
    script(folder / "bot", text)
    (folder / "program.toml").write_text(MANIFEST)


@pytest.fixture
def tests(tmp_path: Path) -> list[LevelTest]:
    """A pack of one test a level, a bot that knows them all, one that knows none, and one that never moves."""
    found = small_pack(tmp_path / "tests", 1)
    parrot(tmp_path / "knows", found)
    (tmp_path / "knows" / "program.toml").write_text(MANIFEST)
    parrot(tmp_path / "knows-4", found[:1])
    (tmp_path / "knows-4" / "program.toml").write_text(MANIFEST)
    program(tmp_path / "copies", COPIES.format("Copy Cat <b>"))
    return found


@pytest.fixture
def write(tmp_path: Path, tests: list[LevelTest]) -> Write:
    """``write(teams, qualify)`` writes the tournament file."""

    def written(teams: str = "knows, copies, advance-level-4", qualify: str = "{level: 4, tests: tests}") -> Path:
        path = tmp_path / "cup.yaml"
        path.write_text(FILE.format(teams=teams, qualify=qualify))
        code_digest.cache_clear()  # as in another process
        return path

    return written


def entries(cup: Cup) -> list[tuple[str, str, int, str]]:
    with sqlite3.connect(cup.folder / "tournament.sqlite") as connection:
        found = connection.execute("SELECT team, test, passed, asked_at FROM entries ORDER BY team, test, key").fetchall()
    connection.close()
    return found


def test_who_does_not_pass_stands_below_the_standings_with_the_reason(write: Write) -> None:
    cup = tiltyard.load(write()).run()
    assert {row["algorithm"] for row in cup.standings()} == {"Parrot", "advance-level-4"}
    ((team, reason),) = cup.not_admitted
    assert team == "Copy Cat <b>"
    assert reason.startswith("level 4: 0 of 1 tests passed; level-4/white-01: NO_MOVE: made no move")
    assert cup.table("not-admitted") == [{"algorithm": team, "reason": reason}]
    assert {row["message"] for row in cup.results()} == {
        row["message"] for row in cup.results() if "Parrot" not in str(row["message"])
    }
    page = cup.publish()[0].read_text()
    assert "Not admitted" in page
    assert "Copy Cat &lt;b&gt;" in page
    (markdown,) = cup.publish(publishers=["markdown"])
    assert (
        markdown.read_text().index("Standings") < markdown.read_text().index("Not admitted") < markdown.read_text().index("Ratings")
    )


def test_nobody_is_asked_twice_unless_the_team_has_changed(write: Write, tests: list[LevelTest], tmp_path: Path) -> None:
    cup = tiltyard.load(write()).run()
    before = entries(cup)
    assert sorted({row[:3] for row in before}) == [
        ("advance-level-4", "level-4/white-01", 1),
        ("copies", "level-4/white-01", 0),
        ("copies", "name", 1),
        ("knows", "level-4/white-01", 1),
        ("knows", "name", 1),
    ]
    assert entries(tiltyard.load(write()).run()) == before
    # Another version of the game asks anew, and until then the answers count.
    now = load_tournament(write()).tournament
    assert now.tests_game is not None
    other = replace(now.tests_game, source=replace(now.tests_game.source, version="0.0.1"))
    upgraded = replace(now, tests_game=other)
    assert with_teams_admitted_so_far(upgraded).not_admitted == cup.not_admitted
    with Store(cup.folder, writable=False) as store:
        assert qualifying_progress(upgraded, store) == (0, 3)
        assert with_admitted_teams(upgraded, store).not_admitted == ()
    # The one that failed learns, and gets another name.
    parrot(tmp_path / "learnt", tests)
    program(tmp_path / "copies", (tmp_path / "learnt" / "bot").read_text().replace("Parrot", "Owl").replace("/learnt/", "/copies/"))
    (tmp_path / "learnt" / "answers").rename(tmp_path / "copies" / "answers")
    code_digest.cache_clear()
    assert with_teams_admitted_so_far(upgraded).not_admitted == ()
    cup = tiltyard.load(write()).run()
    assert cup.not_admitted == ()
    assert {row["algorithm"] for row in cup.standings()} == {"Parrot", "Owl", "advance-level-4"}
    asked = [row for row in entries(cup) if row not in before]
    assert {row[:3] for row in asked} == {("copies", "level-4/white-01", 1), ("copies", "name", 1)}


def test_a_group_is_asked_only_of_those_who_passed_the_one_before(write: Write, zygotes: list[Zygote]) -> None:
    path = write("knows, knows-4, copies, advance-level-6", "{level: 6, tests: tests}")
    cup = tiltyard.load(path).run()
    # For the names, the three groups and the matches.
    assert len(zygotes) == 3
    asked = {(row[0], row[1][:7]) for row in entries(cup) if row[1] != "name"}
    assert ("copies", "level-5") not in asked
    assert ("knows-4", "level-5") in asked
    assert ("knows-4", "level-6") not in asked
    assert ("knows", "level-6") in asked
    reasons = dict(cup.not_admitted)
    assert reasons["Parrot (knows-4)"].startswith("level 5: 0 of 1")
    assert {row["algorithm"] for row in cup.standings()} == {"Parrot (knows)", "advance-level-6"}


def test_an_organisers_name_goes_first_and_can_be_given_later(write: Write) -> None:
    tiltyard.load(write()).run()
    cup = tiltyard.load(write("{team: knows, name: 'A Better Name'}, {team: copies, name: Nobody}, advance-level-4"))
    assert {row["algorithm"] for row in cup.standings()} == {"A Better Name", "advance-level-4"}
    assert [team for team, _ in cup.not_admitted] == ["Nobody"]
    assert "Parrot" not in str(cup.results())
    assert cup.replay(1).seats == ("A Better Name", "advance-level-4")
    site = cup.publish()[0].parent
    assert not [file for file in site.rglob("*") if file.is_file() and b"Parrot" in file.read_bytes()]
    assert cup.run().status().complete


def test_fewer_than_two_are_no_tournament(write: Write) -> None:
    cup = tiltyard.load(write("copies, knows"))
    with pytest.raises(UserError, match=r"at least 2 teams must qualify, but 1 did\n  Copy Cat <b>: level 4: 0 of 1") as caught:
        cup.run()
    with pytest.raises(UserError) as again:
        cup.standings()
    assert str(again.value) == str(caught.value)


def test_before_anybody_was_asked_all_may_still_play(write: Write, tmp_path: Path) -> None:
    asked = load_tournament(write()).tournament
    with Store(tmp_path) as store:
        assert with_admitted_teams(asked, store).names == ("knows", "copies", "advance-level-4")
        assert with_teams_admitted_so_far(asked) is asked
        assert qualifying_progress(asked, store) == (0, 3)


def test_how_far_it_is(write: Write) -> None:
    path = write("knows, copies, advance-level-4", "{level: 5, tests: tests}")
    tiltyard.load(path)
    asked = load_tournament(path).tournament
    asked.folder.mkdir()
    with Store(asked.folder) as store:
        assert qualifying_progress(asked, store) == (0, 3)
        assert store.stamp() == (0, 0, 0)


def test_the_commands_tell_of_it(write: Write, tmp_path: Path, run_command: RunCommand) -> None:
    path = write()
    run = run_command("tiltyard", "run", str(path))
    assert "qualifying: level 4: 3 tests for 3 teams" in run.stderr
    assert "not admitted: Copy Cat <b>: level 4: 0 of 1" in run.stderr
    shown = run.stdout
    assert shown.index("Standings") < shown.index("Not admitted") < shown.index("Ratings")
    again = run_command("tiltyard", "run", str(path))
    assert "qualifying" not in again.stderr
    status = run_command("tiltyard", "status", str(path)).stdout
    assert "not admitted: Copy Cat <b>: level 4: 0 of 1" in status
    assert "done: 2 games, complete" in status
    exported = run_command("tiltyard", "export", str(path)).stdout
    assert '{"kind":"entry","passed":true,"said":"Parrot","team":"knows","test":"name"}' in exported
