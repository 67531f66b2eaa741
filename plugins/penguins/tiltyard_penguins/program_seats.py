"""Seats outside the simulator's matches, for ``penguins-master``: programs, the game's own algorithms, people."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NoReturn

from tiltyard_engine.errors import describe
from tiltyard_engine.inline import FailingSeat, InlineTurnSeat
from tiltyard_engine.programs import Program, ProgramError
from tiltyard_engine.records import TurnTeam
from tiltyard_engine.results import Termination
from tiltyard_engine.seats import TurnSeat
from tiltyard_penguins.adapter import ProgramPlayer, Report
from tiltyard_penguins.algorithms import Create
from tiltyard_penguins.positions import Move, PenguinsPosition
from tiltyard_penguins.table.person import Person
from tiltyard_penguins.table.terminal import LeftError, Terminal


class ProgramSeat(FailingSeat, TurnSeat[PenguinsPosition, Move]):
    """A program under a host's guard."""

    def __init__(self, index: int, name: str, program: Program, seconds: float, report: Report) -> None:
        super().__init__(index, name, "raise")
        self._program = program
        self._seconds = seconds
        self._player = ProgramPlayer(program, report)
        self.slowest = 0.0
        """Seconds of the longest call."""

    def start(self, position: PenguinsPosition) -> None:
        """Ask for its name."""
        if self.fault is not None:
            self._raise()
        try:
            self._program.begin(self._seconds, "name")
            self._player.start(position)
        except ProgramError as error:
            self._fail_with(error)

    def choose(self, position: PenguinsPosition) -> Move:
        """Run it for one turn."""
        if self.fault is not None:
            self._raise()
        self.round += 1
        begun = time.monotonic()
        try:
            self._program.begin(self._seconds, f"phase={position.phase}")
            return self._player.choose(position)
        except ProgramError as error:
            self._fail_with(error)
        finally:
            self.slowest = max(self.slowest, time.monotonic() - begun)

    def _fail_with(self, error: ProgramError) -> NoReturn:
        self._charge(error.termination, error.message or describe(error))
        self._raise()


class PersonSeat(FailingSeat, TurnSeat[PenguinsPosition, Move]):
    """Somebody at the terminal. Who leaves is out; the others play on."""

    def __init__(self, index: int, name: str, terminal: Terminal, report: Callable[[str, Move, float], None]) -> None:
        super().__init__(index, name, "raise")
        self._person = Person(terminal, name)
        self._report = report
        self.slowest = 0.0
        """Seconds of the longest answer."""

    def start(self, position: PenguinsPosition) -> None:
        """Nothing to prepare."""

    def choose(self, position: PenguinsPosition) -> Move:
        """Ask, and report."""
        self.round += 1
        begun = time.monotonic()
        try:
            move = self._person.choose(position)
        except LeftError as left:
            raise self.charge(Termination.FORFEIT, str(left)) from None
        seconds = time.monotonic() - begun
        self.slowest = max(self.slowest, seconds)
        self._report(position.phase, move, seconds)
        return move


class AlgorithmSeat(InlineTurnSeat[PenguinsPosition, Move]):
    """One of the game's own algorithms, in this process."""

    def __init__(self, index: int, name: str, create: Create, report: Callable[[str, Move, float], None]) -> None:
        super().__init__(index, TurnTeam(name, "penguins", create), Move)
        self._report = report
        self.slowest = 0.0
        """Seconds of the longest answer."""

    def choose(self, position: PenguinsPosition) -> Move:
        """Ask it, and report."""
        begun = time.monotonic()
        move = super().choose(position)
        seconds = time.monotonic() - begun
        self.slowest = max(self.slowest, seconds)
        self._report(position.phase, move, seconds)
        return move
