"""Map files: a row a line, ``.`` free, ``@`` or ``a`` player 1's cells, ``$`` or ``s`` player 2's; and generated maps."""

from __future__ import annotations

import random
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Final

from tiltyard_engine.errors import MapError
from tiltyard_filler.positions import OWN_CELLS

KNOWN: Final = frozenset(b".@a$s")
MAX_SQUARES: Final = 1_000_000
"""A larger board is not played in matches: it is a slip or an attack, and every turn would send it whole."""


@dataclass(frozen=True, slots=True)
class FillerMap:
    """A start position; ``cells`` holds ``width * height`` characters row by row."""

    width: int
    height: int
    cells: bytes

    @property
    def rows(self) -> list[str]:
        """The board, a string a row."""
        text = self.cells.decode("ascii")
        return [text[start : start + self.width] for start in range(0, len(text), self.width)]


def read_board(name: str, data: bytes) -> FillerMap:
    """Any board that the subject's engine takes: also one without start cells, and one without rows.

    Empty lines are skipped, but the first line says how wide the board is.

    Raises:
        MapError: names the line and what was expected.
    """
    lines = data.split(b"\n")
    width = len(lines[0])
    rows: list[bytes] = []
    for number, line in enumerate(lines, start=1):
        if not line:
            continue
        unknown = next((column for column, character in enumerate(line) if character not in KNOWN), -1)
        if unknown >= 0:
            problem = "a carriage return: lines must end with a line feed only" if line[unknown] == 0x0D else _show(line[unknown])
            raise MapError(f"{name}, line {number}, column {unknown + 1}: expected one of . @ a $ s, got {problem}")
        if len(line) != width:
            raise MapError(f"{name}, line {number}: expected {width} columns as in line 1, got {len(line)}")
        rows.append(line)
    return FillerMap(width, len(rows), b"".join(rows))


def read_map(name: str, data: bytes, players: int = 2) -> FillerMap:
    """A board for a match: both players have cells on it, and it is not too large.

    Raises:
        MapError: names the line and what was expected.
    """
    board = read_board(name, data)
    if board.width * board.height > MAX_SQUARES:
        size = f"{board.width} x {board.height}"
        raise MapError(f"{name}: a board of {size} is too large; the limit is {MAX_SQUARES:,} squares")
    for player in (1, 2):
        if not any(board.cells.count(cell) for cell in OWN_CELLS[player]):
            choices = " or ".join(chr(cell) for cell in OWN_CELLS[player])
            raise MapError(f"{name}: player {player} has no start cell; put {choices} where the player starts")
    return board


def write_map(board: FillerMap) -> bytes:
    """The contents of a map's file, a line for each row."""
    return b"".join(row.encode() + b"\n" for row in board.rows)


def shipped_maps() -> dict[str, Traversable]:
    """The files of the shipped maps, by name."""
    files = resources.files("tiltyard_filler").joinpath("shipped_maps").iterdir()
    return {file.name: file for file in sorted(files, key=lambda file: file.name) if not file.name.startswith((".", "__"))}


@dataclass(frozen=True, slots=True)
class MapOptions:
    """What a tournament may ask of its generated maps."""

    rows: int = 30
    cols: int = 40
    starts: int = 1
    """Start cells a player."""


def generate_map(options: MapOptions, seed: int, players: int) -> bytes:
    """The file of a board that is fair to both: player 2 starts where player 1 does, the board turned by half a turn.

    The same seed gives the same map.

    Raises:
        MapError: there is no such board.
    """
    rows, cols, starts = options.rows, options.cols, options.starts
    squares = rows * cols
    if rows < 1 or cols < 1 or squares > MAX_SQUARES:
        raise MapError(f"a board of {cols} x {rows}: expected at least one row and column, and at most {MAX_SQUARES:,} squares")
    # The middle of an odd board is turned into itself.
    pairs = list(range(squares // 2))
    if not 1 <= starts <= len(pairs):
        raise MapError(f"{starts} start cells per player: a board of {cols} x {rows} has room for 1 to {len(pairs)}")
    lots = random.Random(seed)
    cells = bytearray(b"." * squares)
    for square in lots.sample(pairs, starts):
        own = square if lots.random() < 0.5 else squares - 1 - square
        cells[own], cells[squares - 1 - own] = b"@$"
    return write_map(FillerMap(cols, rows, bytes(cells)))


def _show(byte: int) -> str:
    if byte == 0x0D:
        return "a carriage return; lines must end with a line feed only"
    return f"'{chr(byte)}'" if 32 < byte < 127 else f"byte 0x{byte:02x}"
