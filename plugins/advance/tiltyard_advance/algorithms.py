"""This project's own algorithms: the course's levels 4 to 7, and the champion."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial

from tiltyard_advance.choosing import choose_board
from tiltyard_advance.positions import AdvancePosition, Turn
from tiltyard_engine.turns import TurnAlgorithm


class OwnPlayer(TurnAlgorithm[AdvancePosition, Turn]):
    """Chance comes from the match's seed alone, so the same match is the same again."""

    def __init__(self, strength: str, seat: int) -> None:
        self.strength = strength

    def choose(self, position: AdvancePosition) -> Turn:
        """The board after the chosen move."""
        chance = random.Random(f"{position.seed} {position.ply} {position.board}")
        return Turn(choose_board(position.board, position.side, self.strength, chance))


def own_player(strength: str) -> Callable[[int], OwnPlayer]:
    """A factory for seats; see choosing.STRENGTHS."""
    return partial(OwnPlayer, strength)
