"""The course's own folders of tests are packs as they are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.plugins.advance.boards import sparse, turned
from typer.testing import CliRunner

from tiltyard_advance import pack_commands
from tiltyard_advance.board_files import rows_of
from tiltyard_advance.level_tests import LevelTest, LevelTestError
from tiltyard_advance.packs import read_pack

BOARD = sparse("Ge9", "ge1", "Za5", "zb4")
TAKEN = sparse("Ge9", "ge1", "Zb4")


def write(path: Path, board: str) -> None:
    """As the course's files are: CR LF, also after the last line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes("".join(f"{row}\r\n" for row in rows_of(board)).encode())


def course(folder: Path, level: int = 6, side: str = "white", number: int = 0) -> Path:
    board, taken = (BOARD, TAKEN) if side == "white" else (turned(BOARD), turned(TAKEN))
    where = folder / str(level) / side
    write(where / "tests" / f"{number}.txt", board)
    write(where / "answers" / f"{number}.txt", taken)
    return where


def test_the_courses_folders_are_a_pack(tmp_path: Path) -> None:
    for number in (0, 2, 10):
        course(tmp_path, number=number)
    course(tmp_path, side="black")
    found = read_pack(tmp_path)
    assert [test.name for test in found] == ["6/black/0", "6/white/0", "6/white/2", "6/white/10"]
    assert found[0] == LevelTest(6, 1, turned(BOARD), turned(TAKEN))
    assert set(found[1:]) == {LevelTest(6, 0, BOARD, TAKEN)}


def test_a_part_of_them_is_one_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    where = course(tmp_path)
    monkeypatch.chdir(where)
    assert read_pack(Path()) == read_pack(where) == read_pack(tmp_path) == [LevelTest(6, 0, BOARD, TAKEN)]


def test_check_tests_takes_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    course(tmp_path / "tests")
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(pack_commands.app, ["check-tests", "tests"])
    assert (result.exit_code, result.stdout) == (0, "tests: 1 tests (level 6: 1); 1 correct, 0 wrong\n")


def test_what_is_wrong_is_told_with_its_file(tmp_path: Path) -> None:
    where = course(tmp_path)
    board, answer = where / "tests" / "0.txt", where / "answers" / "0.txt"
    answer.unlink()
    with pytest.raises(LevelTestError, match=f"{re.escape(str(board))}: the answer of this test is missing: .*answers/0.txt"):
        read_pack(tmp_path)
    board.rename(answer)
    with pytest.raises(LevelTestError, match=f"{re.escape(str(answer))}: the board of this test is missing: .*tests/0.txt"):
        read_pack(tmp_path)
    course(tmp_path)
    answer.write_text("what?")
    with pytest.raises(LevelTestError, match=f"{re.escape(str(answer))}: line 1, column 1: bad character"):
        read_pack(tmp_path)
    write(answer, sparse("Ga1", "ge1", "Zb4"))
    with pytest.raises(LevelTestError, match=f"{re.escape(str(answer))}: no legal move of white leads to this board"):
        read_pack(tmp_path)
