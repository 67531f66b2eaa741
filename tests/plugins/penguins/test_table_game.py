"""Whole games at one terminal: from the first placement to the table, left and gone on with."""

from __future__ import annotations

import io
import json
import signal
import sys
from pathlib import Path

import pytest
from tests.plugins.penguins.terminals import CTRL_C, CTRL_D, at_terminal

from tiltyard_penguins.program import main

PENGUINS = (sys.executable, "-m", "tiltyard_penguins.program", "--interactive")
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
    with at_terminal([*PENGUINS, "anna", "ben", "--board", "board.txt"], folder) as seat:
        for who, move in (("anna", "a1"), ("ben", "c1"), ("anna", "a1 b1"), ("ben", "c1 c2"), ("anna", "b1 b2")):
            seat.expect(f"{who}, w")
            seat.expect("(help) ")
            seat.type(move)
            seat.expect("choose again ")
            seat.type("")
        assert seat.end() == 0
    assert "A anna: places at a1, 1 fish" in seat.shown
    assert "1      A anna  4\n1      B ben   4\nShared by anna and ben.\n" in seat.shown
    assert not (folder / KEPT).exists(), "a game that has ended is not in the way of the next one"


@pytest.mark.parametrize(("key", "end", "status"), [(CTRL_C, "", 130), (CTRL_D, "", 0), ("quit", "\n", 0), ("", "TERM", 130)])
def test_a_game_that_was_left_goes_on(folder: Path, key: str, end: str, status: int) -> None:
    with at_terminal([*PENGUINS, "anna", "greedy", "--board", "board.txt"], folder) as seat:
        seat.expect("1 of 1? (help) ")
        seat.type("a1")
        seat.expect("choose again ")
        seat.type("")
        seat.expect("which penguin moves: a1? (help) ")

        def leave() -> None:
            if end == "TERM":
                seat.send(signal.SIGTERM)
            else:
                seat.type(key, end)

        leave()
        assert seat.end(leave) == status
    assert f"The game is kept; to go on: penguins --interactive --resume {KEPT}" in seat.shown
    assert "Traceback" not in seat.shown
    assert json.loads((folder / KEPT).read_text())["moves"][0] == "a1"
    with at_terminal([*PENGUINS, "--resume", KEPT], folder) as seat:
        seat.expect("2 moves made")
        seat.expect("which penguin moves: a1? (help) ")
        seat.type("quit")
        assert seat.end() == 0


def test_nothing_is_lost_when_it_is_killed(folder: Path) -> None:
    with at_terminal([*PENGUINS, "anna", "ben", "--board", "board.txt", "--save", "ours.json"], folder) as seat:
        seat.expect("1 of 1? (help) ")
        seat.type("a1")
        seat.expect("choose again ")
        seat.type("")
        seat.expect("ben, where")
        seat.send(signal.SIGKILL)
        seat.end()
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
    assert "2 to 9 play, found 1." in shown
    assert "anna plays twice; give each player another name." in shown
    assert "you against champion, 10 x 12, 3 penguins each" in shown


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["anna"], "2 to 9 play, found 1"),
        (["anna", "anna"], "anna plays twice"),
        (["anna", "b c"], "a name has up to 20 characters, no spaces and no quotation marks, found 'b c'"),
        (["a", "b", "--board", "none.txt"], "none.txt: cannot open the file"),
        (["a", "b", "--board", "board.txt", "--seed", "1"], "--size and --seed are of new boards"),
        (["a", "b", "--size", "1x2"], "a board of 1 x 2 has 1 floes, too few for 6 penguins"),
        (["a", "b", "--save", "board.txt"], "board.txt: exists already"),
        (["a", "b", "--save", "none/game.json"], "none/game.json: the game cannot be kept there"),
        (["--resume", "none.json"], "none.json: cannot open the file"),
        (["--resume", "board.txt"], "board.txt: no saved game of Penguins"),
        (["--resume", "x.json", "anna"], "--resume goes on with what is in its file; leave out players"),
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
        ("form", "chess", "no saved game of Penguins"),
        ("board", "1 x\n", "its board, line 1, column 3: invalid m n line"),
        ("players", [{"name": "a", "algorithm": ""}], "2 to 9 play, found 1"),
        ("players", ["a", "b"], "player 1: expected a name and an algorithm of penguins-random"),
        ("moves", "a1", "expected a list of moves, found str"),
        ("moves", ["a1", 7], "move 2: expected squares such as 'c4' or 'c4-c7', found '7'"),
        ("moves", ["b1"], "the saved game cannot be: anna's move 1: penguins are placed on floes with exactly one fish"),
        ("moves", ["a1", "c1", "a1-c1"], "the saved game cannot be: anna's move 2: a penguin stands there"),
        ("moves", ["a1", "c1", "a1-b1", "c1-c2", "b1-b2", "c2-c1"], "the game ended, but there are 1 moves more"),
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


def test_help_teaches(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["--interactive", "--help"])
    assert stop.value.code == 0
    assert "penguins --interactive Anna champion greedy" in capsys.readouterr().out
