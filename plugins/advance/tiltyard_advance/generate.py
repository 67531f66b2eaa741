"""Openings: the start position after a few legal moves by chance, always the same for a seed. Nothing is taken in them."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final

from tiltyard_advance.board_files import write_board_file
from tiltyard_advance.levels import winning_moves
from tiltyard_advance.rules import WHITE, Board
from tiltyard_advance.start import START
from tiltyard_engine.errors import MapError

MOST_PLIES: Final = 60
ATTEMPTS: Final = 1000


@dataclass(frozen=True, slots=True)
class MapWishes:
    """What an opening can be asked for."""

    plies: int = 6
    """Moves of both together, an even number: white moves first in every match."""


def generate_opening(plies: int, seed: int) -> str:
    """The board after so many moves, as 81 characters: nobody has taken or converted anything, and white cannot win at once.

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
    raise MapError(f"no opening of {plies} plies was found with the seed {seed}; ask for fewer")


def _play(board: Board, plies: int, chance: random.Random) -> bool:
    """Whether white can go on, but not win at once."""
    for ply in range(plies):
        quiet = [move for move in board.legal_moves(ply % 2) if not board.gain(move)]
        if not quiet:
            return False
        board.make(chance.choice(quiet))
    moves = board.legal_moves(WHITE)
    return bool(moves) and not winning_moves(board, WHITE, moves)


def generate_by_wishes(wishes: MapWishes, seed: int, seats: int) -> bytes:
    """A map file; see generate_opening."""
    return write_board_file(generate_opening(wishes.plies, seed))
