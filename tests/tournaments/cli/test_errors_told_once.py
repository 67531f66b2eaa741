"""The same error of many entries of one file is told once, with the names of the others."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.conftest import RunCommand
from tests.engine.making import write

from tiltyard_engine.errors import MOST_NAMES

NAMES = [f"bot{number:02}" for number in range(80)]
TEAMS = f"""
from tiltyard_engine import TankTeam, hookimpl

@hookimpl
def algorithms():
    for name in {NAMES}:
        yield TankTeam(name, player=3, tank=3)
"""
WRONG = "player is an integer (3), expected a class or another factory of Player"
OTHERS = f"(and 79 more: {', '.join(NAMES[1 : MOST_NAMES + 1])}, ...)"
CUP = "title: Cup\ngame: tanks\nmaps: [installed]\noutput: cup\nisolation: inline\nteams:\n"


@pytest.fixture
def folder(tmp_path: Path, inline: None) -> Path:
    write(tmp_path / "bots.py", TEAMS)
    write(tmp_path / "folder" / "bots.py", TEAMS)
    return tmp_path


def plan(run_command: RunCommand, folder: Path, *teams: str) -> list[str]:
    write(folder / "cup.yaml", CUP + "".join(f"- {team}\n" for team in teams))
    return run_command("tiltyard", "plan", "cup.yaml").stderr.splitlines()[:2]


def test_entries_that_name_plugins_of_one_file(run_command: RunCommand, folder: Path) -> None:
    named = [f"bots.py:{name}" for name in NAMES]
    assert plan(run_command, folder, *named) == [
        f"error: cup.yaml:7: teams[1]: bots.py:bot00: {WRONG} {OTHERS}",
        "cup.yaml: 80 problems; nothing was played",
    ]


def test_entries_with_the_same_mistake(run_command: RunCommand, folder: Path) -> None:
    teams = [f"{{team: acorn, nam: {name}}}" for name in NAMES]
    first, last = plan(run_command, folder, *teams)
    others = ", ".join(f"teams[{number}].nam" for number in range(2, MOST_NAMES + 2))
    assert first == f"error: cup.yaml:7: teams[1].nam: unknown key; did you mean name? (and 79 more: {others}, ...)"
    assert last == "cup.yaml: 80 problems; nothing was played"


def test_entries_with_mistakes_of_their_own(run_command: RunCommand, folder: Path) -> None:
    first, second = plan(run_command, folder, "{team: acorn, nam: a}", "{team: acorn, limit: a}")
    assert (first.count("more"), second.count("more")) == (0, 0)


def test_a_file_whose_plugins_are_all_wrong(run_command: RunCommand, folder: Path) -> None:
    assert plan(run_command, folder, "bots.py", "acorn")[0] == f"error: cup.yaml:7: teams[1]: bots.py: {WRONG} {OTHERS}"
    done = run_command("tiltyard", "round-robin", "bots.py", "acorn")
    assert done.stderr.splitlines()[0] == f"error: bots.py: {WRONG} {OTHERS}"


def test_what_is_left_out_of_a_folder(run_command: RunCommand, folder: Path) -> None:
    # Another file's mistake is another one, though it is the same.
    write(folder / "folder" / "other.py", TEAMS.replace(str(NAMES), "['other']"))
    said = run_command("tiltyard", "round-robin", "folder", "acorn", "bramble", "--maps", "narrow-pass").stderr.splitlines()
    left_out = [line for line in said if line.startswith("left out: ")]
    assert left_out == [f"left out: folder/bots.py: bot00: {WRONG} {OTHERS}", f"left out: folder/other.py: other: {WRONG}"]


def test_a_game_that_fails_to_read_its_maps(run_command: RunCommand, tmp_path: Path, inline: None) -> None:
    """A sentence, and not the machine's failure."""
    write(tmp_path / "mill.py", MILL)
    words = ["--trust", "mill.py", "mill.py:one", "mill.py:two", "--game", "mill"]
    done = run_command("tiltyard", "round-robin", *words)
    said = "m0: the map reader of the game mill raised ZeroDivisionError: division by zero (mill.py, line 5)"
    # Two matches begin at once, and either may be the first.
    assert done.stderr.splitlines() in ([f"error: one - two on m0: {said}"], [f"error: two - one on m0: {said}"])
    assert done.returncode == 2
    write(tmp_path / "m1.txt", "")
    done = run_command("tiltyard", "round-robin", *words, "--maps", "m1.txt")
    assert done.stderr.splitlines()[0] == f"error: {said.replace('m0', 'm1.txt')}"


MILL = """
from tiltyard_engine import Game, GameManager, GameMaps, GameResult, Manager, MapFile, TurnTeam, hookimpl

def read(name, data, seats):
    return 1 / 0

class Referee(GameManager):
    def run(self, match):
        return GameResult(1, "done", 1, ())

@hookimpl
def games():
    yield Game(name="mill", seats=range(2, 3), maps=GameMaps(read))

@hookimpl
def game_managers():
    yield Manager(name="referee", game="mill", create=Referee)

@hookimpl
def maps():
    yield MapFile("m0", "mill", b"", seats=2)

@hookimpl
def algorithms():
    for name in ("one", "two"):
        yield TurnTeam(name=name, game="mill", create=lambda seat: None)
"""
