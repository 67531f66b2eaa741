"""One move by a name of strength: a level of the course, or the champion; and these as algorithms."""

from __future__ import annotations

import random
from typing import Final

from tiltyard_advance.levels import LEVELS, best_moves
from tiltyard_advance.moves import boards_after
from tiltyard_advance.positions import AdvancePosition, Turn
from tiltyard_advance.rules import Board
from tiltyard_advance.search import choose_as_champion
from tiltyard_engine.turns import TurnAlgorithm

CHAMPION: Final = "champion"
STRENGTHS: Final = (CHAMPION, *map(str, LEVELS))


def choose_board(text: str, side: int, strength: str, chance: random.Random) -> str:
    """The board after the chosen move, as 81 characters; empty where there is no legal move.

    A level chooses by ``chance`` among all the boards that are equally good to it; the champion always chooses the same.
    """
    board = Board(text)
    moves = best_moves(board, side, 7 if strength == CHAMPION else int(strength))
    if strength == CHAMPION and len(moves) > 1:
        moves = [choose_as_champion(board, side, moves)]
    boards = sorted(boards_after(board, moves))
    return chance.choice(boards) if boards else ""


class OwnPlayer(TurnAlgorithm[AdvancePosition, Turn]):
    """Chance comes only from the match's seed, so the same match is the same again."""

    def __init__(self, strength: str, seat: int) -> None:
        self.strength = strength

    def choose(self, position: AdvancePosition) -> Turn:
        """The board after the chosen move."""
        chance = random.Random(f"{position.seed} {position.ply} {position.board}")
        return Turn(choose_board(position.board, position.side, self.strength, chance))
