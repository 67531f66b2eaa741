"""The checks of benchmarks/league_checks.py see what they are there for."""

from __future__ import annotations

import math
import shutil
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from tests.league.conftest import Course
from tests.scripts import load_script

from tiltyard_league.database.games import Games, Seats
from tiltyard_league.rating.standing import STANDING
from tiltyard_league.service.game_writing import game_writer, open_games

league_uploads = load_script("benchmarks/league_uploads.py")
league_pages = load_script("benchmarks/league_pages.py")
# None of these processes is there.
NOTHING = "a name that no process has"


@pytest.fixture
def folder(course: Course, tmp_path: Path) -> Path:
    """A league of one's own, in which nothing is wrong."""
    folder = tmp_path / "course"
    shutil.copytree(course.folder, folder)
    assert league_uploads.problems(folder, NOTHING) == []
    return folder


def test_a_game_that_was_stored_twice_is_seen(folder: Path) -> None:
    with open_games(folder / "results") as store:
        # The newest one: its number is the one that could be given again.
        (game,) = Games(folder / "results").last(1)
        match = store.match(game.key)
        assert match is not None
        store.write(game_writer(Seats(versions=game.versions, map=game.map), game.key, match.record.outcome))
    assert league_uploads.problems(folder, NOTHING) == ["1 games were stored twice"]


def test_a_standing_that_is_empty_or_lacks_games_is_seen(folder: Path) -> None:
    (folder / STANDING).unlink()
    assert league_uploads.problems(folder, NOTHING) == [
        "versions in the standing: 0, that play: 4",
        "games in the standing: 0, that count: 24",
    ]


def test_an_upload_that_became_two_versions_is_seen(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "league.sqlite")) as database:
        rows = database.execute("SELECT teams.name, upload FROM versions JOIN teams ON teams.id = team WHERE upload != ''")
        once = dict(rows.fetchall())
        handed_in = Counter(once.items())
        assert league_uploads.versions_twice(folder, handed_in) == []
        with database:
            database.execute(
                "INSERT INTO versions (team, number, upload, name, size, note, late, uploaded_at, state, reason, attempts,"
                " checked_at, code) SELECT team, 2, upload, name, size, note, late, uploaded_at, state, reason, attempts,"
                " checked_at, code FROM versions WHERE upload = ?",
                (once["Red"],),
            )
    assert league_uploads.versions_twice(folder, handed_in) == [f"handed in 1 times by Red, but 2 versions: {once['Red']}"]


def test_made_up_games_are_games_of_the_league(folder: Path) -> None:
    before = Games(folder / "results").newest()
    league_pages.fill(folder, 40, 12, seed=1)
    games = Games(folder / "results")
    assert games.newest() == before + 40
    assert all(len(game.versions) == len(game.ranks) == 2 for game in games.last(40))
    with closing(sqlite3.connect(folder / "results" / "tournament.sqlite")) as store:
        seats = store.execute("SELECT count(*), count(DISTINCT game) FROM league_seats WHERE game > ?", (before,)).fetchone()
    assert seats == (80, 40)
    # The one that the check of staff asks for.
    assert len(league_pages.spans_of(folder, games.last(1)[0].versions[0])) >= 1


def test_a_version_that_never_plays_waits_for_ever_unless_its_turn_was_short() -> None:
    # Red hands in twice, and nobody ever plays the second one; Blue's version plays at once.
    spans = league_uploads.GameTimes([((1, 3), 5.0, 6.0), ((3, 1), 6.0, 7.0)])
    accepted = [(1, "Red", 0.0), (2, "Red", 100.0), (3, "Blue", 4.0)]
    for stopped, waits in ((130.0, [5.0, math.inf, 1.0]), (110.0, [5.0, 1.0])):
        turns = league_uploads.turns_of(accepted, stopped)
        assert spans.waits(1, turns, 20.0) == waits
    # Blue came while nothing was played, and Red's second version before its first game had ended.
    late = league_uploads.GameTimes([((1, 3), 5.0, 6.0), ((1, 3), 90.0, 115.0), ((2, 3), 120.0, 121.0)])
    assert late.beyond_a_match(league_uploads.turns_of(accepted, 130.0), 20.0) == [5.0, 20.0 - 25.0, 1.0]
    # The second game of each counts when it has ended; nobody has a third.
    assert spans.waits(2, turns, 20.0) == [7.0, 3.0]
    assert spans.waits(3, turns, 20.0) == [math.inf, math.inf]
