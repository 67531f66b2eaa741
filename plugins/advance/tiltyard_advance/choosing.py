"""One move by a name of strength: a level of the course, or the champion."""

from __future__ import annotations

import random
from typing import Final

from tiltyard_advance.levels import LEVELS, best_moves
from tiltyard_advance.moves import boards_after
from tiltyard_advance.rules import Board
from tiltyard_advance.search import choose_as_champion

CHAMPION: Final = "champion"
STRENGTHS: Final = (CHAMPION, *map(str, LEVELS))


def choose_board(text: str, side: int, strength: str, chance: random.Random) -> str:
    """The board after the chosen move, as 81 characters; empty where there is no legal move.

    A level chooses by ``chance`` among all the boards that it holds for equally good; the champion always chooses the same.
    """
    board = Board(text)
    moves = best_moves(board, side, 7 if strength == CHAMPION else int(strength))
    if strength == CHAMPION and len(moves) > 1:
        moves = [choose_as_champion(board, side, moves)]
    boards = sorted(boards_after(board, moves))
    return chance.choice(boards) if boards else ""
