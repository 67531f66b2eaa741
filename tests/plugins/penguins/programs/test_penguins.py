"""The program ``penguins`` as other people's game masters call it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tiltyard_penguins.board_files import read_board_file
from tiltyard_penguins.programs.penguins import main

BOARD = "3 4\n10 20 10 10\n00 30 20 10\n10 10 00 20\n"


def state(path: Path) -> tuple[str, list[tuple[str, int, int]]]:
    """The cells of the first row, and the players."""
    file = read_board_file(path.read_bytes())
    text = " ".join(f"{cell:02}" for cell in file.cells[: file.columns])
    return text, [(row.name, row.number, row.score) for row in file.players]


def test_a_whole_game_in_one_file(tmp_path: Path) -> None:
    board = tmp_path / "board.txt"
    board.write_text(BOARD)
    first, second = ["id=first"], ["id=second"]
    codes = []
    for phase in (["phase=placement", "penguins=1"], ["phase=movement"]):
        while True:
            found = [main([*phase, str(board), str(board), *who]) for who in (first, second)]
            codes += found
            if found == [1, 1]:
                break
    assert set(codes) == {0, 1}
    players = state(board)[1]
    assert [(name, number) for name, number, _ in players] == [("first", 1), ("second", 2)]
    assert sum(score for *_, score in players) >= 8


def test_two_files_leave_the_first_one_alone(tmp_path: Path) -> None:
    source, target = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_text("1 2\n10 20\n")
    assert main(["phase=placement", "penguins=1", str(source), str(target)]) == 0
    assert source.read_text() == "1 2\n10 20\n"
    assert target.read_bytes() == b"1 2\n01 20\ntiltyard 1 1\n"
    assert main([str(target), "phase=movement", str(source)]) == 0
    assert source.read_bytes() == b"1 2\n00 01\ntiltyard 1 3\n"
    before = target.read_bytes()
    assert main(["phase=movement", str(source), str(target)]) == 1
    assert target.read_bytes() == before


def test_others_files_are_understood(tmp_path: Path) -> None:
    board = tmp_path / "board.txt"
    board.write_bytes(b"1 4 \r\n11 20 10 22 \r\nfoe 2 5 \r\ntiltyard 1 4 \r\n\r\n")
    assert main(["phase=movement", str(board), str(board)]) == 0
    assert board.read_bytes() in (
        b"1 4\n00 01 10 02\nfoe 2 5\ntiltyard 1 6\n",
        b"1 4\n00 20 01 02\nfoe 2 5\ntiltyard 1 5\n",
    )


@pytest.mark.parametrize("words", [["name"], ["phase=placement", "penguins=2", "x", "name"], ["name", "phase=oops"]])
def test_name_goes_before_everything(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 0
    assert capsys.readouterr().out == "tiltyard\n"


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("1 2\n10 2\n", "line 2, column 4: invalid description of the field of the board"),
        ("1 2\n10 02\n", "line 2, column 4: player number not defined"),
        ("1 2\n10 20\ntiltyard 1 x\n", "line 3, column 12: invalid score"),
        ("1 2\n01 01\ntiltyard 1 2\n", "line 2, column 4: too many penguins"),
        ("1 2\n10 01\ntiltyard 1 1\ntiltyard 2 1\n", "line 4, column 1: invalid player line"),
    ],
)
def test_a_bad_file_is_code_2_and_says_where(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, where: str) -> None:
    board = tmp_path / "board.txt"
    board.write_text(text)
    assert main(["phase=placement", "penguins=1", str(board), str(board)]) == 2
    assert capsys.readouterr().err.startswith(f"{board}: {where}: ")
    assert board.read_text() == text


def test_a_missing_file_is_code_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["phase=movement", str(tmp_path / "none.txt"), "x"]) == 2
    assert "none.txt: line 1, column 1: cannot open the file: " in capsys.readouterr().err


def test_what_cannot_be_written_is_code_3(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    board = tmp_path / "board.txt"
    board.write_text(BOARD)
    assert main(["phase=placement", "penguins=1", str(board), str(tmp_path)]) == 3
    assert "cannot be written" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "phase= is missing"),
        (["phase=fishing", "a", "b"], "expected phase=placement or phase=movement, got 'phase=fishing'"),
        (["phase=placement", "a", "b"], "expected penguins=N with a number of at least 1, got 'penguins='"),
        (["phase=placement", "penguins=-1", "a", "b"], "got 'penguins=-1'"),
        (["phase=movement", "a"], "expected the names of two files, got 1"),
        (["phase=movement", "phase=movement", "a", "b"], "phase= is set twice"),
        (["phase=movement", "a", "b", "id=two words"], "an ID cannot contain spaces or quotation marks"),
    ],
)
def test_wrong_parameters_are_code_3_and_teach(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 3
    said = capsys.readouterr().err
    assert message in said
    assert "usage: penguins phase=placement" in said


def test_as_a_command(tmp_path: Path) -> None:
    (tmp_path / "board.txt").write_text(BOARD)
    words = [sys.executable, "-m", "tiltyard_penguins.programs.penguins", "phase=placement", "penguins=2", "board.txt", "board.txt"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert state(tmp_path / "board.txt")[1] == [("tiltyard", 1, 1)]
