"""The game's own algorithms by name, for the registry and for ``penguins-master``; and two that do not think ahead."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Final

from tiltyard_engine.turns import TurnAlgorithm
from tiltyard_penguins.champion import Champion
from tiltyard_penguins.positions import PASS, PLACEMENT, Move, PenguinsPosition, has_something_to_do
from tiltyard_penguins.rules import Board


class RandomPlayer(TurnAlgorithm[PenguinsPosition, Move]):
    """Any legal move, the same ones for the same game."""

    def __init__(self, seat: int) -> None:
        pass

    def choose(self, position: PenguinsPosition) -> Move:
        """A placement or a move."""
        board = position.board()
        if not has_something_to_do(position, board):
            return PASS
        chance = random.Random(position.cells)
        if position.phase == PLACEMENT:
            return Move(chance.choice(board.placements()))
        origin, target = chance.choice(board.moves(position.player))
        return Move(target, origin)


class GreedyPlayer(TurnAlgorithm[PenguinsPosition, Move]):
    """The most fish now; where several moves give as many, the one after which this penguin can take the most."""

    def __init__(self, seat: int) -> None:
        pass

    def choose(self, position: PenguinsPosition) -> Move:
        """A placement or a move."""
        board, player = position.board(), position.player
        if not has_something_to_do(position, board):
            return PASS
        if position.phase == PLACEMENT:
            return Move(max(board.placements(), key=lambda square: (_fish_around(board, square), -square)))
        return _best_move(board, player)


def _best_move(board: Board, player: int) -> Move:
    best, best_value = PASS, (-1, -1)
    for origin, target in board.moves(player):
        fish = board.squares[target]
        if fish < best_value[0]:
            continue
        board.move(player, origin, target)
        value = (fish, _fish_around(board, target))
        board.undo()
        if value > best_value:
            best, best_value = Move(target, origin), value
    return best


def _fish_around(board: Board, square: int) -> int:
    """All fish that a penguin there could take with its next move, one way or another."""
    return sum(board.squares[target] for target in board.targets(square))


ALGORITHMS: Final[Mapping[str, tuple[Callable[[int], TurnAlgorithm[PenguinsPosition, Move]], str]]] = {
    "penguins-random": (RandomPlayer, "makes a random legal move"),
    "penguins-greedy": (GreedyPlayer, "takes as many fish as it can at once"),
    "penguins-champion": (Champion, "claims territory, searches, and plans its last moves"),
}
"""Each with a line that says what it is."""
