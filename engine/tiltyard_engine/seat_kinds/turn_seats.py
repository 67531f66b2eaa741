"""Seats of turn-based games: the port to a team, the one seat over it, and the port to a team in this process."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Generic

from tiltyard_engine.errors import ContractError, describe, show
from tiltyard_engine.programs import Program, ProgramError
from tiltyard_engine.records import GameRules, TurnTeam
from tiltyard_engine.results import Termination
from tiltyard_engine.seat_kinds.seat_ports import (
    InlinePort,
    ObservedSeat,
    OnCrash,
    PortFailure,
    PortSeat,
    R,
    SeatObserver,
    SeatPort,
)
from tiltyard_engine.seat_kinds.value_types import class_of
from tiltyard_engine.seats import TurnSeat
from tiltyard_engine.turns import A, P, TurnAlgorithm


class TurnPort(SeatPort, Generic[P, A]):
    """How a seat reaches an algorithm that chooses."""

    @abstractmethod
    def start(self, position: P) -> None:
        """Show the first position."""

    @abstractmethod
    def choose(self, position: P) -> A:
        """The answer to a position, of the game's answer type."""


class PortTurnSeat(PortSeat, TurnSeat[P, A]):
    """A turn seat, however its team is held. It always raises SeatFault: a turn-based game has no idle answer."""

    port: TurnPort[P, A]

    def __init__(self, index: int, name: str, port: TurnPort[P, A]) -> None:
        self._started = False
        super().__init__(index, name, port, "raise")

    def start(self, position: P) -> None:
        """Tell the team that play begins."""
        self._call(self.port.start, position)
        self._started = True

    def choose(self, position: P) -> A:
        """Ask the team for its answer to a position."""
        if self.fault is None:
            if not self._started:
                raise ContractError(f"seat {self.index} was asked to choose before start")
            self.round += 1
        answer: Any = self._call(self.port.choose, position)
        move: A = answer
        return move


class ObservedTurnSeat(ObservedSeat, PortTurnSeat[P, A]):
    """A turn seat that others watch."""

    def observe(self, observers: Sequence[SeatObserver]) -> None:
        super().observe(observers)
        self._begin(0)

    def choose(self, position: P) -> A:
        self._show(0, position)
        answer: A = self._tell(0, super().choose(position))
        return answer


class InlineTurnPort(InlinePort, TurnPort[P, A]):
    """An algorithm in this process."""

    def __init__(
        self,
        index: int,
        team: TurnTeam,
        answer_type: type[Any],
        on_crash: OnCrash | None = None,
        *,
        position_type: type[Any] | None = None,
        rules: GameRules | None = None,
    ) -> None:
        super().__init__(index, on_crash)
        self._position_type = position_type
        self._answer_type = class_of(answer_type)
        self._expected = getattr(answer_type, "__name__", str(answer_type))
        self._team = team
        self._rules = rules
        self._algorithm: Any = None

    def start(self, position: P) -> None:
        """Create the team's algorithm and show it the first position."""
        algorithm: Any = self.run("starting", self._create, self.index)
        if not isinstance(algorithm, TurnAlgorithm):
            raise PortFailure(Termination.PROTOCOL, f"create returned {type(algorithm).__name__}, not a TurnAlgorithm")
        self._algorithm = algorithm
        try:
            self.run("starting", algorithm.start, position)
        except PortFailure:
            self._check_position("start", position)
            raise

    def _create(self, seat: int) -> Any:
        algorithm: Any = self._team.create(seat)
        if self._rules is not None and getattr(algorithm, "rules", self) is None:
            algorithm.rules = self._rules
        return algorithm

    def choose(self, position: P) -> A:
        """Ask it; an answer of another type than the game's is a fault."""
        try:
            answer: A = self.run("choose", self._algorithm.choose, position)
        except PortFailure:
            self._check_position("choose", position)
            raise
        if not isinstance(answer, self._answer_type):
            raise PortFailure(Termination.PROTOCOL, f"choose returned {show(answer)}, expected {self._expected}")
        return answer

    def _check_position(self, call: str, position: P) -> None:
        """A team that fails with what is no position of the game isn't to blame. Looking for it only then costs nothing."""
        if not isinstance(position, class_of(self._position_type)):
            expected = getattr(self._position_type, "__name__", str(self._position_type))
            raise ContractError(f"{call} was given {show(position)}, which is not a position: expected {expected}")


def program_turn(program: Program, seconds: float, doing: str, work: Callable[[P], R], position: P) -> R:
    """What a game's adapter makes of one turn of a program, for commands that hold the program themselves.

    Raises:
        PortFailure: the program failed.
    """
    try:
        program.begin(seconds, doing)
        return work(position)
    except ProgramError as error:
        hint = program.hint if error.termination is Termination.PROTOCOL else ""
        raise PortFailure(error.termination, f"{error.message or describe(error)}{hint}{program.turn_in_words}") from error
