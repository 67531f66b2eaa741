"""Programs in a match: a process a move, which reads the board from one file and writes it to another with its move made.

``PROGRAM white|black IN OUT`` for each move; ``PROGRAM name`` once, before a tournament. OUT is there before the program starts, as
a copy of IN, for some insist on that. What counts is the board in OUT; exit codes matter only where there is none, or it has not
changed.
"""

from __future__ import annotations

import re
from typing import Final

from tiltyard_advance.board_files import BoardFileError, read_board_file, write_board_file
from tiltyard_advance.positions import AdvancePosition, Turn
from tiltyard_engine.errors import UserError
from tiltyard_engine.programs import Call, Program, ProgramError
from tiltyard_engine.results import Termination
from tiltyard_engine.turns import TurnAlgorithm

INPUT: Final = "board.txt"
OUTPUT: Final = "move.txt"
ONE_FILE: Final = "one-file"
"""The protocol of a manifest whose program is to be given the same name twice."""
LONGEST_NAME: Final = 32
PREFIX: Final = re.compile(r"^(?:(?:this|the|my) )?(?:bot(?:'s)? )?name(?: is)?\s*[:=]\s*", re.IGNORECASE)
NO_NAME: Final = re.compile(
    r"usage\b|(?:error|exception)\s*:|unhandled exception|"
    r"(?:invalid|unknown|wrong|bad) (?:\w+ ){0,2}(?:colou?r|command|option|arg(?:ument)?|input|parameter)s?\b",
    re.IGNORECASE,
)
"""How lines begin that are no names: of programs that want other arguments."""


class ProgramPlayer(TurnAlgorithm[AdvancePosition, Turn]):
    """A player that is a program, called again for each move with files for the boards."""

    def __init__(self, program: Program, seat: int = 0) -> None:
        if program.protocol not in ("", ONE_FILE):
            raise UserError(f"unknown protocol '{program.protocol}'; expected {ONE_FILE}, or no protocol for two files")
        self._program = program
        self._output = INPUT if program.protocol == ONE_FILE else OUTPUT
        program.expected = f"the board with one move made, in {self._output}"

    def choose(self, position: AdvancePosition) -> Turn:
        """Run the program for one move.

        Raises:
            ProgramError: it left no board, or crashed without making a move.
        """
        before = write_board_file(position.board)
        call = self._program.call([position.colour, INPUT, self._output], {INPUT: before, self._output: before}, [self._output])
        output = call.files.get(self._output)
        try:
            if output is None:
                raise BoardFileError(_missing(call, self._output))  # noqa: TRY301 -- all that is unreadable ends in one place
            board = read_board_file(output)
        except BoardFileError as error:
            call.expect(0)
            raise ProgramError(Termination.PROTOCOL, f"{self._output} is not a valid board: {error}", output or b"") from None
        if board == position.board:
            call.expect(0)
        return Turn(board)


def _missing(call: Call, name: str) -> str:
    return call.missing(name) if name in call.left else "the file does not exist"


def introduce(program: Program) -> str:
    """What a program wants to be called."""
    return name_in(program.call(["name"], {}).stdout)


def name_in(output: bytes) -> str:
    """The name in what a program printed: its first line, if that is one to 32 printable ASCII characters; else none.

    Programs put words such as ``This bot name is:`` before it. Those that do not know the question print their usage.
    """
    line = output.split(b"\n", 1)[0].decode("ascii", "replace").strip()
    name = PREFIX.sub("", line)
    is_name = 0 < len(name) <= LONGEST_NAME and name.isascii() and name.isprintable() and not NO_NAME.match(name)
    return name if is_name else ""
