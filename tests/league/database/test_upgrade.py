"""A league of an older tiltyard is brought up to date with all that is in it, or stays as it was."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from importlib.resources import files
from pathlib import Path

import pytest
from tests.league.conftest import Course
from tests.league.made_league import play

from tiltyard_engine.errors import UserError
from tiltyard_intake.exports.roster import parse_roster
from tiltyard_league.cli.recovery import recover_database
from tiltyard_league.database import database, games
from tiltyard_league.database.database import MIGRATIONS, Database, make_database
from tiltyard_league.database.rosters import RosterChanges, apply_roster
from tiltyard_league.league_file.loading import load_league
from tiltyard_league.rating.standing import read_standing
from tiltyard_league.service import game_writing
from tiltyard_league.service.setup import set_up
from tiltyard_tournaments.store.schema import bring_up_to_date

# What a later version may do: a column more, another table, a column that is filled from others.
NEXT = """
    ALTER TABLE teams ADD COLUMN colour TEXT NOT NULL DEFAULT 'red';
    CREATE TABLE badges (team INTEGER PRIMARY KEY REFERENCES teams (id), text TEXT NOT NULL) STRICT;
    INSERT INTO badges SELECT id, name FROM teams;
"""
NEXT_OF_GAMES = "ALTER TABLE league_games ADD COLUMN length INTEGER NOT NULL DEFAULT 0; UPDATE league_games SET length = rounds;"


def contents(path: Path) -> dict[str, list[tuple[object, ...]]]:
    with closing(sqlite3.connect(path)) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {table: connection.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall() for table in tables}


@pytest.mark.parametrize("version", range(len(MIGRATIONS)))
def test_each_earlier_version_becomes_the_newest(tmp_path: Path, version: int) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    for folder in (old, new):
        folder.mkdir()
    with closing(sqlite3.connect(old / "league.sqlite", isolation_level=None)) as connection:
        bring_up_to_date(connection, "old", MIGRATIONS[:version])
    for folder in (old, new):
        make_database(folder)
    tables = []
    for folder in (old, new):
        with Database(folder) as newest:
            tables.append([tuple(row) for row in newest.rows("SELECT name, sql FROM sqlite_master ORDER BY name")])
    assert tables[0] == tables[1]
    folder_of_steps = files("tiltyard_league.database").joinpath("migrations")
    assert len([file for file in folder_of_steps.iterdir() if file.name.endswith(".sql")]) == len(MIGRATIONS)


def make_older(store: Path, steps: int) -> None:
    """Let the games of a store be as they were after so many steps, when a game had two versions."""
    with closing(sqlite3.connect(store)) as connection:
        rows = games.Games(store.parent).games(range(1, 1000))
        connection.executescript("DROP TABLE league_games; DROP TABLE league_seats;")
        # What the second step fills is in the rows.
        connection.create_function("message_of_match", 1, lambda key: "")
        for step in games.STEPS[:steps]:
            connection.executescript(step)
        for game in rows:
            values = (game.place, game.key, *game.versions, game.map, game.kind, game.counts, game.voided, game.winner)
            values = (*values, game.rounds, game.fault, game.verdict, game.ended_at, game.message)[: 12 + steps]
            connection.execute(f"INSERT INTO league_games VALUES ({', '.join('?' * len(values))})", values)
        connection.execute("UPDATE facts SET value = ? WHERE name = 'tables of league'", (str(steps),))
        connection.commit()


def test_where_nothing_was_played_nothing_is_made(tmp_path: Path) -> None:
    game_writing.update_games(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("steps", range(1, len(games.STEPS)))
def test_games_of_an_earlier_version_become_those_of_the_newest(course: Course, tmp_path: Path, steps: int) -> None:
    shutil.copytree(course.league.settings.results, tmp_path, dirs_exist_ok=True)
    store = tmp_path / "tournament.sqlite"
    newest, seats = contents(store)["league_games"], contents(store)["league_seats"]
    assert len({row[-1] for row in newest}) > 1
    make_older(store, steps)
    with pytest.raises(UserError, match="written by an older tiltyard; 'tiltyard league serve"):
        games.Games(tmp_path).game(1)
    game_writing.update_games(tmp_path)
    assert (contents(store)["league_games"], contents(store)["league_seats"]) == (newest, seats)
    # A match that can't be read says nothing, and the rest is there.
    make_older(store, 1)
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("UPDATE matches SET outcome = x'c1' WHERE key = ?", (next(row[1] for row in newest if row[-1]),))
    game_writing.open_games(tmp_path).close()
    assert sum(bool(row[-1]) for row in contents(store)["league_games"]) == sum(bool(row[-1]) for row in newest) - 1


# What version 1 had of a group, of two who are alone and called alike, and of a group that was merged into the first one.
FIRST = """
    INSERT INTO teams (id, name, pseudonym, slug, kind, state, reason, made_at) VALUES
        (1, 'Red', 'amber-falcon', 'amber-falcon', 'student', 'active', '', ''),
        (2, 'Ann (1)', 'shy-heron', 'shy-heron', 'student', 'active', '', ''),
        (3, 'Ann (2)', 'calm-otter', 'calm-otter', 'student', 'active', '', ''),
        (4, 'Blue', 'bold-newt', 'bold-newt', 'student', 'gone', 'merged into amber-falcon', ''),
        (5, 'acorn', 'acorn', 'acorn', 'staff', 'active', '', '');
    INSERT INTO members (team, roster_id, name, state) VALUES
        (1, '7', 'Bob', 'active'), (2, '1', 'Ann', 'active'), (3, '2', 'Ann', 'active'), (1, '8', 'Cid', 'active');
"""
LIST = "name,id,group\nBob,7,Red\nAnn,1,\nAnn,2,\nCid,8,Blue\n"


def of_version_1(folder: Path) -> Path:
    """A folder with a league of the first version."""
    folder.mkdir()
    with closing(sqlite3.connect(folder / "league.sqlite", isolation_level=None)) as connection:
        bring_up_to_date(connection, "old", MIGRATIONS[:1])
        connection.executescript(FIRST)
    return folder


def teams_and_list(folder: Path) -> tuple[list[tuple[object, ...]], RosterChanges]:
    """What the next list of students finds, and what it changes."""
    with Database(folder) as database:
        teams = [tuple(row) for row in database.rows("SELECT id, roster_key, merged_into FROM teams ORDER BY id")]
        with database.writing(only_looking=True):
            return teams, apply_roster(database, parse_roster(LIST, Path("students.csv")), "test")


def test_version_1_knows_its_teams_by_the_list_and_where_merged_ones_went(tmp_path: Path) -> None:
    folder = of_version_1(tmp_path / "old")
    make_database(folder)
    teams, changes = teams_and_list(folder)
    assert teams == [(1, "group Red", None), (2, "alone 1", None), (3, "alone 2", None), (4, "group Blue", 1), (5, None, None)]
    assert (changes.new, changes.changes) == ([], [])


def test_what_is_whole_of_a_damaged_file_of_version_1_is_saved_and_brought_up_to_date(tmp_path: Path) -> None:
    folder, whole = of_version_1(tmp_path / "damaged"), of_version_1(tmp_path / "whole")
    with closing(sqlite3.connect(folder / "league.sqlite", isolation_level=None)) as connection:
        connection.execute("DELETE FROM teams WHERE id = 5")
    assert recover_database(folder, []).lost == 0
    make_database(whole)
    teams, changes = teams_and_list(folder)
    assert teams == teams_and_list(whole)[0][:-1]
    assert (changes.new, changes.changes) == ([], [])


def test_a_league_with_games_goes_on_after_an_upgrade(course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "course"
    shutil.copytree(course.folder, folder)
    store = folder / "results" / "tournament.sqlite"
    before, games_before = contents(folder / "league.sqlite"), contents(store)
    standing = read_standing(folder)
    monkeypatch.setattr(database, "MIGRATIONS", (*MIGRATIONS, NEXT))
    steps = (*games.STEPS, NEXT_OF_GAMES)
    for module in (games, game_writing):
        monkeypatch.setattr(module, "STEPS", steps)
    with pytest.raises(UserError, match="written by an older tiltyard; 'tiltyard league serve"):
        Database(folder)
    league = load_league(folder)
    set_up(league)
    after = contents(folder / "league.sqlite")
    assert [row[:-1] for row in after["teams"]] == before["teams"]
    assert len(after["badges"]) == len(before["teams"])
    assert {table: rows for table, rows in after.items() if table not in ("teams", "badges")} == {
        table: rows for table, rows in before.items() if table != "teams"
    }
    assert [row[:-1] for row in contents(store)["league_games"]] == games_before["league_games"]
    assert play(league) == course.games
    assert read_standing(folder).lines == standing.lines
    # An older tiltyard doesn't touch it.
    monkeypatch.setattr(database, "MIGRATIONS", MIGRATIONS)
    with pytest.raises(UserError, match="newer tiltyard"):
        make_database(folder)


def test_a_step_that_fails_leaves_the_league_as_it_was(course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(course.folder / "league.sqlite", tmp_path)
    before = contents(tmp_path / "league.sqlite")
    with monkeypatch.context() as patched:
        patched.setattr(database, "MIGRATIONS", (*MIGRATIONS, NEXT + "INSERT INTO no_such_table VALUES (1);"))
        with pytest.raises(UserError):
            make_database(tmp_path)
    assert contents(tmp_path / "league.sqlite") == before
    Database(tmp_path).close()
