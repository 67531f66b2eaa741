"""The command ``advance``, called as the course calls its programs."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.conftest import RunCommand
from tests.plugins.advance.boards import sparse

from tiltyard_advance.algorithms import STRENGTHS
from tiltyard_advance.board_files import read_board_file, write_board_file
from tiltyard_advance.levels import LEVELS
from tiltyard_advance.moves import boards_after
from tiltyard_advance.positions import SIDES, START
from tiltyard_advance.programs.advance import main
from tiltyard_advance.rules import BLACK, WHITE, Board

TRAPPED = sparse("ga1", "Mb9", "Mi2", "Gi9", "Mc1", "#b1")
"""Black has no legal move."""


@pytest.fixture
def board_file(tmp_path: Path) -> Path:
    path = tmp_path / "in.txt"
    path.write_bytes(write_board_file(START))
    return path


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ADVANCE_LEVEL", raising=False)
    monkeypatch.delenv("ADVANCE_SEED", raising=False)


def test_as_the_course_calls_it(board_file: Path, run_command: RunCommand) -> None:
    done = run_command("advance", "white", str(board_file), "out.txt")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    after = read_board_file((board_file.parent / "out.txt").read_bytes())
    board = Board(START)
    assert after in boards_after(board, board.legal_moves(WHITE))
    assert board_file.read_bytes() == write_board_file(START)
    done = run_command("advance", "name")
    assert (done.returncode, done.stdout, done.stderr) == (0, "tiltyard champion\n", "")


@pytest.mark.parametrize("strength", STRENGTHS)
@pytest.mark.parametrize("colour", SIDES)
def test_every_strength_moves_for_both_into_the_same_file(board_file: Path, strength: str, colour: str) -> None:
    assert main(["--level", strength, colour, str(board_file), str(board_file)]) == 0
    board = Board(START)
    assert read_board_file(board_file.read_bytes()) in boards_after(board, board.legal_moves(SIDES.index(colour)))


def test_levels_and_seeds_by_environment(board_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out.txt"
    monkeypatch.setenv("ADVANCE_LEVEL", "4")
    seen = set()
    for seed in range(20):
        monkeypatch.setenv("ADVANCE_SEED", str(seed))
        boards = []
        for _ in range(2):
            assert main(["white", str(board_file), str(out)]) == 0
            boards.append(out.read_bytes())
        assert boards[0] == boards[1]
        seen.add(boards[0])
    assert len(seen) > 5


def test_an_option_goes_before_the_environment(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("ADVANCE_LEVEL", "5")
    for words, level in ((["name"], 5), *((["--level", str(level), "name"], level) for level in LEVELS)):
        assert main(words) == 0
        assert capsys.readouterr().out == f"tiltyard level {level}\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "no arguments"),
        (["red", "a", "b"], "the first argument is 'red', expected white, black or name"),
        (["White", "a", "b"], "the first argument is 'White', expected white, black or name"),
        (["white"], "too few arguments: expected two files after white, got 0"),
        (["black", "a"], "too few arguments: expected two files after black, got 1"),
        (["black", "a", "b", "c"], "too many arguments: expected two files after black, got 3"),
        (["name", "x"], "too many arguments: 'name' takes no arguments, got 1"),
        (["--strong", "name"], "unknown option '--strong'"),
        (["--level"], "--level needs a value"),
        (["--level", "8", "name"], "--level is '8', expected one of champion, 4, 5, 6, 7"),
        (["--seed=x", "name"], "--seed is 'x', expected a whole number"),
    ],
)
def test_wrong_calls(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == f"advance: {message}\nexpected: advance white|black IN OUT, or: advance name; see advance --help\n"


@pytest.mark.parametrize(
    ("data", "colour", "message"),
    [
        (None, "white", "in.txt: cannot be read: No such file or directory"),
        (START[:80].encode(), "white", "in.txt: wrong number of characters: expected 9 lines of 9 characters, 81 in all, got 80"),
        (b"?" * 81, "black", "in.txt: line 1, column 1: bad character '?'"),
        (TRAPPED.encode(), "black", "in.txt: black has no legal move and has lost"),
    ],
    ids=["unreadable", "short", "bad character", "no legal move"],
)
def test_boards_that_nothing_can_be_done_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], data: bytes | None, colour: str, message: str
) -> None:
    path, out = tmp_path / "in.txt", tmp_path / "out.txt"
    if data is not None:
        path.write_bytes(data)
    assert main([colour, str(path), str(out)]) == 1
    assert capsys.readouterr().err.startswith(f"advance: {tmp_path}/{message}")
    assert not out.exists()


def test_a_folder_is_no_file(tmp_path: Path, board_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["white", str(tmp_path), str(tmp_path / "out.txt")]) == 1
    assert capsys.readouterr().err == f"advance: {tmp_path}: cannot be read: Is a directory\n"
    assert main(["--level=4", "white", str(board_file), str(tmp_path)]) == 1
    assert capsys.readouterr().err == f"advance: {tmp_path}: cannot be written: Is a directory\n"
    assert main(["--level=4", "white", str(board_file), str(tmp_path / "missing" / "out.txt")]) == 1
    assert capsys.readouterr().err.endswith("cannot be written: No such file or directory\n")


def test_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert "advance white|black IN OUT" in capsys.readouterr().out
    assert not Board(TRAPPED).has_legal_move(BLACK)
