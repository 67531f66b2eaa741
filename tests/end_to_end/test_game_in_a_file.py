"""A game that somebody wrote in a file is played like an installed one, as soon as it is trusted."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.conftest import RunCommand

ONE = """\
from tiltyard_engine import TurnAlgorithm, TurnTeam, hookimpl

class One(TurnAlgorithm):
    def __init__(self, seat): pass
    def choose(self, position): return 1

@hookimpl
def algorithms():
    yield TurnTeam("one", "nim", One)
"""
CUP = """\
trust: [./games/nim.py]
teams: [perfect, ./one.py]
maps: [ten]
workers: 2
"""


@pytest.fixture
def folder(tmp_path: Path, programs: Path) -> Path:
    (tmp_path / "games").mkdir()
    shutil.copy(programs / "games" / "nim.py", tmp_path / "games")
    (tmp_path / "one.py").write_text(ONE)
    (tmp_path / "cup.yaml").write_text(CUP)
    return tmp_path


def test_commands_find_the_game_its_maps_and_its_algorithms_by_name(folder: Path, run_command: RunCommand) -> None:
    words = ("round-robin", "perfect", "one.py", "--maps", "ten", "--format", "csv")
    played = run_command("tiltyard", *words, "--trust", "games/nim.py", cwd=folder)
    assert played.returncode == 0, played.stderr
    assert "1,perfect,6,2,2,0,0,0,0" in played.stdout
    refused = run_command("tiltyard", *words, cwd=folder)
    assert refused.returncode == 2
    assert "Traceback" not in refused.stderr


def test_a_cup_of_it_is_played_published_and_verified(folder: Path, run_command: RunCommand) -> None:
    for words in (("run",), ("publish",), ("verify",)):
        done = run_command("tiltyard", *words, "cup.yaml", cwd=folder)
        assert done.returncode == 0, done.stderr
    assert "2 of 2 matches" in done.stdout + done.stderr
    assert (folder / "cup" / "site" / "index.html").is_file()
