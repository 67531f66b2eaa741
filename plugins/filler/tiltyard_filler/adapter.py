"""External robots in a match: the subject's protocol over a program's standard input and output."""

from __future__ import annotations

import re
from typing import Final

from tiltyard_engine.programs import Program, ProgramError
from tiltyard_engine.results import Termination
from tiltyard_engine.turns import TurnAlgorithm
from tiltyard_filler.anfield import write_hello, write_position
from tiltyard_filler.positions import FillerPosition, Placement

ANSWER: Final = re.compile(rb"(-?\d+) (-?\d+)\n")
ANSWER_BYTES: Final = 1024
PATH: Final = b"robot"
"""What stands in the first line for the robot's path: in a match nobody is told who plays."""


class RobotAdapter(TurnAlgorithm[FillerPosition, Placement]):
    """Speaks to one robot."""

    def __init__(self, program: Program, player: int) -> None:
        self._program = program
        self._player = player

    def start(self, position: FillerPosition) -> None:
        """Tell the robot who it is."""
        self._program.write(write_hello(self._player, PATH))

    def choose(self, position: FillerPosition) -> Placement:
        """Send the turn, read a line."""
        self._program.write(write_position(position))
        line = self._program.read_line(ANSWER_BYTES)
        match = ANSWER.fullmatch(line)
        if match is None:
            raise ProgramError(Termination.PROTOCOL, f"expected an answer 'X Y', found {line[:60]!r}", line)
        return Placement(int(match[1]), int(match[2]))


def open_robot(program: Program, player: int) -> TurnAlgorithm[FillerPosition, Placement]:
    """The adapter of the game."""
    return RobotAdapter(program, player)
