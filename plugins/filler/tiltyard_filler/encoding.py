"""Positions and placements as numbers, for agents in training."""

from __future__ import annotations

from typing import Final

from tiltyard_engine.learning import Observation, Spaces, TurnEncoding
from tiltyard_filler.map_files import FillerMap
from tiltyard_filler.positions import OWN_CELLS, FillerPosition, Placement
from tiltyard_filler.rules import legal_placements

PLANES: Final = 5
"""Own cells, the enemy's; of these the piece that each placed last; the piece to be placed now, in the upper left corner."""


def _marks(characters: bytes) -> bytes:
    """A table for ``bytes.translate``: 1 for these characters, 0 for all others."""
    return bytes(int(character in characters) for character in range(256))


_BOARD_PLANES: Final = tuple(
    tuple(_marks(characters) for characters in (OWN_CELLS[own], OWN_CELLS[enemy], OWN_CELLS[own][1:], OWN_CELLS[enemy][1:]))
    for own, enemy in ((0, 0), (1, 2), (2, 1))
)
"""By player, a table for each plane of the board."""


def spaces(board: FillerMap) -> Spaces:
    """Observations are five planes of the board's size. An action is the square of the piece's first cell, or giving up."""
    return Spaces(shape=(PLANES, board.height, board.width), actions=board.width * board.height + 1, high=1.0)


def observe(position: FillerPosition) -> Observation:
    """The board and the piece as planes of 0 and 1, seen by the player whose turn it is."""
    width, height = position.width, position.height
    offsets = position.piece.offsets
    planes = [position.board.translate(table) for table in _BOARD_PLANES[position.player]]
    piece = bytearray(width * height)
    if offsets:
        left, top = min(x for x, _ in offsets), min(y for _, y in offsets)
        for x, y in offsets:
            if x - left < width and y - top < height:
                piece[(y - top) * width + x - left] = 1
    placements = legal_placements(position.board, width, height, position.player, offsets)
    # Of the piece's cells, the first one in the order of the rows.
    legal = [(y + offsets[0][1]) * width + x + offsets[0][0] for x, y in placements]
    actions = width * height + 1
    return Observation((PLANES, height, width), b"".join([*planes, bytes(piece)]), actions, legal or (actions - 1,))


def answer(position: FillerPosition, action: int) -> Placement:
    """The placement with the piece's first cell on a square; for giving up, one that lies outside."""
    first = next(iter(position.piece.offsets), (0, 0))
    if action >= position.width * position.height:
        return Placement(position.width, position.height)
    return Placement(action % position.width - first[0], action // position.width - first[1])


ENCODING: Final = TurnEncoding(spaces=spaces, observe=observe, answer=answer)
