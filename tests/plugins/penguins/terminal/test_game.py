"""Whole games at one terminal: from the first placement to the table, left and gone on with."""

from __future__ import annotations

import io
import json
import os
import signal
import sys
from pathlib import Path

import pytest
from tests.terminal_session import CTRL_C, CTRL_D, TerminalSession

from tiltyard_penguins.programs.penguins import main

ENVIRONMENT = {**os.environ, "TERM": "xterm", "NO_COLOR": "1"}
PENGUINS = (sys.executable, "-m", "tiltyard_penguins.programs.penguins", "--interactive")
BOARD = "2 3\n10 20 10\n00 10 30\n"
"""anna places at a1, ben at c1; then anna to b1, ben to c2, anna to b2: 1 + 2 + 1 against 1 + 3."""
KEPT = "penguins-game.json"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "board.txt").write_text(f"{BOARD}penguins=1\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def typed(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """What is in the pipe to the command."""
    monkeypatch.setattr("sys.stdin", io.StringIO(text))


def test_two_people_to_the_end(folder: Path) -> None:
    with TerminalSession([*PENGUINS, "anna", "ben", "--board", "board.txt"], folder, ENVIRONMENT) as session:
        for who, move in (("anna", "a1"), ("ben", "c1"), ("anna", "a1 b1"), ("ben", "c1 c2"), ("anna", "b1 b2")):
            session.expect(f"{who}, w")
            session.expect("(help) ")
            session.type(move)
            session.expect("choose again ")
            session.type("")
        assert session.end() == 0
    assert "A anna: places at a1, 1 fish" in session.plain
    assert "1      A anna  4\n1      B ben   4\nShared by anna and ben.\n" in session.plain
    assert not (folder / KEPT).exists(), "a game that has ended is not in the way of the next one"


@pytest.mark.parametrize(("key", "end", "status"), [(CTRL_C, "", 130), (CTRL_D, "", 0), ("quit", "\n", 0), ("", "TERM", 130)])
def test_a_game_that_was_left_goes_on(folder: Path, key: str, end: str, status: int) -> None:
    with TerminalSession([*PENGUINS, "anna", "greedy", "--board", "board.txt"], folder, ENVIRONMENT) as session:
        session.expect("1 of 1? (help) ")
        session.type("a1")
        session.expect("choose again ")
        session.type("")
        session.expect("which penguin moves: a1? (help) ")

        def leave() -> None:
            if end == "TERM":
                session.send(signal.SIGTERM)
            else:
                session.press(key + end)

        leave()
        assert session.end(leave) == status
    assert f"The game is saved. To resume it: penguins --interactive --resume {KEPT}" in session.plain
    assert "Traceback" not in session.plain
    assert json.loads((folder / KEPT).read_text())["moves"][0] == "a1"
    with TerminalSession([*PENGUINS, "--resume", KEPT], folder, ENVIRONMENT) as session:
        session.expect("2 moves made")
        session.expect("which penguin moves: a1? (help) ")
        session.type("quit")
        assert session.end() == 0


def test_nothing_is_lost_when_it_is_killed(folder: Path) -> None:
    with TerminalSession([*PENGUINS, "anna", "ben", "--board", "board.txt", "--save", "ours.json"], folder, ENVIRONMENT) as session:
        session.expect("1 of 1? (help) ")
        session.type("a1")
        session.expect("choose again ")
        session.type("")
        session.expect("ben, where")
        session.send(signal.SIGKILL)
        session.end()
    assert json.loads((folder / "ours.json").read_text())["moves"] == ["a1"]


def test_algorithms_alone_and_a_resumed_end(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--interactive", "champion", "greedy", "random", "--size", "6x6", "--seed", "2", "--save", "all.json"]
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert "A champion: places at " in shown
    moves = json.loads((folder / "all.json").read_text())["moves"]
    assert shown.count(", 1 fish\n") + shown.count(", 2 fish\n") + shown.count(", 3 fish\n") == len(moves)
    assert main(["--interactive", "--resume", "all.json"]) == 0
    again = capsys.readouterr().out
    assert again[again.index("place  player") :] == shown[shown.index("place  player") :]


def test_nine_players_and_names_of_copies(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--interactive", *["greedy"] * 9, "--seed", "1"]) == 0
    assert "I greedy#9: places at " in capsys.readouterr().out


def test_who_plays_is_asked(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    typed(monkeypatch, "alone\nanna anna\n\n")
    assert main(["--interactive", "--seed", "1"]) == 0
    shown = capsys.readouterr().out
    assert "expected 2 to 9 players, got 1." in shown
    assert "anna plays twice; give each player another name." in shown
    assert "you against champion, 10 x 12, 3 penguins each" in shown


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["anna"], "expected 2 to 9 players, got 1"),
        (["anna", "anna"], "anna plays twice"),
        (["anna", "b c"], "a name has at most 20 characters, without spaces or quotation marks, got 'b c'"),
        (["a", "b", "--board", "none.txt"], "none.txt: cannot be read"),
        (["a", "b", "--board", "board.txt", "--seed", "1"], "--size and --seed are for new boards"),
        (["a", "b", "--size", "1x2"], "a board of 1 x 2 has 1 floes, too few for 6 penguins"),
        (["a", "b", "--save", "board.txt"], "board.txt: already exists"),
        (["a", "b", "--save", "none/game.json"], "none/game.json: cannot be written"),
        (["--resume", "none.json"], "none.json: cannot be read"),
        (["--resume", "board.txt"], "board.txt: not a saved game"),
        (["--resume", "x.json", "anna"], "--resume continues the game in its file; leave out players"),
    ],
)
def test_what_cannot_be_played(
    folder: Path, words: list[str], message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed(monkeypatch, "")
    assert main(["--interactive", *words]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"penguins: {message}")
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("form", "chess", "not a saved game"),
        ("board", "1 x\n", "its board, line 1, column 3: invalid m n line"),
        ("players", [{"name": "a", "algorithm": ""}], "expected 2 to 9 players, got 1"),
        ("players", ["a", "b"], "player 1: expected a name, and no algorithm or one of penguins-random"),
        ("moves", "a1", "\"moves\" is 'a1', expected list"),
        ("moves", ["a1", 7], "move 2: expected squares such as 'c4' or 'c4-c7', got '7'"),
        (
            "moves",
            ["b1"],
            "the saved game is not possible: anna's move 1: a penguin can only be placed on a floe with exactly one fish",
        ),
        ("moves", ["a1", "c1", "a1-c1"], "the saved game is not possible: anna's move 2: there is a penguin already"),
        ("moves", ["a1", "c1", "a1-b1", "c1-c2", "b1-b2", "c2-c1"], "the game is over, but 1 more moves follow"),
    ],
)
def test_saved_games_that_cannot_be(
    folder: Path, key: str, value: object, message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed(monkeypatch, "")
    assert main(["--interactive", "anna", "ben", "--board", "board.txt", "--save", "game.json"]) == 0
    content = json.loads((folder / "game.json").read_text())
    (folder / "game.json").write_text(json.dumps({**content, key: value}))
    assert main(["--interactive", "--resume", "game.json"]) == 1
    assert message in capsys.readouterr().err


def test_a_pipe_reads_like_a_terminal(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    typed(monkeypatch, "a1\n\nc1\n\na1 b1\n\nc1 c2\n\nb1 b2\n\n")
    assert main(["--interactive", "anna", "ben", "--board", "board.txt"]) == 0
    shown = capsys.readouterr().out
    assert "anna, where to place penguin 1 of 1? (help) a1\n" in shown
    assert "\x1b" not in shown
    assert shown.endswith("Shared by anna and ben.\n")


def test_what_moved_before_a_game_was_left_is_marked_after_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed(monkeypatch, "a1\n\nc1\n\nquit\n")
    assert main(["--interactive", "anna", "ben", "--board", "board.txt"]) == 0
    capsys.readouterr()
    typed(monkeypatch, "undo\nquit\n")
    assert main(["--interactive", "--resume", KEPT]) == 0
    shown = capsys.readouterr().out
    assert "1 [A] 2 <B> 1\n" in shown
    assert "nothing is chosen yet; finished moves cannot be undone" in shown


def test_help_teaches(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["--interactive", "--help"])
    assert stop.value.code == 0
    assert "penguins --interactive Anna champion greedy" in capsys.readouterr().out
