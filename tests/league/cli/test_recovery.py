"""What staff can do when files are damaged, and the look before the term."""

from __future__ import annotations

import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.league.cli.test_league import fails, run
from tests.league.conftest import Course
from tests.league.made_league import make_folder, play

from tiltyard_league.database.database import Database
from tiltyard_league.database.games import Games
from tiltyard_league.database.staff import new_invite
from tiltyard_league.database.teams import find_team
from tiltyard_league.league_file.loading import load_league
from tiltyard_league.rating.standing import read_standing
from tiltyard_league.submissions.upload import receive_upload


@pytest.fixture
def copy(course: Course, tmp_path: Path) -> Path:
    """The course that was played, to be damaged."""
    shutil.copytree(course.folder, tmp_path / "copy")
    return tmp_path / "copy"


def damage(path: Path, table: str) -> None:
    """Write over the page on which a table begins."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xa5" * size)


def test_what_is_whole_of_the_people_and_versions_is_saved(copy: Path) -> None:
    before = read_standing(copy)
    with receive_upload(copy, 10**7, 0) as upload:
        upload.write(b"acknowledged, and its row is lost")
    damage(copy / "league.sqlite", "members")
    with Database(copy) as database:
        message = ""
        try:
            database.rows("SELECT * FROM members")
        except Exception as error:
            message = str(error)
    assert f"'tiltyard league recover {copy}'" in message
    assert "is damaged" in run("league", "doctor", copy, status=1).stdout
    output = run("league", "recover", copy).stdout
    assert "tournament.sqlite: not damaged" in output
    assert "the damaged file is now" in output
    assert (copy / "league.sqlite.damaged-1").is_file()
    assert "uploads that no longer belong to a version: 1" in output
    with Database(copy) as database:
        assert database.number("SELECT count(*) FROM members") == 0
        assert database.number("SELECT count(*) FROM teams WHERE state = 'active'") == 5
    (copy / "standing.json").unlink()
    play(load_league(copy))
    assert read_standing(copy).lines == before.lines
    assert "not damaged" in run("league", "recover", copy).stdout.splitlines()[1]


def test_versions_that_are_lost_leave_their_games(copy: Path) -> None:
    games = Games(copy / "results").totals()
    damage(copy / "league.sqlite", "versions")
    output = run("league", "recover", copy).stdout
    assert "now called 'lost'" in output
    assert "None" not in output
    play(load_league(copy))
    # The staff's teams are entered again, as new versions, and meet.
    assert Games(copy / "results").totals()[0] == games[0] + 4
    with Database(copy) as database:
        assert {row["state"] for row in database.rows("SELECT state FROM versions WHERE name = 'lost'")} == {"disabled"}


def test_where_no_team_can_be_read_a_backup_is_named(copy: Path) -> None:
    damage(copy / "league.sqlite", "teams")
    before = (copy / "league.sqlite").read_bytes()
    assert "unpack-backup" in fails("league", "recover", copy)
    assert (copy / "league.sqlite").read_bytes() == before
    assert [path.name for path in copy.iterdir() if path.name.startswith(".recovered")] == []


@pytest.mark.parametrize("table", ["incidents", "league_games"])
def test_games_are_kept_or_played_again(copy: Path, table: str) -> None:
    before = read_standing(copy)
    damage(copy / "results" / "tournament.sqlite", table)
    output = run("league", "recover", copy).stdout
    assert "tournament.sqlite: saved" in output
    league = load_league(copy)
    play(league)
    (after, counted) = Games(copy / "results").totals()
    assert after == counted == before.games
    assert read_standing(copy).lines == before.lines


def test_a_doctor_tells_what_would_go_wrong(copy: Path, tmp_path: Path) -> None:
    # Red's version was entered without any files but the upload.
    shutil.rmtree(copy / "uploads")
    assert "the files of 1 are missing" in run("league", "doctor", copy, status=1).stdout
    (copy / "versions" / "1").mkdir()
    with Database(copy) as database:
        for name in ("Red", "Blue"):
            new_invite(database, find_team(database, name), "test")
    output = run("league", "doctor", copy).stdout
    for line in ("acorn has rating 0", "2 maps; two versions", "are whole", "1 without a valid link"):
        assert line in output, output
    folder = make_folder(tmp_path / "new", file="game: tanks\nteams: [acorn]\nmaps: [maps/*.txt]\nleague: {deadline: 2001-02-03}\n")
    output = run("league", "doctor", folder, status=1).stdout
    assert re.search(r"2001-02-03 23:59 (\w+ \(.* UTC\)|UTC); it has passed, so nothing can be handed in", output)
    assert "'tiltyard league roster'" in output
    assert "no league here" in fails("league", "doctor", tmp_path)
    assert "nothing to recover" in fails("league", "recover", folder)
