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
from tiltyard_league.league_file.loading import load_league
from tiltyard_league.rating.standing import read_standing
from tiltyard_league.records import database, games
from tiltyard_league.records.database import MIGRATIONS, Database, make_database
from tiltyard_league.steward.setting_up import set_up
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
        with Database(folder) as made:
            tables.append([tuple(row) for row in made.rows("SELECT name, sql FROM sqlite_master ORDER BY name")])
    assert tables[0] == tables[1]
    folder_of_steps = files("tiltyard_league.records").joinpath("migrations")
    assert len([file for file in folder_of_steps.iterdir() if file.name.endswith(".sql")]) == len(MIGRATIONS)


def test_games_of_an_earlier_version_say_how_they_ended(course: Course, tmp_path: Path) -> None:
    shutil.copytree(course.league.settings.results, tmp_path, dirs_exist_ok=True)
    store = tmp_path / "tournament.sqlite"
    newest = contents(store)["league_games"]
    assert len({row[-1] for row in newest}) > 1
    with closing(sqlite3.connect(store)) as connection:
        connection.executescript(
            "ALTER TABLE league_games DROP COLUMN message; UPDATE facts SET value = '1' WHERE name = 'tables of league';"
        )
    assert [row[:-1] for row in newest] == contents(store)["league_games"]
    with pytest.raises(UserError, match="written by an older tiltyard; 'tiltyard league serve"):
        games.Games(tmp_path).game(1)
    games.open_games(tmp_path).close()
    assert contents(store)["league_games"] == newest
    # A match that can't be read says nothing, and the rest is there.
    with closing(sqlite3.connect(store)) as connection:
        connection.executescript(
            "ALTER TABLE league_games DROP COLUMN message; UPDATE facts SET value = '1' WHERE name = 'tables of league';"
            f"UPDATE matches SET outcome = x'c1' WHERE key = '{next(row[1] for row in newest if row[-1])}';"
        )
    games.open_games(tmp_path).close()
    assert sum(bool(row[-1]) for row in contents(store)["league_games"]) == sum(bool(row[-1]) for row in newest) - 1


def test_a_league_with_games_goes_on_after_an_upgrade(course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "course"
    shutil.copytree(course.folder, folder)
    store = folder / "results" / "tournament.sqlite"
    before, played = contents(folder / "league.sqlite"), contents(store)
    standing = read_standing(folder)
    monkeypatch.setattr(database, "MIGRATIONS", (*MIGRATIONS, NEXT))
    monkeypatch.setattr(games, "STEPS", (*games.STEPS, NEXT_OF_GAMES))
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
    assert [row[:-1] for row in contents(store)["league_games"]] == played["league_games"]
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
