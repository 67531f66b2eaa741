"""Random boards as the course's game master makes them: one island of two thirds of the squares, always the same for a seed."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final

from tiltyard_engine.errors import MapError
from tiltyard_penguins.map_files import DEFAULT_PENGUINS, MOST_MATCH_SQUARES, MOST_PENGUINS, PenguinsMap, write_map

SHORTEST: Final = 14
LONGEST: Final = 20
"""Sides of the course's boards."""
SHARES: Final = ((1, 0.5), (2, 0.33), (3, 0.17))
"""Numbers of fish, and the share of floes that have them."""
MOST_ONES: Final = 0.56
"""Of all floes, for the sake of room to place penguins: the largest share of one-fish floes on the course's boards."""
ROOM: Final = 3
"""One-fish floes a penguin, where that is possible."""


@dataclass(frozen=True, slots=True)
class MapOptions:
    """What a generated board can be asked for."""

    rows: int = 0
    """0: 14 to 20."""
    columns: int = 0
    """0: 14 to 20."""
    penguins: int = DEFAULT_PENGUINS
    """Each player's."""


def generate_board(options: MapOptions, seed: int, players: int) -> PenguinsMap:
    """A board on which all penguins of ``players`` can be placed.

    Raises:
        MapError: there is no such board, because it would be too small or too large.
    """
    chance = random.Random(seed)
    rows = options.rows or chance.randint(SHORTEST, LONGEST)
    columns = options.columns or chance.randint(SHORTEST, LONGEST)
    if rows < 1 or columns < 1 or rows * columns > MOST_MATCH_SQUARES:
        raise MapError(f"a board of {rows} x {columns}: expected 1 to {MOST_MATCH_SQUARES:,} squares")
    if not 1 <= options.penguins <= MOST_PENGUINS:
        raise MapError(f"penguins is {options.penguins}, expected 1 to {MOST_PENGUINS}")
    floes = 2 * rows * columns // 3
    needed = players * options.penguins
    if floes < needed:
        raise MapError(f"a board of {rows} x {columns} has {floes} floes, too few for {needed} penguins; ask for a larger one")
    cells = bytearray(rows * columns)
    island = _grow_island(rows, columns, floes, chance)
    for square in island:
        cells[square] = 10 * _draw_fish(chance)
    goal = max(needed, min(ROOM * needed, int(MOST_ONES * floes)))
    _make_room(cells, island, goal, chance)
    return PenguinsMap(rows, columns, bytes(cells), options.penguins)


def generate_map(options: MapOptions, seed: int, seats: int) -> bytes:
    """A map file; see generate_board."""
    return write_map(generate_board(options, seed, seats))


def _grow_island(rows: int, columns: int, floes: int, chance: random.Random) -> list[int]:
    """Squares that are one piece, in the order in which they were added: from the middle to whatever side chance takes it.

    A floe of the coast is drawn, then a side of it, which makes few holes: the course's boards have none or one.
    """
    middle = rows // 2 * columns + columns // 2
    island = [middle]
    squares = {middle}
    coast = [middle]
    """Floes that may have water beside them."""
    while len(island) < floes:
        index = chance.randrange(len(coast))
        free = [square for square in _neighbours(coast[index], rows, columns) if square not in squares]
        if not free:
            coast[index] = coast[-1]
            coast.pop()
            continue
        square = chance.choice(free)
        island.append(square)
        coast.append(square)
        squares.add(square)
    return island


def _neighbours(square: int, rows: int, columns: int) -> list[int]:
    row, column = divmod(square, columns)
    sides = ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column))
    return [down * columns + right for down, right in sides if 0 <= down < rows and 0 <= right < columns]


def _draw_fish(chance: random.Random) -> int:
    number = chance.random()
    for fish, share in SHARES:
        number -= share
        if number < 0:
            return fish
    return SHARES[0][0]


def _make_room(cells: bytearray, island: list[int], goal: int, chance: random.Random) -> None:
    """Take fish away from chosen floes until ``goal`` of them have exactly one."""
    others = [square for square in island if cells[square] != 10]
    chance.shuffle(others)
    for square in others[: max(0, goal - cells.count(10))]:
        cells[square] = 10
