"""The port to a team that is an external program."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any, Final, TypeVar

from tiltyard_engine.errors import ContractError, UserError, describe
from tiltyard_engine.programs import ProgramError
from tiltyard_engine.records import Game, TurnInterface
from tiltyard_engine.results import Termination
from tiltyard_engine.seat_kinds.seat_ports import PortFailure
from tiltyard_engine.seat_kinds.turn_seats import TurnPort
from tiltyard_engine.turns import A, P, TurnAlgorithm
from tiltyard_simulator.guard.cells.cell_port import ProcessPort, SeatSpec
from tiltyard_simulator.guard.cells.wire import ZygoteLostError
from tiltyard_simulator.guard.confinement.denials import in_words
from tiltyard_simulator.guard.programs.program_client import ProgramClient

R = TypeVar("R")
ANSWERING: Final = "answering"
"""What a program does in its turn; ``choose`` is a word of Python teams."""


class ProgramTurnPort(ProcessPort, TurnPort[P, A]):
    """The game's adapter, in this process, over a program in a cell.

    The adapter is the game's own code, but it reads what the program wrote. So its errors are the program's faults.
    """

    def __init__(self, spec: SeatSpec, program: ProgramClient) -> None:
        super().__init__(spec, program.cell)
        game: Game[Any] = spec.setting
        if game.programs is None or not isinstance(game.interface, TurnInterface):
            raise no_adapter(game, spec.team.name)
        self._adapter = game.programs.adapter
        self._answer_type: Any = game.interface.answer_type or object
        self._program = program
        self._algorithm: TurnAlgorithm[Any, Any]

    @property
    def hint(self) -> str:
        return self._program.hint

    def start(self, position: P) -> None:
        """Create the game's adapter and show it the first position."""
        self._turn(lambda: self._start(position), self.limits.startup_seconds, "starting")

    def _start(self, position: P) -> None:
        algorithm = self._adapter(self._program, self.spec.index)
        if not isinstance(algorithm, TurnAlgorithm):
            raise ContractError(f"the game's adapter returned {type(algorithm).__name__}, not a TurnAlgorithm")
        self._algorithm = algorithm
        algorithm.start(position)

    def choose(self, position: P) -> A:
        """Ask the adapter. An answer of the wrong type is a fault."""
        answer: A = self._turn(lambda: self._algorithm.choose(position), self.limits.move_seconds, ANSWERING)
        if not isinstance(answer, self._answer_type):
            message = f"{ANSWERING}: the game's adapter returned {answer!r:.80}, which is not an answer of the game"
            raise PortFailure(Termination.PROTOCOL, message)
        return answer

    def _turn(self, work: Callable[[], R], seconds: float, doing: str) -> R:
        """Let the adapter play a turn. A failure of the program counts even if the adapter catches it."""
        program = self._program
        try:
            program.begin(seconds, doing)
            answer = work()
            program.finish()
        except (ContractError, ZygoteLostError):
            raise
        except ProgramError as error:
            failure = program.error or error
        except UserError as error:
            raise PortFailure(Termination.PROTOCOL, f"{doing}: {error}") from error
        except Exception as error:
            message = f"{doing}: the game could not read what the program wrote: {describe(error)}{program.hint}"
            text = "".join(traceback.format_exception(error))
            raise PortFailure(Termination.PROTOCOL, message + program.turn_in_words, text) from error
        else:
            if program.error is None:
                return answer
            failure = program.error
        if failure.termination is Termination.VOID:
            raise PortFailure(failure.termination, failure.message)
        program.cell.find_denials()
        hint = program.hint if failure.termination is Termination.PROTOCOL else ""
        raise PortFailure(failure.termination, f"{failure.message}{hint}{in_words(program.cell.denied)}{program.turn_in_words}")


def no_adapter(game: Game[Any], name: str) -> UserError:
    """The error for a program in a game that has no adapter for programs."""
    return UserError(f"'{name}' is an external program, but the game {game.name} has no protocol for programs (no adapter)")
