"""Positions as they come up in games: two players who place whatever fits, anywhere."""

from __future__ import annotations

from random import Random

from hypothesis import strategies as st

from tiltyard_filler.pieces import PieceGenerator
from tiltyard_filler.positions import FillerPosition
from tiltyard_filler.rules import Board, legal_placements


@st.composite
def reached(draw: st.DrawFn, largest: int = 16) -> FillerPosition:
    """After some turns on a board of any size; often nothing fits any more."""
    width, height = draw(st.integers(1, largest)), draw(st.integers(1, largest))
    squares = width * height
    cells = bytearray(b"." * squares)
    starts = draw(st.lists(st.integers(0, squares - 1), min_size=1, max_size=4))
    for index, square in enumerate(starts):
        cells[square] = b"@$as"[index]
    return play_on(bytes(cells), width, height, draw(st.integers(0, 60)), draw(st.integers(-(1 << 40), 1 << 40)))


def play_on(cells: bytes, width: int, height: int, turns: int, seed: int) -> FillerPosition:
    """The position after ``turns`` turns in which each player takes a legal placement by lot, where there is one."""
    board, pieces, lots = Board(width, height, cells), PieceGenerator(seed, width, height), Random(seed)
    for turn in range(turns):
        piece, player = pieces.draw(), 1 + turn % 2
        legal = legal_placements(bytes(board.cells), width, height, player, piece.offsets)
        if legal:
            board.play(player, piece.offsets, *lots.choice(legal))
    return FillerPosition(width=width, height=height, board=bytes(board.cells), piece=pieces.draw(), player=1 + turns % 2)
