"""Numbers that stand for positions, as the search's tables need them. Plain typed Python that mypyc compiles as it is.

A position's key is the exclusive or of one number for each piece and wall on its square, and one for black's turn; a move changes
few of them.
"""

from __future__ import annotations

import random
from typing import Final

from tiltyard_advance.rules import BUILD, CELLS, EMPTY, GENERAL, MOVE, OUTSIDE, SHOOT, SQUARES, SWAP, WALL, WHITE, Board


def _keys() -> list[int]:
    chance = random.Random("advance")
    # Below 62 bits compiled code needs no long integers.
    return [chance.getrandbits(60) if cell >= CELLS else 0 for cell in range(OUTSIDE * CELLS)]


KEYS: Final[list[int]] = _keys()
"""By ``CELLS * content + square``; an empty square has none."""
BLACK_TO_MOVE: Final[int] = random.Random("black").getrandbits(60)


def key_of(board: Board, side: int) -> int:
    """The key of a board on which ``side`` is to move."""
    key = 0 if side == WHITE else BLACK_TO_MOVE
    for square in SQUARES:
        content = board.squares[square]
        if content != EMPTY:
            key ^= KEYS[CELLS * content + square]
    return key


def key_change(squares: list[int], move: int) -> int:
    """What the key is to be joined with by exclusive or for a move that has not been played yet."""
    what, origin, target = move >> 16, move >> 8 & 255, move & 255
    if what == BUILD:
        return BLACK_TO_MOVE ^ KEYS[CELLS * WALL + target]
    content = squares[target]
    change = BLACK_TO_MOVE ^ KEYS[CELLS * content + target]
    if what == SHOOT:
        return change
    if what in (MOVE, SWAP):
        piece = squares[origin]
        change ^= KEYS[CELLS * piece + origin] ^ KEYS[CELLS * piece + target]
        return change ^ KEYS[CELLS * content + origin] if what == SWAP else change
    converted_content = content - 8 if content > GENERAL else content + 8
    return change ^ KEYS[CELLS * converted_content + target]
