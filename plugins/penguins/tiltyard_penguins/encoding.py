"""Positions and moves as numbers, for agents in training."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tiltyard_engine.learning import Observation, Spaces, TurnEncoding
from tiltyard_penguins.map_files import PenguinsMap
from tiltyard_penguins.positions import MOVEMENT, PASS, Move, PenguinsPosition, has_something_to_do
from tiltyard_penguins.rules import MOST_FISH, MOST_PLAYERS

PLANES: Final = MOST_FISH + 4
"""Free floes with one, two and three fish; the own penguins, those of the next player, those of all others; all 1 in the movement
phase."""

_FISH_TABLES: Final = tuple(bytes(int(cell == 10 * fish) for cell in range(256)) for fish in range(1, MOST_FISH + 1))
"""For ``bytes.translate``."""


def spaces(board: PenguinsMap) -> Spaces:
    """Observations are seven planes of the board's size.

    Actions are, in this order: a placement on each square; for each square of a penguin, the slides to each column of its row, then
    those to each row of its column; and passing.
    """
    return Spaces(shape=(PLANES, board.rows, board.columns), actions=_actions(board.rows, board.columns), high=1.0)


def observe(position: PenguinsPosition) -> Observation:
    """The board as planes of 0 and 1, seen by the player whose turn it is."""
    rows, columns, cells = position.rows, position.columns, position.cells
    own = position.player
    following = position.order[1:2]
    others = set(range(1, MOST_PLAYERS + 1)).difference((own, *following))
    planes = [
        *(cells.translate(table) for table in _FISH_TABLES),
        *(cells.translate(_penguins(numbers)) for numbers in ((own,), following, others)),
        bytes([position.phase == MOVEMENT]) * len(cells),
    ]
    return Observation((PLANES, rows, columns), b"".join(planes), _actions(rows, columns), _legal(position))


def _penguins(numbers: Iterable[int]) -> bytes:
    """A table for ``bytes.translate``: 1 for the penguins of these players."""
    table = bytearray(256)
    for number in numbers:
        table[number] = 1
    return bytes(table)


def answer(position: PenguinsPosition, action: int) -> Move:
    """The move; it need not be legal."""
    rows, columns = position.rows, position.columns
    squares = rows * columns
    if action < squares:
        return Move(action)
    origin, line = divmod(action - squares, rows + columns)
    if origin >= squares:
        return PASS
    target = origin - origin % columns + line if line < columns else (line - columns) * columns + origin % columns
    return Move(target, origin)


def _actions(rows: int, columns: int) -> int:
    return rows * columns * (1 + rows + columns) + 1


def _legal(position: PenguinsPosition) -> list[int]:
    rows, columns, board = position.rows, position.columns, position.board()
    if not has_something_to_do(position, board):
        return [_actions(rows, columns) - 1]
    if position.phase != MOVEMENT:
        return board.placements()
    legal: list[int] = []
    for origin, target in board.moves(position.player):
        in_row = origin // columns == target // columns
        legal.append(rows * columns + origin * (rows + columns) + (target % columns if in_row else columns + target // columns))
    return legal


ENCODING: Final = TurnEncoding(spaces=spaces, observe=observe, answer=answer)
