"""A store that is damaged, from the command line: an error that says what to do, which then helps."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from tests.conftest import RunCommand
from tests.tournaments.cli.small_cup import CUP


@pytest.fixture
def damaged(run_command: RunCommand, tmp_path: Path) -> Path:
    """The store of a tournament of 4 games, one of which is damaged."""
    (tmp_path / "cup.yaml").write_text(CUP)
    assert run_command("tiltyard", "run", "cup.yaml").returncode == 0
    path = tmp_path / "cup" / "tournament.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE matches SET outcome = CAST(x'ff' || substr(outcome, 2) AS BLOB) WHERE place = 2")
    connection.close()
    return path


def test_every_command_says_what_to_do_and_recover_does_it(damaged: Path, run_command: RunCommand) -> None:
    for command in ("standings", "export", "run"):
        done = run_command("tiltyard", command, "cup.yaml")
        assert done.returncode == 2
        last, explained = done.stderr.splitlines()[-2:]
        assert last.startswith("error: cup/tournament.sqlite: is damaged: match ")
        assert last.endswith("; 'tiltyard recover cup' saves everything that is intact")
        assert explained == "help: tiltyard explain damaged-store"
        assert "Traceback" not in done.stderr
    done = run_command("tiltyard", "recover", "cup.yaml")
    assert (done.returncode, done.stdout.splitlines()) == (
        0,
        [
            "saved: 3 matches",
            "lost: 1 match, 0 replays",
            "the damaged store is now cup/tournament.sqlite.damaged-1",
            "Run the tournament again to play the lost matches.",
        ],
    )
    assert run_command("tiltyard", "run", "cup.yaml").returncode == 0
    assert "done: 4 games, complete" in run_command("tiltyard", "status", "cup.yaml").stdout
    again = run_command("tiltyard", "recover", "cup")
    assert again.stdout == "cup: the store is not damaged (4 matches); nothing was changed\n"


def test_what_is_no_store(run_command: RunCommand, tmp_path: Path) -> None:
    done = run_command("tiltyard", "recover", str(tmp_path))
    assert (done.returncode, done.stderr) == (
        2,
        f"error: {tmp_path}: there is nothing to recover (tournament.sqlite is missing)\n",
    )
