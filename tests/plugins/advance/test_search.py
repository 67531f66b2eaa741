"""The champion: what its search keeps up with every move, and what it finds."""

from __future__ import annotations

from hypothesis import given, settings
from tests.plugins.advance.boards import played, scattered, turned

from tiltyard_advance.evaluation import shelter_of, worth_change, worth_of
from tiltyard_advance.levels import best_moves
from tiltyard_advance.positions import START
from tiltyard_advance.rules import WHITE, Board
from tiltyard_advance.search import Search
from tiltyard_advance.zobrist import key_change, key_of


@given(scattered() | played())
@settings(max_examples=50)
def test_keys_and_worths_follow_every_move(position: tuple[Board, int]) -> None:
    board, side = position
    key, worth = key_of(board, side), worth_of(board)
    seen = {board.text(): key}
    for move in board.legal_moves(side):
        new_key, new_worth = key ^ key_change(board.squares, move), worth + worth_change(board.squares, move)
        content = board.make(move)
        assert (new_key, new_worth) == (key_of(board, 1 - side), worth_of(board))
        assert seen.setdefault(board.text(), new_key) == new_key
        board.unmake(move, content)
    assert len(set(seen.values())) == len(seen)


@given(scattered())
def test_what_is_worth_something_to_the_one_costs_the_other(position: tuple[Board, int]) -> None:
    board, _ = position
    other = Board(turned(board.text()))
    assert (worth_of(other), shelter_of(other)) == (-worth_of(board), -shelter_of(board))


@given(played())
@settings(max_examples=5)
def test_it_keeps_to_level_seven_and_is_the_same_again(position: tuple[Board, int]) -> None:
    board, side = position
    text = board.text()
    moves = best_moves(board, side, 7)
    if not moves:
        return
    chosen = Search(board, 40_000).best(side, list(moves))
    assert chosen in moves
    assert (board.text(), Search(Board(text), 40_000).best(side, list(moves))) == (text, chosen)


def test_the_work_is_bounded() -> None:
    board = Board(START)
    candidates = best_moves(board, WHITE, 7)
    before = board.work
    Search(board, 200_000).best(WHITE, candidates)
    assert 200_000 <= board.work - before <= 200_000 + 500_000, "what it is at is finished: once the moves of level 7"
