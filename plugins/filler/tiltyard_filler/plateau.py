"""42's protocol as text: rows before columns, ``O`` and ``X`` for the players, ``*`` for a piece's cells."""

from __future__ import annotations

import re
from typing import Final

from tiltyard_filler.positions import FillerPosition, Piece, Placement

TO_PLATEAU: Final = bytes.maketrans(b"@a$s", b"OOXX")
"""A player is shown large letters alone."""
TO_STARS: Final = bytes.maketrans(b"O", b"*")
LEADING_NUMBER: Final = re.compile(rb"[+-]?\d+")


def write_plateau(position: FillerPosition) -> bytes:
    """A turn as 42's robots read it."""
    width, height = position.width, position.height
    cells = position.board.translate(TO_PLATEAU)
    digits = (b"0123456789" * (width // 10 + 1))[:width]
    rows = [b"%03d %s\n" % (row % 1000, cells[row * width : row * width + width]) for row in range(height)]
    return b"Plateau %d %d:\n    %s\n%s%s" % (height, width, digits, b"".join(rows), write_plateau_piece(position.piece))


def write_plateau_piece(piece: Piece) -> bytes:
    """A piece as 42's robots read it."""
    cells = piece.cells.translate(TO_STARS)
    rows = [cells[start : start + piece.width] + b"\n" for start in range(0, len(cells), piece.width)]
    return b"Piece %d %d:\n%s" % (piece.height, piece.width, b"".join(rows))


def read_plateau_answer(line: bytes) -> Placement | None:
    """``ROW COL`` with any space around; what does not begin with a number is 0. None: there are not two words."""
    words = line.split()
    if len(words) != 2:
        return None
    row, column = (int(match[0]) if (match := LEADING_NUMBER.match(word)) else 0 for word in words)
    return Placement(column, row)
