"""Maps of matches: a board file with the position that a game begins with. White moves first. Generated maps are openings."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import Final

from tiltyard_advance.board_files import BoardFileError, read_board_file, write_board_file
from tiltyard_advance.levels import winning_moves
from tiltyard_advance.positions import START
from tiltyard_advance.rules import BLACK, WHITE, Board
from tiltyard_engine.errors import MapError

PLIES: Final = 200
"""Moves of both together, 100 of each; then material decides."""
MOST_PLIES: Final = 60
"""Of an opening."""
ATTEMPTS: Final = 1000


@dataclass(frozen=True, slots=True)
class AdvanceMap:
    """A start position, and when the game ends by material."""

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
        raise MapError(f"{name}: black's General is in danger although white moves first")
    if not board.has_legal_move(WHITE):
        raise MapError(f"{name}: white moves first, but has no legal move")
    return AdvanceMap(text)


def truncate(board: AdvanceMap, rounds: int) -> AdvanceMap:
    """A map's file changed so that material decides after at most ``rounds`` plies."""
    return replace(board, plies=min(board.plies, rounds))


@dataclass(frozen=True, slots=True)
class MapOptions:
    """What an opening can be asked for."""

    plies: int = 6
    """Moves of both together, an even number: white moves first in every match."""


def generate_opening(plies: int, seed: int) -> str:
    """The start position after ``plies`` random moves, as 81 characters; the same for the same seed.

    Nobody has taken or converted anything, and white cannot win at once.

    Raises:
        MapError: the number of plies is odd, negative or too large.
    """
    if plies % 2 or not 0 <= plies <= MOST_PLIES:
        raise MapError(f"plies is {plies}, expected an even number from 0 to {MOST_PLIES}")
    chance = random.Random(seed)
    for _ in range(ATTEMPTS):
        board = Board(START)
        if _play(board, plies, chance):
            return board.text()
    raise MapError(f"found no opening of {plies} plies with the seed {seed}; ask for fewer plies")


def _play(board: Board, plies: int, chance: random.Random) -> bool:
    """Whether white can go on, but not win at once."""
    for ply in range(plies):
        quiet = [move for move in board.legal_moves(ply % 2) if not board.gain(move)]
        if not quiet:
            return False
        board.make(chance.choice(quiet))
    moves = board.legal_moves(WHITE)
    return bool(moves) and not winning_moves(board, WHITE, moves)


def generate_map(options: MapOptions, seed: int, seats: int) -> bytes:
    """A map file; see generate_opening."""
    return write_board_file(generate_opening(options.plies, seed))
