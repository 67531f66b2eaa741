"""Packs: the shipped one is sound and varied; folders, files and recorded lists are read; what is wrong is told."""

from __future__ import annotations

import json
import os
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest
from tests.plugins.advance.boards import sparse, turned

from tiltyard_advance.board_files import rows_of
from tiltyard_advance.level_tests import LevelTest, write_test
from tiltyard_advance.levels import LEVELS
from tiltyard_advance.pack_generator import LEAST_APART, squares_apart
from tiltyard_advance.packs import SHIPPED, pack_problem, read_pack, right_boards, shipped_pack, write_pack
from tiltyard_advance.rules import Board
from tiltyard_engine.errors import UserError

CONFORMANCE = Path(os.environ.get("TILTYARD_CONFORMANCE", Path(__file__).parents[4] / "shared" / "conformance"))
BOARD = sparse("Ge9", "ge1", "Za5", "zb4")
TAKEN = sparse("Ge9", "ge1", "Zb4")
TEST = LevelTest(6, 0, BOARD, TAKEN, "level-6/white-01")
OTHER = LevelTest(6, 1, turned(BOARD), turned(TAKEN), "level-6/black-01")


@pytest.fixture(scope="module")
def shipped() -> list[LevelTest]:
    return shipped_pack()


def test_the_shipped_pack_has_25_tests_of_each_level_and_side(shipped: list[LevelTest]) -> None:
    assert Counter((test.level, test.side) for test in shipped) == {(level, side): 25 for level in LEVELS for side in (0, 1)}
    assert len({test.name for test in shipped}) == len(set(shipped)) == 200


def test_the_shipped_pack_is_small() -> None:
    import tiltyard_advance

    folder = Path(str(tiltyard_advance.__file__)).parent / SHIPPED
    assert sum(file.stat().st_size for file in folder.iterdir()) < 60_000


@pytest.mark.parametrize("level", LEVELS)
def test_every_shipped_answer_is_the_only_right_one(shipped: list[LevelTest], level: int) -> None:
    problems = [pack_problem(test) for test in shipped if test.level == level]
    assert problems == [""] * 50


@pytest.mark.parametrize("level", LEVELS)
def test_a_shipped_test_asks_for_its_level(shipped: list[LevelTest], level: int) -> None:
    for test in shipped:
        if test.level == level:
            moves = Board(test.board).legal_moves(test.side)
            assert (len(right_boards(test.board, test.side, 4)) == 1) == (level == 4)
            assert moves
            if level > 4:
                assert (right_boards(test.board, test.side, 5) == [test.expected]) == (level == 5)
            if level == 7:
                assert len(right_boards(test.board, test.side, 6)) > 1


@pytest.mark.parametrize("level", LEVELS)
def test_no_two_shipped_boards_of_a_level_are_much_alike(shipped: list[LevelTest], level: int) -> None:
    boards = [test.board for test in shipped if test.level == level]
    assert min(squares_apart(one, other) for one, other in combinations(boards, 2)) >= LEAST_APART


def test_a_folder_and_the_folders_in_it(tmp_path: Path) -> None:
    write_pack(tmp_path / "pack", [TEST, OTHER])
    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.txt")) == [
        "pack/level-6/black-01.txt",
        "pack/level-6/white-01.txt",
    ]
    (tmp_path / "pack" / "read me").write_text("not a test")
    found = read_pack(tmp_path / "pack")
    assert found == [OTHER, TEST]
    assert [test.name for test in found] == [OTHER.name, TEST.name]
    assert read_pack(tmp_path / "pack" / "level-6" / "white-01.txt") == [TEST]


def test_a_recorded_list(tmp_path: Path) -> None:
    path = tmp_path / "recorded.json"
    value = {"level": 6, "side": "white", "board": rows_of(BOARD), "answer": rows_of(TAKEN), "more": 1}
    path.write_text(json.dumps([value]))
    assert read_pack(path) == [TEST]
    for text, message in (
        ("{", "recorded.json: not JSON"),
        ("{}", "recorded.json: expected a JSON list of .*, got an object"),
        ("[1]", "recorded.json: test 1: expected an object, got an integer"),
        (json.dumps([{**value, "level": 9}]), "recorded.json: test 1: the level is '9'"),
        (json.dumps([value, {"level": 6}]), "recorded.json: test 2: 'side' is missing"),
        (json.dumps([{**value, "board": 7}]), "recorded.json: test 1: "),
        (json.dumps([{**value, "answer": None}]), "recorded.json: test 1: "),
    ):
        path.write_text(text)
        with pytest.raises(UserError, match=message):
            read_pack(path)


def test_the_courses_recorded_positions_can_be_a_pack() -> None:
    path = CONFORMANCE / "advance" / "positions.json.gz"
    if not path.exists():
        pytest.skip("the conformance folder is not here")
    assert Counter(test.level for test in read_pack(path)) == {4: 25, 5: 25, 6: 25, 7: 25}


def test_what_is_wrong_with_a_pack(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such file or folder"):
        read_pack(tmp_path / "missing")
    with pytest.raises(UserError, match="contains no tests: expected"):
        read_pack(tmp_path)
    (tmp_path / "a.txt").write_text(write_test(TEST))
    (tmp_path / "b.txt").write_text(write_test(TEST))
    with pytest.raises(UserError, match="2 tests are called 'level-6/white-01'"):
        read_pack(tmp_path)
    # The course's own tests have one twice.
    (tmp_path / "b.txt").write_text(write_test(LevelTest(6, 0, BOARD, TAKEN)))
    assert len(read_pack(tmp_path)) == 2
    (tmp_path / "c.json").write_text(json.dumps([{"level": 6, "side": "\ud800", "board": [], "answer": []}]))
    with pytest.raises(UserError, match=r"c\.json: test 1: .*side"):
        read_pack(tmp_path)
    with pytest.raises(UserError, match="already exists and is not empty"):
        write_pack(tmp_path, [TEST])
    with pytest.raises(UserError, match="cannot be written"):
        write_pack(tmp_path / "a.txt" / "below", [TEST])


def test_a_test_that_is_none_of_its_level_says_why() -> None:
    assert pack_problem(TEST) == ""
    assert "another board is right at level 6" in pack_problem(LevelTest(6, 0, BOARD, sparse("Gd9", "ge1", "Za5", "zb4"), "x"))
    assert "boards are right at level 4" in pack_problem(LevelTest(4, 0, BOARD, TAKEN, "x"))
