"""The course's levels: own positions of each, and the slow model on positions by chance."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from tests.plugins.advance import slow_model
from tests.plugins.advance.boards import board_of, played, scattered, sparse, turned

from tiltyard_advance.levels import LEVELS, best_moves
from tiltyard_advance.moves import boards_after
from tiltyard_advance.positions import START
from tiltyard_advance.rules import BLACK, WHITE, Board

CASES = {
    "4: the only way out": (
        4,
        sparse("Ga9", "gi1", "mb1", "#b8", "md9"),
        sparse("Ga8", "gi1", "mb1", "#b8", "md9"),
    ),
    "5: trapped in the corner": (
        5,
        sparse("ga1", "Mc1", "Mh2", "Gi9"),
        None,
    ),
    "6: the Dragon, not the Zombie": (
        6,
        sparse("Ga9", "gi1", "Me9", "de2", "zh9"),
        sparse("Ga9", "gi1", "Me2", "zh9"),
    ),
    "6: converting counts twice": (
        6,
        sparse("Ga9", "gi1", "Je5", "me4", "Mc9", "dc2"),
        sparse("Ga9", "gi1", "Je5", "Me4", "Mc9", "dc2"),
    ),
}
FORK = board_of("..j....c. ......... ##b.g.... ......... .#....... #.#...#.. .G#...... #......## .....M...")
"""The course's example of level 7: the Miner must go to the top row, where it attacks Jester and Catapult."""


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("side", [WHITE, BLACK])
def test_positions_of_each_level(name: str, side: int) -> None:
    level, start, answer = CASES[name]
    board = Board(start if side == WHITE else turned(start))
    found = set(boards_after(board, best_moves(board, side, level)))
    expected = slow_model.best_boards(start, True, level)
    assert found == {text if side == WHITE else turned(text) for text in expected}
    assert answer is None or expected == {answer}


@pytest.mark.parametrize("side", [WHITE, BLACK])
def test_the_fork_of_the_courses_example(side: int) -> None:
    board = Board(FORK if side == WHITE else turned(FORK))
    answer = board_of("..j..M.c. ......... ##b.g.... ......... .#....... #.#...#.. .G#...... #......## .........")
    assert len(board.legal_moves(side)) == 20
    assert list(boards_after(board, best_moves(board, side, 7))) == [answer if side == WHITE else turned(answer)]


@given(scattered(most=5))
@settings(max_examples=25)
def test_scattered_boards_agree_with_the_slow_model(position: tuple[Board, int]) -> None:
    board, side = position
    # What the slow model takes grows with the fourth power of the moves.
    is_small = len(board.legal_moves(side)) * len(board.legal_moves(1 - side)) < 150
    for level in LEVELS if is_small else LEVELS[:3]:
        expected = slow_model.best_boards(board.text(), side == WHITE, level)
        assert set(boards_after(board, best_moves(board, side, level))) == expected


@given(played())
@settings(max_examples=10)
def test_levels_are_the_same_for_both_colours(position: tuple[Board, int]) -> None:
    board, side = position
    other = Board(turned(board.text()))
    for level in LEVELS:
        mine = set(boards_after(board, best_moves(board, side, level)))
        others = set(boards_after(other, best_moves(other, 1 - side, level)))
        assert others == {turned(text) for text in mine}
        assert len(mine) <= len(set(boards_after(board, board.legal_moves(side))))


def test_every_first_move_is_equally_good_but_for_those_that_lose_something() -> None:
    board = Board(START)
    assert 0 < len(best_moves(board, WHITE, 7)) <= len(best_moves(board, WHITE, 6)) == 43


def test_nobody_moves_who_is_trapped() -> None:
    trapped = sparse("ga1", "Mb9", "Mi2", "Gi9", "Mc1", "#b1")
    board = Board(trapped)
    assert not board.has_legal_move(BLACK)
    assert [best_moves(board, BLACK, level) for level in LEVELS] == [[], [], [], []]
