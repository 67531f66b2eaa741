"""A GameManager that fails in every match, in the commands that play many."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.conftest import DUEL, RunCommand, map_text
from tests.engine.making import team_source, write

from tiltyard_tournaments.store import Store

MANAGER = """
from tiltyard_engine import Manager, hookimpl
from tiltyard_tanks.manager import TanksGameManager

class Mine(TanksGameManager):
    def run(self, match):
        return FIRST or super().run(match)

@hookimpl
def game_managers():
    yield Manager(name="mine", game="tanks", create=Mine)
"""
CUP = """
title: Small cup
game: tanks
manager: ./mine.py
teams: [acorn, bramble, coyote, dragoon]
maps: [duel.txt, other.txt]
output: cup
"""
FAILURE = r"GameManager mine failed in all of the first [345] games, always in the same way: crash: run\(\) raised NameError"


@pytest.fixture
def folder(tmp_path: Path, inline: None) -> Path:
    for name in ("duel.txt", "other.txt"):
        write(tmp_path / name, map_text(DUEL, 20, 5))
    write(tmp_path / "mine.py", MANAGER)
    write(tmp_path / "cup.yaml", CUP)
    return tmp_path


def correct(folder: Path) -> None:
    write(folder / "mine.py", MANAGER.replace("FIRST or ", ""))


def stored(folder: Path) -> int:
    with Store(folder, writable=False) as store:
        return len(store.keys())


def test_a_run_ends_early_and_goes_on_when_it_is_corrected(run_command: RunCommand, folder: Path) -> None:
    for attempt in (1, 2):
        failed = run_command("tiltyard", "run", "cup.yaml", "--log", "cup.jsonl")
        assert failed.returncode == 2
        # When it happened first, and at the end: in the message and below the traceback.
        assert failed.stderr.count("NameError: name 'FIRST' is not defined") == 3
        assert re.search(f"^error: {FAILURE}", failed.stderr, re.MULTILINE)
        assert failed.stdout == ""
        assert stored(folder / "cup") <= 6 * attempt
        assert '"complete":false' in (folder / "cup.jsonl").read_text().splitlines()[-1].replace(" ", "")
    correct(folder)
    done = run_command("tiltyard", "run", "cup.yaml")
    assert done.returncode == 0, done.stderr
    assert "finished: 24 games (24 played in this run)" in done.stderr


def test_a_round_robin_ends_early(run_command: RunCommand, folder: Path) -> None:
    words = ["acorn", "bramble", "coyote", "dragoon", "--maps", "duel.txt", "--maps", "other.txt", "-m", "./mine.py", "-o", "out"]
    failed = run_command("tiltyard", "round-robin", *words, "--workers", "1")
    assert failed.returncode == 2
    assert re.search(f"^error: {FAILURE}", failed.stderr, re.MULTILINE)
    assert "run the same command with --output out to resume" in failed.stderr
    assert stored(folder / "out") <= 5
    correct(folder)
    done = run_command("tiltyard", "round-robin", *words)
    assert done.returncode == 0, done.stderr


def test_a_competition_ends_early(run_command: RunCommand, folder: Path) -> None:
    (folder / "maps").mkdir()
    for name in ("duel.txt", "other.txt"):
        (folder / name).rename(folder / "maps" / name)
    words = ["--maps", "maps", "--game", "tanks", "-m", "./mine.py", "--workers", "1"]
    failed = run_command("tiltyard", "competition", *words)
    assert failed.returncode != 0
    assert re.search(f"^error: {FAILURE}", failed.stderr, re.MULTILINE)


@pytest.mark.parametrize(
    "words",
    [
        ["round-robin", "acorn", "bramble", "--maps", "duel.txt", "-m", "mine.py"],
        ["run", "two.yaml"],
        ["run", "two.yaml", "--json"],
        ["competition", "--algorithms", "teams", "--maps", "maps", "--game", "tanks", "-m", "mine.py"],
        ["comparative", "duel.txt", "acorn", "bramble", "--managers", "managers"],
        ["watch", "acorn", "bramble", "--map", "duel.txt", "-m", "mine.py"],
        ["verify", "acorn", "bramble", "--maps", "duel.txt", "-m", "mine.py"],
    ],
    ids=lambda words: " ".join(words[:1] + words[2:] * (words[-1] == "--json")),
)
def test_a_command_without_any_result_has_failed(run_command: RunCommand, folder: Path, words: list[str]) -> None:
    """Also where so few games are planned that all were played."""
    write(folder / "two.yaml", CUP.replace("[acorn, bramble, coyote, dragoon]", "[acorn, bramble]").replace(", other.txt", ""))
    write(folder / "maps" / "duel.txt", map_text(DUEL, 20, 5))
    write(folder / "managers" / "mine.py", MANAGER)
    for name in ("one", "two"):
        write(folder / "teams" / f"{name}.py", team_source(name))
    done = run_command("tiltyard", *words)
    assert done.returncode == 1, done.stderr
    games = {"run": "all 2", "round-robin": "all 2", "verify": "all 4"}.get(words[0], "the only one")
    assert re.search(f"^error: no game has a result: the GameManager failed in {games}$", done.stderr, re.MULTILINE)
    standings = done.stdout.partition("Standings")[2].partition("Ratings")[0]
    assert not re.search(r"^ +\d+  (acorn|bramble)", standings, re.MULTILINE)
    again = run_command("tiltyard", *words)
    assert again.returncode == 1


def test_a_plan_without_any_result_estimates_nothing(run_command: RunCommand, folder: Path) -> None:
    failed = run_command("tiltyard", "plan", "cup.yaml", "--trials", "2")
    assert failed.returncode == 2
    assert failed.stdout == "24 games\n"
    assert "error: no estimate from 2 trial games: no game has a result: the GameManager failed in all 2" in failed.stderr


def test_in_a_comparison_the_other_managers_play(run_command: RunCommand, folder: Path) -> None:
    for name in ("mine", "theirs"):
        write(folder / "managers" / f"{name}.py", MANAGER.replace('name="mine"', f'name="{name}"'))
    write(folder / "managers" / "good.py", MANAGER.replace("FIRST or ", "").replace('name="mine"', 'name="good"'))
    done = run_command("tiltyard", "comparative", "duel.txt", "acorn", "bramble", "--managers", "managers")
    assert done.returncode == 0, done.stderr
    assert "good" in done.stdout
    assert all(f"fault of GameManager {name}: crash: run() raised NameError" in done.stdout for name in ("mine", "theirs"))
