"""External robots in a match: the subject's protocol, or 42's, over a program's standard input and output.

42's protocol has rows before columns, ``O`` and ``X`` for the players, and ``*`` for a piece's cells.
"""

from __future__ import annotations

import re
from typing import Final

from tiltyard_engine.errors import NotFoundError
from tiltyard_engine.programs import Program, ProgramError
from tiltyard_engine.results import Termination
from tiltyard_engine.turns import TurnAlgorithm
from tiltyard_filler.anfield import write_hello, write_position, write_squares
from tiltyard_filler.answers import ANSWER, LINE_BYTES
from tiltyard_filler.dialects import FORTY_TWO, SUBJECT
from tiltyard_filler.positions import FillerPosition, Piece, Placement

PATH: Final = b"robot"
"""What stands in the first line for the robot's path: in a match nobody is told who plays."""
FORMS: Final = ("X Y", "ROW COL")
"""Of an answer, by whether the protocol is 42's."""
PROTOCOLS: Final = {SUBJECT.name: ("Anfield",), FORTY_TWO.name: ("Plateau",)}
"""The words before a board. What differs besides, such as the order of rows and columns, is in no robot's text."""
TO_PLATEAU: Final = bytes.maketrans(b"@a$s", b"OOXX")
"""A player is shown large letters alone."""
LEADING_NUMBER: Final = re.compile(rb"[+-]?\d+")


class RobotAdapter(TurnAlgorithm[FillerPosition, Placement]):
    """Speaks to one robot: in the protocol that its manifest names, or else in that of the match's rules."""

    def __init__(self, program: Program, player: int) -> None:
        if program.protocol and program.protocol not in PROTOCOLS:
            raise NotFoundError("protocol of filler", program.protocol, PROTOCOLS)
        self._program = program
        self._player = player

    def start(self, position: FillerPosition) -> None:
        """Tell the robot who it is."""
        self._program.write(write_hello(self._player, PATH))

    def choose(self, position: FillerPosition) -> Placement:
        """Send the turn, read a line."""
        is_42 = (self._program.protocol or position.dialect) == FORTY_TWO.name
        self._program.expected = FORMS[is_42]
        self._program.write(write_plateau(position) if is_42 else write_position(position))
        line = self._program.read_line(LINE_BYTES)
        placement = read_plateau_answer(line) if is_42 else _read_answer(line)
        if placement is None:
            raise ProgramError(Termination.PROTOCOL, f"expected an answer '{FORMS[is_42]}', got {line[:60]!r}", line)
        return placement


def _read_answer(line: bytes) -> Placement | None:
    match = ANSWER.fullmatch(line)
    return None if match is None else Placement(_clamp(int(match[1])), _clamp(int(match[2])))


def _clamp(number: int) -> int:
    # A number that the wire does not carry lies outside of every board.
    return max(-(1 << 62), min(number, 1 << 62))


def write_plateau(position: FillerPosition) -> bytes:
    """A turn as 42's robots read it."""
    width, height = position.width, position.height
    squares = write_squares(width, height, position.board.translate(TO_PLATEAU))
    return b"Plateau %d %d:\n%s%s" % (height, width, squares, write_plateau_piece(position.piece))


def write_plateau_piece(piece: Piece) -> bytes:
    """A piece as 42's robots read it."""
    rows = "\n".join(piece.rows).replace("O", "*")
    return b"Piece %d %d:\n%s\n" % (piece.height, piece.width, rows.encode())


def read_plateau_answer(line: bytes) -> Placement | None:
    """``ROW COL`` with any space around; what does not begin with a number is 0. None: there are not two words."""
    words = line.split()
    if len(words) != 2:
        return None
    row, column = (int(match[0]) if (match := LEADING_NUMBER.match(word)) else 0 for word in words)
    return Placement(_clamp(column), _clamp(row))
