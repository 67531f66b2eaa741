"""What a quiet position is worth to the champion. Plain typed Python that mypyc compiles as it is.

The worth of a piece is how much it helps to win, in hundredths, and a little for where it stands. ``WORTHS`` holds it for every
content of a square on every square, white's positive, so that the search can keep the sum up with every move.
"""

from __future__ import annotations

from typing import Final

from tiltyard_advance.rules import (
    BUILD,
    BUILDER,
    CATAPULT,
    CELLS,
    DRAGON,
    GENERAL,
    JESTER,
    MINER,
    MOVE,
    SENTINEL,
    SHOOT,
    SIZE,
    SQUARES,
    SWAP,
    ZOMBIE,
    Board,
)

UNIT: Final = 100
"""About one point of material."""
PIECES: Final[list[int]] = [0, 220, 450, 600, 380, 530, 760, 340, 0]
"""By kind: how much a piece helps to win, which is not its material: a Jester turns others, a Dragon is helpless at close range.

From a logistic regression of results on what both sides had in quiet positions, in 240 games of level 7 against itself from
openings by chance; rounded, the Dragon's raised, for the champion uses it better.
"""
CENTRAL: Final[list[int]] = [0, 0, 15, 15, 0, 2, 5, 0, 4]
"""By kind: what each step nearer to the centre is worth; in part from the same games."""
ADVANCED: Final[list[int]] = [0, -3, -5, -5, 8, 8, 10, 6, -6]
"""By kind: what each line nearer to the enemy is worth."""
SHELTER: Final = 60
"""For a General whom a Sentinel of its own protects: nothing can endanger it."""


def _worth(kind: int, line: int, column: int) -> int:
    """Of a piece ``line`` lines from its own back row."""
    middle = SIZE // 2
    distance = max(abs(line - middle), abs(column - middle))
    worth = PIECES[kind] + CENTRAL[kind] * (middle - distance) + ADVANCED[kind] * line
    if kind == ZOMBIE and line == SIZE - 1:
        # It will never move again.
        worth -= UNIT // 4
    return worth


def _worths() -> list[int]:
    worths = [0] * ((GENERAL + 9) * CELLS + CELLS * 2)
    for kind in (ZOMBIE, BUILDER, JESTER, MINER, SENTINEL, CATAPULT, DRAGON, GENERAL):
        for place, square in enumerate(SQUARES):
            row, column = place // SIZE, place % SIZE
            worths[kind * CELLS + square] = _worth(kind, SIZE - 1 - row, column)
            worths[(kind + 8) * CELLS + square] = -_worth(kind, row, column)
    return worths


WORTHS: Final[list[int]] = _worths()
"""By ``CELLS * content + square``."""


def worth_of(board: Board) -> int:
    """The sum over all squares, white's positive."""
    total = 0
    for square in SQUARES:
        total += WORTHS[CELLS * board.squares[square] + square]
    return total


def worth_change(squares: list[int], move: int) -> int:
    """By how much a move that has not been played yet changes ``worth_of``."""
    what, origin, target = move >> 16, move >> 8 & 255, move & 255
    if what == BUILD:
        return 0
    content = squares[target]
    loss = WORTHS[CELLS * content + target]
    if what == SHOOT:
        return -loss
    if what in (MOVE, SWAP):
        piece = squares[origin]
        change = WORTHS[CELLS * piece + target] - WORTHS[CELLS * piece + origin] - loss
        return change + WORTHS[CELLS * content + origin] if what == SWAP else change
    converted_content = content - 8 if content > GENERAL else content + 8
    return WORTHS[CELLS * converted_content + target] - loss


def shelter_of(board: Board) -> int:
    """What the Generals' Sentinels are worth, white's positive."""
    total = 0
    if board.is_protected(board.generals[0], 0):
        total += SHELTER
    if board.is_protected(board.generals[1], 1):
        total -= SHELTER
    return total
