"""The seat that a GameManager gets when a team is an external program."""

from __future__ import annotations

import traceback
from typing import Any

from tiltyard_engine.errors import ContractError, UserError, describe
from tiltyard_engine.inline import FailingSeat
from tiltyard_engine.programs import ProgramError
from tiltyard_engine.records import Game
from tiltyard_engine.results import Termination
from tiltyard_engine.seats import TurnSeat
from tiltyard_engine.turns import A, P, TurnAlgorithm
from tiltyard_simulator.guard.limits import Limits
from tiltyard_simulator.guard.programs.held_program import HeldProgram
from tiltyard_simulator.guard.programs.program_cell import ProgramCell
from tiltyard_simulator.guard.zygote import ZygoteLostError


class ProgramSeat(FailingSeat, TurnSeat[P, A]):
    """A turn seat whose algorithm is the game's adapter, in this process, over a program in a cell. It always raises SeatFault.

    The adapter is the game's own code, but what it reads is the program's: where it stumbles, the program is charged.
    """

    def __init__(self, index: int, name: str, game: Game[Any], program: HeldProgram, limits: Limits) -> None:
        super().__init__(index, name, "raise")
        if game.adapter is None:
            raise no_adapter(game, name)
        self._adapter = game.adapter
        self._answer_type: Any = game.answer_type or object
        self._program = program
        self._limits = limits
        self._algorithm: TurnAlgorithm[Any, Any] | None = None

    @property
    def cell(self) -> ProgramCell:
        """The program's cell, for what it used and printed."""
        return self._program.cell

    def start(self, position: P) -> None:
        """Create the game's adapter and show it the first position."""
        if self.fault is not None:
            self._raise()
        try:
            self._program.begin(self._limits.startup_seconds, "starting")
            algorithm = self._adapter(self._program, self.index)
            if not isinstance(algorithm, TurnAlgorithm):
                raise ContractError(f"the game's adapter returned {type(algorithm).__name__}, not a TurnAlgorithm")  # noqa: TRY301
            algorithm.start(position)
            self._program.finish()
        except Exception as error:
            self._fail_with(error, "starting")
        self._algorithm = algorithm
        self._check()

    def choose(self, position: P) -> A:
        """Ask the adapter; an answer of another type than the game's is a fault."""
        if self.fault is not None:
            self._raise()
        if self._algorithm is None:
            raise ContractError(f"seat {self.index} was asked to choose before start")
        self.round += 1
        try:
            self._program.begin(self._limits.move_seconds, "choose")
            answer = self._algorithm.choose(position)
            self._program.finish()
        except Exception as error:
            self._fail_with(error, "choose")
        self._check()
        if not isinstance(answer, self._answer_type):
            self._reject(f"choose: the game's adapter made {answer!r:.80} of what the program answered")
        chosen: A = answer
        return chosen

    def _check(self) -> None:
        """An adapter that swallows a failure does not undo it."""
        if self._program.error is not None:
            self._charge_program(self._program.error)

    def _fail_with(self, error: Exception, doing: str) -> None:
        if isinstance(error, ContractError | ZygoteLostError):
            raise error
        if isinstance(error, ProgramError):
            self._charge_program(error if self._program.error is None else self._program.error)
        if isinstance(error, UserError):
            self._reject(f"{doing}: {error}")
        message = f"{doing}: the game could not read what the program wrote: {describe(error)}"
        self._charge(Termination.PROTOCOL, message, "".join(traceback.format_exception(error)))
        self._raise()

    def _charge_program(self, error: ProgramError) -> None:
        self._charge(error.termination, error.message)
        self._raise()


def no_adapter(game: Game[Any], name: str) -> UserError:
    """Said where a program is named for a game that cannot speak to one."""
    return UserError(f"'{name}' is an external program, but the game {game.name} has no protocol for programs (no adapter)")
