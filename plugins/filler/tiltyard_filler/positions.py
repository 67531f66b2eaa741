"""What a robot is shown and what it answers: plain values, the same in Python and in the protocols of programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

OWN_CELLS: Final = (b"", b"@a", b"$s")
"""By player: the character of a cell, and that of a cell of the piece last placed."""
PIECE_CELL: Final = 0x4F
"""``O``"""


@dataclass(frozen=True, slots=True)
class Piece:
    """A shape to be placed, in a box that is not trimmed: whole rows and columns of it may be empty."""

    width: int
    height: int
    cells: bytes
    """``width * height`` characters row by row: ``O`` is a cell of the shape, ``.`` is none."""

    @property
    def offsets(self) -> list[tuple[int, int]]:
        """``(x, y)`` of the shape's cells in the box, row by row."""
        return [(index % self.width, index // self.width) for index, cell in enumerate(self.cells) if cell == PIECE_CELL]

    @property
    def rows(self) -> list[str]:
        """The box, a string a row."""
        text = self.cells.decode("ascii")
        return [text[start : start + self.width] for start in range(0, len(text), self.width)]


@dataclass(frozen=True, slots=True, kw_only=True)
class FillerPosition:
    """One turn as its player sees it."""

    width: int
    height: int
    board: bytes
    """``width * height`` characters row by row: ``.`` is free, ``@`` and ``a`` are player 1's, ``$`` and ``s`` player 2's.
    Small letters are the piece that a player placed last."""
    piece: Piece
    """To be placed now."""
    player: int
    """Whose turn it is: 1 or 2."""
    dialect: str = "01"
    """By which engine's rules the match is played: ``01`` or ``42``."""

    @property
    def rows(self) -> list[str]:
        """The board, a string a row."""
        text = self.board.decode("ascii")
        return [text[start : start + self.width] for start in range(0, len(text), self.width)]


@dataclass(frozen=True, slots=True)
class Placement:
    """Where the top left corner of the piece's box goes: column and row, from 0. May lie outside where the shape does not."""

    x: int
    y: int
