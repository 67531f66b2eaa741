"""Map files: a row a line, ``.`` free, ``@`` or ``a`` player 1's cells, ``$`` or ``s`` player 2's."""

from __future__ import annotations

from dataclasses import dataclass
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
            found = (
                "a carriage return: the lines must end with a line feed alone" if line[unknown] == 0x0D else _show(line[unknown])
            )
            raise MapError(f"{name}, line {number}, column {unknown + 1}: expected one of . @ a $ s, found {found}")
        if len(line) != width:
            raise MapError(f"{name}, line {number}: expected {width} columns as in line 1, found {len(line)}")
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
        raise MapError(f"{name}: a board of {size} is too large; at most {MAX_SQUARES:,} squares are played")
    for player in (1, 2):
        if not any(board.cells.count(cell) for cell in OWN_CELLS[player]):
            wanted = " or ".join(chr(cell) for cell in OWN_CELLS[player])
            raise MapError(f"{name}: player {player} has no start cell; put {wanted} where the player begins")
    return board


def write_map(board: FillerMap) -> bytes:
    """The map's file."""
    return b"".join(row.encode() + b"\n" for row in board.rows)


def _show(byte: int) -> str:
    if byte == 0x0D:
        return "a carriage return; lines must end with a line feed alone"
    return f"'{chr(byte)}'" if 32 < byte < 127 else f"byte 0x{byte:02x}"
