"""Maps of matches: a board file with the position that a game begins with. White moves first."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from tiltyard_advance.board_files import BoardFileError, read_board_file
from tiltyard_advance.rules import BLACK, WHITE, Board
from tiltyard_engine.errors import MapError

PLIES: Final = 200
"""After so many moves of both together, 100 of each, material decides."""


@dataclass(frozen=True, slots=True)
class AdvanceMap:
    """A start position."""

    board: str
    """81 characters, line 1 first."""
    plies: int = PLIES
    """When material decides."""


def read_map(name: str, data: bytes, seats: int = 2) -> AdvanceMap:
    """A position in which white can move and black is not in danger.

    Raises:
        MapError: says what is wrong with it.
    """
    try:
        text = read_board_file(data)
    except BoardFileError as error:
        raise MapError(f"{name}: {error}") from error
    board = Board(text)
    if board.in_danger(BLACK):
        raise MapError(f"{name}: black's General is in danger, but white moves first and cannot capture it")
    if not board.has_legal_move(WHITE):
        raise MapError(f"{name}: white moves first, but has no legal move")
    return AdvanceMap(text)


def truncate(board: AdvanceMap, rounds: int) -> AdvanceMap:
    """The same map, decided by material after so many plies."""
    return replace(board, plies=min(board.plies, rounds))
