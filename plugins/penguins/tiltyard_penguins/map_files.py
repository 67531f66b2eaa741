"""Maps of matches: a board file without players, and how many penguins each player has.

The course's boards do not say how many penguins there are. A map may end with a line ``penguins=N``, which is the referee's alone:
programs are told by their command line, and never see it. Without it each player has three, as in the course's example.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from tiltyard_engine.errors import MapError
from tiltyard_penguins.board_files import BoardFile, BoardFileError, read_board_file, write_board_file

DEFAULT_PENGUINS: Final = 3
MOST_PENGUINS: Final = 99
MOST_MATCH_SQUARES: Final = 10_000
BLANKS: Final = b" \t\r\n"
COMPANION: Final = re.compile(rb"penguins=(\d*)\Z")
"""The last line without what is blank around it."""


@dataclass(frozen=True, slots=True)
class PenguinsMap:
    """A start position: the ice, and how many penguins each player has."""

    rows: int
    columns: int
    cells: bytes
    """As in BoardFile: nobody's penguin is on it."""
    penguins: int = DEFAULT_PENGUINS
    """How many penguins each player has."""

    def file(self) -> BoardFile:
        """The board as programs read it."""
        return BoardFile(self.rows, self.columns, self.cells)


def read_map(name: str, data: bytes, seats: int = 1) -> PenguinsMap:
    """A board to begin on.

    Raises:
        MapError: names the line and the column, and what was expected.
    """
    penguins = DEFAULT_PENGUINS
    text = data.rstrip(BLANKS)
    start = max(text.rfind(b"\n"), text.rfind(b"\r")) + 1
    companion = COMPANION.fullmatch(text[start:].strip(BLANKS))
    if companion is not None:
        # A number of thousands of digits is not worked out.
        digits = companion[1].lstrip(b"0")
        if not (digits and len(digits) <= len(str(MOST_PENGUINS)) and int(digits) <= MOST_PENGUINS):
            raise MapError(f"{name}: expected penguins=1 to penguins={MOST_PENGUINS}, got '{companion[0].decode()[:30]}'")
        penguins = int(digits)
        data = text[:start]
    try:
        file = read_board_file(data)
    except BoardFileError as error:
        raise MapError(f"{name}, {error}") from error
    for square, cell in enumerate(file.cells):
        if cell % 10:
            line, column = 2 + square // file.columns, 1 + 3 * (square % file.columns)
            raise MapError(
                f"{name}, line {line}, column {column}: a match starts without penguins, but player {cell % 10} has one here"
            )
    if file.players:
        raise MapError(f"{name}, line {file.rows + 2}: a match starts without players, but '{file.players[0].name[:30]}' is here")
    if file.rows * file.columns > MOST_MATCH_SQUARES:
        size = f"{file.rows} x {file.columns}"
        raise MapError(f"{name}: a board of {size} is too large; the limit is {MOST_MATCH_SQUARES:,} squares")
    if 10 not in file.cells:
        raise MapError(f"{name}: no floe has exactly one fish, so no penguin can be placed; write 10 for such a floe")
    return PenguinsMap(file.rows, file.columns, file.cells, penguins)


def write_map(board: PenguinsMap) -> bytes:
    """The map's file; the number of penguins stands in it where it is not the usual one."""
    companion = b"" if board.penguins == DEFAULT_PENGUINS else f"penguins={board.penguins}\n".encode()
    return write_board_file(board.file()) + companion
