"""The subject's protocol as text: what a robot reads, and what it answers.

A robot reads one line that says which player it is, then before each of its turns the board and the piece, and answers with a line.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_filler.positions import FillerPosition, Piece, Placement
from tiltyard_filler.rules import Board

HELLO: Final = re.compile(rb"\$\$\$ exec p([12]) : \[(.*)\]\s*")
HEADER: Final = re.compile(rb"(Anfield|Piece) (\d+) (\d+):\s*")


class ProtocolError(UserError):
    """What was read is not of the protocol."""


def write_hello(player: int, path: bytes) -> bytes:
    """The first line that a robot gets: which player it is, and its path."""
    return b"$$$ exec p%d : [%s]\n" % (player, path)


def write_piece(piece: Piece) -> bytes:
    """A piece as robots read it."""
    return b"Piece %d %d:\n%s\n" % (piece.width, piece.height, "\n".join(piece.rows).encode())


def write_board(width: int, height: int, cells: bytes) -> bytes:
    """A board as robots read it."""
    return b"Anfield %d %d:\n%s" % (width, height, write_squares(width, height, cells))


def write_squares(width: int, height: int, cells: bytes) -> bytes:
    """A board below its first line, the same in both protocols: digits over the columns, numbers before the rows."""
    digits = b"0123456789" * (width // 10 + 1)
    rows = [b"%03d %s\n" % (row % 1000, cells[row * width : row * width + width]) for row in range(height)]
    return b"    %s\n%s" % (digits[:width], b"".join(rows))


def write_position(position: FillerPosition) -> bytes:
    """A turn as robots read it: the board, then the piece."""
    return write_board(position.width, position.height, position.board) + write_piece(position.piece)


def write_placement(placement: Placement) -> bytes:
    """An answer as the engine reads it."""
    return b"%d %d\n" % (placement.x, placement.y)


class BoardText:
    """The text of a board that changes: only the squares that changed are written again."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._text = bytearray(write_board(board.width, board.height, bytes(board.cells)))
        self._stride = board.width + 5
        """Four characters before a row and the line feed behind it."""
        self._first = len(self._text) - board.height * self._stride + 4

    def update(self) -> None:
        """Take over what the last answer changed."""
        board, text = self._board, self._text
        width, cells, extra, first = board.width, board.cells, self._stride - board.width, self._first
        for square in board.changed:
            text[first + square + square // width * extra] = cells[square]

    def read(self) -> bytes:
        """The text as it is now."""
        return bytes(self._text)


def read_hello(line: bytes) -> int:
    """Which player the robot is.

    Raises:
        ProtocolError: the line is a different one.
    """
    match = HELLO.fullmatch(line)
    if match is None:
        raise ProtocolError(f"expected the line '$$$ exec p1 : [...]', got {line[:60]!r}")
    return int(match[1])


def read_position(read_line: Callable[[], bytes], player: int) -> FillerPosition | None:
    """The next turn, as the robot that plays for ``player`` reads it; None where the game is over.

    Raises:
        ProtocolError: what was read is neither a board nor a piece.
    """
    header = read_line()
    if not header:
        return None
    width, height = _read_header(header, b"Anfield")
    read_line()
    board = b"".join(_read_row(read_line(), 4, width) for _ in range(height))
    piece_width, piece_height = _read_header(read_line(), b"Piece")
    cells = b"".join(_read_row(read_line(), 0, piece_width) for _ in range(piece_height))
    return FillerPosition(width=width, height=height, board=board, piece=Piece(piece_width, piece_height, cells), player=player)


def _read_header(line: bytes, word: bytes) -> tuple[int, int]:
    match = HEADER.fullmatch(line)
    if match is None or match[1] != word:
        raise ProtocolError(f"expected '{word.decode()} <width> <height>:', got {line[:60]!r}")
    return int(match[2]), int(match[3])


def _read_row(line: bytes, start: int, width: int) -> bytes:
    row = line.rstrip(b"\r\n")[start:]
    if len(row) != width:
        raise ProtocolError(f"expected a row of {width} squares, got {line[:60]!r}")
    return row
