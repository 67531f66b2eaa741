"""What people type, and what they are told where it is no move."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from tests.plugins.advance.boards import played, sparse

from tiltyard_advance.positions import START
from tiltyard_advance.rules import BLACK, WHITE, Board
from tiltyard_advance.terminal.move_words import explain_refusal, list_moves, moves_between, parse_squares, words_of


@pytest.mark.parametrize("text", ["c8 c7", "c8c7", "C8-C7", " c8  ->  c7 ", "c8xc7"])
def test_ways_to_type_a_move(text: str) -> None:
    assert parse_squares(text) == (9 * 7 + 2, 9 * 6 + 2, "")


def test_a_piece_alone_and_a_letter() -> None:
    assert parse_squares("a1") == (0, -1, "")
    assert parse_squares("a8 a7 b") == (63, 54, "b")
    assert parse_squares("a8a7b") == (63, 54, "b")
    for text in ("", "hello", "j1 a1", "a0", "a1 a2 a3", "a1 a2 bb"):
        assert parse_squares(text) is None


@given(played())
@settings(max_examples=30)
def test_every_legal_move_has_words_of_its_own(position: tuple[Board, int]) -> None:
    board, side = position
    moves = board.legal_moves(side)
    assert len({words_of(move) for move in moves}) == len(moves)
    for move in moves:
        squares = parse_squares(words_of(move))
        assert squares is not None
        found = moves_between(moves, *squares)
        assert move in found
        assert found == [move] or len(found) == 2, "only a Builder's step and wall share their squares"


def refused(words: str, text: str = START, side: int = WHITE) -> str:
    board = Board(text)
    squares = parse_squares(words)
    assert squares is not None
    moves = board.legal_moves(side)
    assert not moves_between(moves, *squares)
    origin, target, letter = squares
    return explain_refusal(board, side, moves, origin, target, letter=letter)


def test_refusals_say_why() -> None:
    assert refused("e5 e4") == "e5 is empty; choose one of your own pieces"
    assert refused("b2 b3") == "the Zombie on b2 is your opponent's"
    assert refused("c8 c6") == "the Zombie on c8 cannot act on c6; type c8 to see what it can do"
    assert refused("a8 a7 s") == "the Builder cannot do 's' there; it can: m or b"
    danger = sparse("Ga9", "Mb9", "mi9", "ga1")
    assert refused("b9 b8", danger) == "b9 b8 would leave your General in danger"
    protected = sparse("Ga9", "Me5", "ze2", "se1", "gi1")
    assert refused("e5 e2", protected) == "the Miner on e5 cannot act on e2; a Sentinel protects what is there"
    assert refused("d2", sparse("Ga9", "gi1", "#d2")) == "d2 is a wall; choose one of your own pieces"


def test_the_list_of_moves() -> None:
    board = Board(sparse("Ga9", "Be5", "zf4", "Jb9", "gi1", "Ci9", "mi6"))
    lines = list_moves(board, board.legal_moves(WHITE))
    assert lines[0] == "B e5: d4 e4 d5 f5 d6 e6 f6; walls d4 e4 d5 f5 d6 e6 f6; takes f4"
    assert lines[1] == "G a9: a8 b8"
    assert lines[2] == "J b9: a8 b8 c8 c9; changes with a9"
    assert lines[3] == "C i9: i8 h9; shoots i6"
    assert list_moves(board, board.legal_moves(BLACK))[0].startswith("g i1: h1")
