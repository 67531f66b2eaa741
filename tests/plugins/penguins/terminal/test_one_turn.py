"""``penguins --interactive phase=...`` at a real terminal, and where a game master has taken the standard streams."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.terminal_session import CTRL_C, CTRL_D, TerminalSession

from tiltyard_penguins.programs.penguins import main

ENVIRONMENT = {**os.environ, "TERM": "xterm", "NO_COLOR": "1"}
PENGUINS = (sys.executable, "-m", "tiltyard_penguins.programs.penguins", "--interactive")
BOARD = "2 3\n10 20 10\n00 10 30\n"
PLACED = "2 3\n01 20 10\n00 10 30\nperson 1 1\n"


@pytest.fixture
def board(tmp_path: Path) -> Path:
    path = tmp_path / "board.txt"
    path.write_text(BOARD)
    return path


@pytest.mark.parametrize("streams", [True, False])
def test_a_placement_and_a_move(board: Path, streams: bool) -> None:
    with TerminalSession(
        [*PENGUINS, "phase=placement", "penguins=1", "board.txt", "board.txt"], board.parent, ENVIRONMENT, streams=streams
    ) as session:
        session.expect("person, where to place penguin 1 of 1? (help) ")
        session.type("a1")
        session.expect("Enter: make this move; undo: choose again ")
        session.type("")
        assert session.end() == 0
    assert board.read_text() == PLACED
    with TerminalSession(
        [*PENGUINS, "phase=movement", "board.txt", "board.txt"], board.parent, ENVIRONMENT, streams=streams
    ) as session:
        session.expect("person, which penguin moves: a1? (help) ")
        session.type("a1 c1")
        session.expect("a1 to c1, 1 fish")
        session.expect("choose again ")
        session.type("")
        assert session.end() == 0
    assert board.read_text() == "2 3\n00 20 01\n00 10 30\nperson 1 2\n"


@pytest.mark.parametrize(("typed", "end"), [(CTRL_C, ""), (CTRL_D, ""), ("quit", "\n")])
def test_leaving_changes_nothing(board: Path, typed: str, end: str) -> None:
    with TerminalSession(
        [*PENGUINS, "phase=placement", "penguins=1", "board.txt", "board.txt", "id=anna"], board.parent, ENVIRONMENT
    ) as session:
        session.expect("anna, where to place")
        session.expect("? (help) ")
        session.press(typed + end)
        assert session.end(lambda: session.press(typed + end)) == 3
    assert "nothing was written, and board.txt is unchanged; to continue, run the same command again" in session.plain
    assert "Traceback" not in session.plain
    assert board.read_text() == BOARD


def test_without_any_terminal(board: Path) -> None:
    words = [*PENGUINS, "phase=placement", "penguins=1", "board.txt", "board.txt"]
    done = subprocess.run(
        words, cwd=board.parent, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, start_new_session=True
    )
    assert done.returncode == 3
    assert done.stderr.startswith("there is no terminal: ")
    assert len(done.stderr.splitlines()) == 1
    assert board.read_text() == BOARD


def test_nobody_is_asked_where_nothing_can_be_done(board: Path) -> None:
    board.write_text("1 2\n01 00\nperson 1 1\n")
    assert main(["--interactive", "phase=movement", str(board), str(board)]) == 1
    assert main(["--interactive", "phase=placement", "penguins=1", str(board), str(board)]) == 1


def test_a_bad_file_is_code_2_for_people_too(board: Path, capsys: pytest.CaptureFixture[str]) -> None:
    board.write_text("2 3\n10 20 1x\n00 10 30\n")
    assert main(["--interactive", "phase=movement", str(board), str(board)]) == 2
    assert "line 2, column 7: invalid description of the field of the board" in capsys.readouterr().err


@pytest.mark.parametrize(("words", "name"), [([], "person"), (["id=anna"], "anna")])
def test_the_name_of_a_person(words: list[str], name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--interactive", "name", *words]) == 0
    assert capsys.readouterr().out == f"{name}\n"


def test_a_missing_phase_is_told_as_ever(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--interactive", "penguins=3", "in.txt", "out.txt"]) == 3
    assert "phase= is missing" in capsys.readouterr().err


def test_a_person_in_the_masters_own_loop(tmp_path: Path) -> None:
    (tmp_path / "board.txt").write_text("1 4\n10 20 10 20\npenguins=1\n")
    words = [
        sys.executable,
        "-m",
        "tiltyard_penguins.programs.penguins_master",
        "--board",
        "board.txt",
        "--lenient",
        "person:anna",
        "penguins-greedy",
    ]
    with TerminalSession(words, tmp_path, ENVIRONMENT) as session:
        session.expect("anna, where to place penguin 1 of 1? (help) ")
        session.type("a1")
        session.expect("choose again ")
        session.type("")
        session.expect("B penguins-greedy placement")
        session.expect("anna, which penguin moves: a1? (help) ")
        session.type("quit")
        assert session.end() == 0
    assert "out: forfeit: anna left" in session.plain
    assert "penguins-greedy" in session.plain.splitlines()[-2]
