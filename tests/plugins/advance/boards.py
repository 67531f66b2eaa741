"""Boards for tests: written out, reached by chance, turned round."""

from __future__ import annotations

import random

from hypothesis import strategies as st

from tiltyard_advance.positions import START
from tiltyard_advance.rules import BLACK, WHITE, Board

EMPTY = "." * 81


def board_of(lines: str) -> str:
    """81 characters of nine words."""
    text = "".join(lines.split())
    assert len(text) == 81
    return text


def sparse(*pieces: str) -> str:
    """An otherwise empty board: ``Zc8`` is a Zombie in column c of line 8."""
    text = list(EMPTY)
    for piece in pieces:
        text["abcdefghi".index(piece[1]) + 9 * (int(piece[2]) - 1)] = piece[0]
    return "".join(text)


def turned(text: str) -> str:
    """By half a turn, with the colours exchanged."""
    return text[::-1].swapcase()


@st.composite
def played(draw: st.DrawFn) -> tuple[Board, int]:
    """A board after some legal moves by chance, rather captures than others, and whose turn it is."""
    chance = random.Random(draw(st.integers(0, 1 << 30)))
    plies = draw(st.integers(0, 120))
    board = Board(START)
    for ply in range(plies):
        moves = board.legal_moves(ply % 2)
        if not moves:
            return board, ply % 2
        gains = [move for move in moves if board.gain(move)]
        board.make(chance.choice(gains if gains and chance.random() < 0.3 else moves))
    return board, plies % 2


@st.composite
def scattered(draw: st.DrawFn, most: int = 16) -> tuple[Board, int]:
    """Few pieces anywhere, walls among them; the side that is not to move is not in danger."""
    chance = random.Random(draw(st.integers(0, 1 << 30)))
    while True:
        pieces = ["G", "g", *chance.choices("ZBJMSCDzbjmscd#", k=draw(st.integers(2, most)))]
        text = list(EMPTY)
        for place, piece in zip(chance.sample(range(81), len(pieces)), pieces):
            text[place] = piece
        board = Board("".join(text))
        for side in (WHITE, BLACK):
            if not board.in_danger(1 - side):
                return board, side
