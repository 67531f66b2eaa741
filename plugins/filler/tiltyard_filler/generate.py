"""Boards to order, fair to both players: player 2 begins where player 1 does, the board turned half round."""

from __future__ import annotations

import random
from dataclasses import dataclass

from tiltyard_engine.errors import MapError
from tiltyard_filler.map_files import MAX_SQUARES, FillerMap, write_map


@dataclass(frozen=True, slots=True)
class MapWishes:
    """What a tournament may ask of its generated maps."""

    rows: int = 30
    cols: int = 40
    starts: int = 1
    """Start cells a player."""


def generate_map(wishes: MapWishes, seed: int, players: int) -> bytes:
    """A map's file, always the same for the same seed.

    Raises:
        MapError: there is no such board.
    """
    rows, cols, starts = wishes.rows, wishes.cols, wishes.starts
    squares = rows * cols
    if rows < 1 or cols < 1 or squares > MAX_SQUARES:
        raise MapError(f"a board of {cols} x {rows}: expected at least one row and column, and at most {MAX_SQUARES:,} squares")
    # The middle of an odd board is turned into itself.
    pairs = list(range(squares // 2))
    if not 1 <= starts <= len(pairs):
        raise MapError(f"{starts} start cells a player: a board of {cols} x {rows} has room for 1 to {len(pairs)}")
    lots = random.Random(seed)
    cells = bytearray(b"." * squares)
    for square in lots.sample(pairs, starts):
        own = square if lots.random() < 0.5 else squares - 1 - square
        cells[own], cells[squares - 1 - own] = b"@$"
    return write_map(FillerMap(cols, rows, bytes(cells)))
