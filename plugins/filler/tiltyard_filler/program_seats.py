"""A robot's program as a seat, for commands of the game: guarded by whatever host there is, with the subject's limit on time."""

from __future__ import annotations

import time
from typing import Final

from tiltyard_engine.programs import Program, ProgramError
from tiltyard_engine.results import Fault, SeatFault, Termination
from tiltyard_engine.seats import TurnSeat
from tiltyard_filler.adapter import RobotAdapter
from tiltyard_filler.positions import FillerPosition, Placement
from tiltyard_filler.robots import WALL_SHARE
from tiltyard_filler.rules import legal_placements

START_SECONDS: Final = 30.0


class ProgramSeat(TurnSeat[FillerPosition, Placement]):
    """Asks a program, and notes how long it takes and how it went out.

    Args:
        index: the seat.
        name: for messages.
        program: opened with ``robots.LIMITS``.
        seconds: for an answer, on the clock.
        counts_cpu: whether the host counts a program's CPU time, and time on the clock by the share that LIMITS names.
    """

    def __init__(self, index: int, name: str, program: Program, seconds: float, counts_cpu: bool) -> None:
        self.index = index
        self.name = name
        self.fault: Fault | None = None
        self.turns = 0
        self.slowest = 0.0
        """Seconds of the slowest answer."""
        self.missed = 0
        """How many legal placements there were when it went out by an illegal one."""
        self._adapter = RobotAdapter(program, index)
        self._program = program
        self._scale = 1 / WALL_SHARE if counts_cpu else 1.0
        self._seconds = seconds

    def charge(self, termination: Termination, message: str) -> SeatFault:
        """Record a fault; the first one stays."""
        if self.fault is None:
            self.fault = Fault(self.index, termination, message, self.turns)
        return SeatFault(self.fault)

    def start(self, position: FillerPosition) -> None:
        """Start the program and tell it who it is."""
        self._program.begin(START_SECONDS * self._scale, "the robot, starting,")
        try:
            self._adapter.start(position)
        except ProgramError as error:
            raise self.charge(error.termination, error.message) from error

    def choose(self, position: FillerPosition) -> Placement:
        """Its answer."""
        self.turns += 1
        begun = time.monotonic()
        self._program.begin(self._seconds * self._scale, "the robot")
        try:
            answer = self._adapter.choose(position)
        except ProgramError as error:
            raise self.charge(error.termination, error.message) from error
        self.slowest = max(self.slowest, time.monotonic() - begun)
        legal = legal_placements(position.board, position.width, position.height, position.player, position.piece.offsets)
        if (answer.x, answer.y) not in legal:
            self.missed = len(legal)
        return answer
