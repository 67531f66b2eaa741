"""Positions and moves as numbers, for agents in training.

A player always sees itself as white: for black the board is turned by half a turn and the colours are exchanged, which is the same
game. Squares are places from 0 to 80 of the board as the player sees it.
"""

from __future__ import annotations

from typing import Final

from tiltyard_advance.map_files import AdvanceMap
from tiltyard_advance.positions import AdvancePosition, Turn, turn_after
from tiltyard_advance.rules import AROUND, BUILD, CHARACTERS, GENERAL, PLACES, SIZE, SQUARES, WALL, WHITE, Board
from tiltyard_engine.learning import Observation, Spaces, TurnEncoding

PLACES_COUNT: Final = len(SQUARES)
LAST_PLACE: Final = PLACES_COUNT - 1
PLANES: Final = WALL
"""The eight kinds of own pieces, the eight of the enemy's, walls."""
BUILDS: Final = PLACES_COUNT * PLACES_COUNT
"""Actions below this are an origin and a target: ``81 * origin + target``. From here on a Builder builds: ``8 * origin +
direction``, with the directions row by row."""
ACTIONS: Final = BUILDS + PLACES_COUNT * len(AROUND)

_TABLES: Final = tuple(bytes(int(character == ord(symbol)) for character in range(256)) for symbol in CHARACTERS[1 : PLANES + 1])
"""A table for ``bytes.translate`` for each plane."""


def spaces(_board: AdvanceMap) -> Spaces:
    """Observations are 17 planes of 9 by 9."""
    return Spaces(shape=(PLANES, SIZE, SIZE), actions=ACTIONS, high=1.0)


def observe(position: AdvancePosition) -> Observation:
    """The board as planes of 0 and 1."""
    text = position.board if position.side == WHITE else position.board[::-1].swapcase()
    cells = text.encode("ascii")
    legal = sorted({_action(move, position.side) for move in Board(position.board).legal_moves(position.side)})
    return Observation((PLANES, SIZE, SIZE), b"".join([cells.translate(table) for table in _TABLES]), ACTIONS, legal)


def answer(position: AdvancePosition, action: int) -> Turn:
    """The board after the move; for an action that isn't legal, the board as it was."""
    board, moves = Board(position.board), list[int]()
    place = action // PLACES_COUNT if action < BUILDS else (action - BUILDS) // len(AROUND)
    origin = SQUARES[place if position.side == WHITE else LAST_PLACE - place]
    first = GENERAL * position.side + 1
    if first <= board.squares[origin] < first + GENERAL:
        # Also those that leave the own General in danger; the rules reject these.
        board.add_moves(origin, moves)
    move = next((move for move in moves if _action(move, position.side) == action), None)
    return Turn(position.board) if move is None else turn_after(board, move)


def _action(move: int, side: int) -> int:
    """The action of a move: where pieces move, shoot, swap and convert, the piece and the target tell which of it they do."""
    what, origin, target = move >> 16, move >> 8 & 255, move & 255
    start, end, step = PLACES[origin], PLACES[target], target - origin
    if side != WHITE:
        start, end, step = LAST_PLACE - start, LAST_PLACE - end, -step
    if what == BUILD:
        return BUILDS + len(AROUND) * start + AROUND.index(step)
    return PLACES_COUNT * start + end


ENCODING: Final = TurnEncoding(spaces=spaces, observe=observe, answer=answer)
