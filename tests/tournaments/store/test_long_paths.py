"""SQLite opens no file whose path has more than 504 bytes; it is said so, with what to do."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.conftest import DUEL, RunCommand, map_text
from tests.engine.making import write
from tests.league.made_league import FILE, make_folder

from tiltyard_engine.errors import UserError
from tiltyard_league.cli.recovery import recover_database
from tiltyard_league.database.database import DATABASE, Database, make_database
from tiltyard_league.service.game_writing import open_games
from tiltyard_tournaments.store import STORE_NAME, Store
from tiltyard_tournaments.store.failures import MOST_PATH_BYTES


def folder_for(tmp_path: Path, name: str, length: int) -> Path:
    """A folder in which a file of that name has a path of so many bytes; each letter in it has two."""
    folder = tmp_path.resolve()
    left = length - len(os.fsencode(folder / name))
    while left > 202:
        folder /= "ü" * 50
        left -= 101
    if left > 101:
        folder /= "o" * 50
        left -= 51
    folder /= "o" * (left - 1)
    folder.mkdir(parents=True)
    assert len(os.fsencode(folder / name)) == length
    return folder


def test_a_store_at_the_longest_path_and_beyond(tmp_path: Path) -> None:
    longest = folder_for(tmp_path, STORE_NAME, MOST_PATH_BYTES)
    with Store(longest) as store:
        store.set_fact("title", "Cup")
    with Store(longest, writable=False) as store:
        assert store.facts()["title"] == "Cup"
    (tmp_path / "two").mkdir()
    beyond = folder_for(tmp_path / "two", STORE_NAME, MOST_PATH_BYTES + 3)
    said = (
        f"{beyond / STORE_NAME}: can't be opened, because its path has 507 bytes and SQLite allows 504; choose, or move it to, a"
        " folder whose path is at least 3 bytes shorter (a link doesn't help)"
    )
    with pytest.raises(UserError) as raised:
        Store(beyond)
    assert str(raised.value) == said
    # A link to it is short, but SQLite follows links itself.
    link = tmp_path / "link"
    link.symlink_to(beyond)
    with pytest.raises(UserError, match="its path has 507 bytes"):
        Store(link)


def test_a_relative_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder_for(tmp_path, DATABASE, MOST_PATH_BYTES + 1))
    for opened in (lambda: Store(Path()), lambda: make_database(Path()), lambda: open_games(Path())):
        with pytest.raises(UserError, match=f"its path has .* bytes and SQLite allows {MOST_PATH_BYTES}"):
            opened()


def test_a_league_that_was_moved_there(tmp_path: Path, run_command: RunCommand) -> None:
    """No command takes its database for damaged."""
    beyond = folder_for(tmp_path, DATABASE, MOST_PATH_BYTES + 1)
    make_folder(tmp_path / "league", file=FILE)
    make_database(tmp_path / "league")
    for path in (tmp_path / "league").iterdir():
        path.rename(beyond / path.name)
    with pytest.raises(UserError, match="its path has 505 bytes"):
        Database(beyond)
    for command in ("recover", "doctor", "status"):
        done = run_command("tiltyard", "league", command, str(beyond))
        assert "its path has 505 bytes and SQLite allows 504" in done.stderr, command
        assert "damaged" not in done.stderr + done.stdout
        assert "Traceback" not in done.stderr


def test_a_league_whose_copy_would_be_there(tmp_path: Path) -> None:
    """What is saved of a damaged database is first written to a folder beside it."""
    folder = folder_for(tmp_path, DATABASE, MOST_PATH_BYTES - 5)
    make_database(folder)
    with pytest.raises(UserError, match=r"\.recovered-.* its path has 5.. bytes"):
        recover_database(folder, [])
    assert [path.name for path in folder.iterdir()] == [DATABASE]


def test_commands_say_it_before_anything_is_played(tmp_path: Path, run_command: RunCommand, inline: None) -> None:
    beyond = folder_for(tmp_path, STORE_NAME, MOST_PATH_BYTES + 1)
    write(beyond.parent / "duel.txt", map_text(DUEL, 20, 5))
    cup = write(
        beyond.parent / "cup.yaml", f"title: Cup\ngame: tanks\nteams: [acorn, bramble]\nmaps: [duel.txt]\noutput: {beyond.name}\n"
    )
    other = beyond.with_name(beyond.name.replace("o", "p"))
    robin = ["round-robin", "acorn", "bramble", "--maps", str(beyond.parent / "duel.txt"), "--output", str(other)]
    for folder, words in ((beyond, ["run", str(cup)]), (other, robin)):
        done = run_command("tiltyard", *words)
        assert done.returncode == 2
        (line,) = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
        assert line.startswith(f"error: {folder / STORE_NAME}: can't be opened, because its path has 505 bytes")
