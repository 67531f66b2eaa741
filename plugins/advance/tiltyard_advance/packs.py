"""Packs of tests: a folder, a file, the course's folders, a recorded list, or the shipped pack; and how one is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any, Final

from tiltyard_advance.course_files import is_course_file, read_course_tests
from tiltyard_advance.level_tests import LevelTest, LevelTestError, read_tests, write_test
from tiltyard_advance.levels import LEVELS, best_moves
from tiltyard_advance.moves import boards_after
from tiltyard_advance.positions import SIDES
from tiltyard_advance.rules import Board
from tiltyard_engine.errors import UserError, file_errors, kind_of
from tiltyard_engine.errors.named_paths import refuse_address
from tiltyard_kit.conformance import MalformedFileError, list_of, read_json

SHIPPED: Final = "shipped_tests"
RECORDED: Final = (".json", ".json.gz")
"""Endings of lists of recorded positions, as ``tiltyard_advance.conformance`` has them."""
LARGEST: Final = 1 << 24
"""Bytes of a file of a pack."""


def shipped_pack() -> list[LevelTest]:
    """This project's own 200 tests: 25 as white and 25 as black of each level."""
    folder = resources.files("tiltyard_advance").joinpath(SHIPPED)
    return [
        test for level in LEVELS for test in read_tests(f"level-{level}.txt", folder.joinpath(f"level-{level}.txt").read_bytes())
    ]


def read_pack(path: Path) -> list[LevelTest]:
    """The tests of a folder and of the folders in it (files ``*.txt``, by name), or of one file; by level.

    Files that lie as the course's own do (``4/white/tests/0.txt``, ``4/white/answers/0.txt``) are boards and answers.

    Raises:
        UserError: there are none, one cannot be read, or two have one name.
    """
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.is_file() and file.name.endswith((".txt", *RECORDED)))
        of_course = [file for file in files if is_course_file(file)]
        others = [file for file in files if file not in set(of_course)]
        tests = read_course_tests(of_course)
        tests += [_named_after(test, path, file) for file in others for test in _read_file(file)]
        if not tests:
            raise UserError(
                f"{path}: contains no tests: expected *.txt files; make some with 'tiltyard advance generate-tests', "
                "or use the course's folders, such as 4/white/tests/0.txt with 4/white/answers/0.txt"
            )
    elif path.exists():
        tests = _read_file(path)
    else:
        refuse_address(str(path))
        raise UserError(f"{path}: no such file or folder; expected a folder or file of tests")
    _check_unique(path, tests)
    return sorted(tests, key=lambda test: test.level)


def write_pack(folder: Path, tests: Sequence[LevelTest]) -> None:
    """One file a test, ``level-4/white-01.txt`` and so on.

    Raises:
        UserError: the folder holds something already, or cannot be written.
    """
    with file_errors(folder, "written"):
        check_is_new(folder)
        for test in tests:
            file = folder / f"{test.name}.txt"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(write_test(replace(test, name="")), encoding="ascii")


def check_is_new(folder: Path) -> None:
    """Make sure that a pack can be written there without mixing with something else.

    Raises:
        UserError: the folder contains something.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"{folder}: already exists and is not empty; choose another folder, or remove it")


def pack_problem(test: LevelTest) -> str:
    """Why a test is none of its level: another board is right, or several are; empty where it is sound."""
    boards = right_boards(test.board, test.side, test.level)
    if boards == [test.expected]:
        return ""
    if test.expected in boards:
        return f"{test.name}: {len(boards)} boards are right at level {test.level}, expected exactly one"
    return f"{test.name}: another board is right at level {test.level}"


def right_boards(board: str, side: int, level: int) -> list[str]:
    """All boards that a level may answer with, sorted."""
    position = Board(board)
    return sorted(boards_after(position, best_moves(position, side, level)))


def _read_file(path: Path) -> list[LevelTest]:
    with file_errors(path, "read"):
        if path.stat().st_size > LARGEST:
            raise UserError(f"{path}: larger than {LARGEST:,} bytes, which is too large for a test file")
        return _read_recorded(path) if path.name.endswith(RECORDED) else read_tests(str(path), path.read_bytes())


def _read_recorded(path: Path) -> list[LevelTest]:
    """A list of ``{"level", "side", "board", "answer"}``, boards as nine lines; other keys are ignored."""
    try:
        records = list_of(read_json(path), '{"level", "side", "board", "answer"}')
    except MalformedFileError as error:
        raise LevelTestError(f"{path}: {error}") from error
    return [_recorded_test(path, number, each) for number, each in enumerate(records, start=1)]


def _recorded_test(path: Path, number: int, test: Any) -> LevelTest:
    where = f"{path}: test {number}"
    if not isinstance(test, Mapping):
        raise LevelTestError(f"{where}: expected an object, got {kind_of(test)}")
    for key in ("level", "side", "board", "answer"):
        if key not in test:
            raise LevelTestError(f"{where}: '{key}' is missing")
    boards = [test[key] if isinstance(test[key], list) else [] for key in ("board", "answer")]
    rows = [str(row) for board in boards for row in board]
    text = "\n".join([f"level: {test['level']}", f"side: {test['side']}", "board:", *rows[:9], "expected:", *rows[9:]])
    try:
        (level_test,) = read_tests("", text.encode("utf-8", "replace"))
    except LevelTestError as error:
        raise LevelTestError(f"{where}: {str(error).split(': ', 1)[1]}") from error
    return replace(level_test, name=f"level-{level_test.level}/{SIDES[level_test.side]}-{number:03}")


def _named_after(test: LevelTest, folder: Path, file: Path) -> LevelTest:
    """With the folder that its file lies in before its name."""
    inner = file.relative_to(folder).parent.as_posix()
    return test if inner == "." or test.name.startswith(f"{inner}/") else replace(test, name=f"{inner}/{test.name}")


def _check_unique(path: Path, tests: Sequence[LevelTest]) -> None:
    names = Counter(test.name for test in tests)
    twice = next((name for name, count in names.items() if count > 1), "")
    if twice:
        raise UserError(f"{path}: {names[twice]} tests are called '{twice}'; give each test its own name")
