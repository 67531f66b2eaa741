"""Tests in the course's own form: a board in ``4/white/tests/0.txt``, and the one right board in ``4/white/answers/0.txt``."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tiltyard_advance.board_files import BoardFileError, read_board_file
from tiltyard_advance.level_tests import LevelTest, LevelTestError, unreachable
from tiltyard_advance.levels import LEVELS
from tiltyard_advance.positions import SIDES
from tiltyard_engine.errors import file_errors

TESTS: Final = "tests"
ANSWERS: Final = "answers"
LARGEST: Final = 1 << 16
"""Bytes of a board's file; a board takes a hundred."""


def is_course_file(path: Path) -> bool:
    """Whether a file's place is that of a board or an answer of the course, such as ``4/white/tests/0.txt``."""
    level, side, kind = ("", "", "", *path.resolve().parts)[-4:-1]
    return level in map(str, LEVELS) and side.lower() in SIDES and kind in (TESTS, ANSWERS)


def read_course_tests(files: list[Path]) -> list[LevelTest]:
    """The tests that such files make up, in the order of their numbers, called ``4/white/0`` and so on.

    Raises:
        LevelTestError: a file is no board, a board has no answer, an answer has no board, or no legal move leads to it.
    """
    boards = [path for path in files if path.parent.name == TESTS]
    there = set(files)
    for path in files:
        other = _partner(path)
        if other not in there:
            missing = "the board" if path.parent.name == ANSWERS else "the answer"
            raise LevelTestError(f"{path}: {missing} of this test is missing: expected it in {other}")
    return [_read(path) for path in sorted(boards, key=_order)]


def _read(path: Path) -> LevelTest:
    level, side, _, _ = path.resolve().parts[-4:]
    answer = _partner(path)
    board, expected = _board(path), _board(answer)
    name = f"{level}/{side.lower()}/{path.stem}"
    test = LevelTest(int(level), SIDES.index(side.lower()), board, expected, name)
    if message := unreachable(test):
        raise LevelTestError(f"{answer}: {message}")
    return test


def _board(path: Path) -> str:
    with file_errors(path, "read"), path.open("rb") as file:
        data = file.read(LARGEST)
    try:
        return read_board_file(data)
    except BoardFileError as error:
        raise LevelTestError(f"{path}: {error}") from error


def _partner(path: Path) -> Path:
    """The answer of a board, the board of an answer."""
    return path.parent.parent / (ANSWERS if path.parent.name == TESTS else TESTS) / path.name


def _order(path: Path) -> tuple[Path, int, str]:
    """Numbers by their size: 2 before 10."""
    return path.parent, int(path.stem) if path.stem.isdecimal() else -1, path.stem
