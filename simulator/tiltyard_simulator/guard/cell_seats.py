"""The seats that a GameManager gets when a team's code is in a cell. It cannot tell them from inline ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from tiltyard_engine.errors import ContractError
from tiltyard_engine.inline import NOBODY_YET, FailingSeat, OnFault
from tiltyard_engine.records import PlayerArguments
from tiltyard_engine.registry import Reference
from tiltyard_engine.results import SeatFault
from tiltyard_engine.seats import TankSeat, TurnSeat
from tiltyard_engine.tanks import ActionRequest, BattleInfo, Player, SatelliteView, TankAlgorithm
from tiltyard_engine.turns import A, P
from tiltyard_simulator.guard.breaches import check_info, rows_of
from tiltyard_simulator.guard.held_cell import CellError, HeldCell
from tiltyard_simulator.guard.limits import Limits
from tiltyard_simulator.guard.messages import (
    ENCODER,
    Act,
    Acted,
    Board,
    BoardWanted,
    Brief,
    Choose,
    Chosen,
    CreateTank,
    Done,
    Inform,
    OpenTanks,
    OpenTurns,
    Request,
    Start,
)

_ACTIONS: Final = tuple(ActionRequest)
_IDLE: Final = ActionRequest.DO_NOTHING


class _CellSeat(FailingSeat):
    """What both kinds share: a question goes to the cell, and whatever comes of it is charged to the seat."""

    def __init__(self, index: int, name: str, on_fault: OnFault, cell: HeldCell, limits: Limits) -> None:
        super().__init__(index, name, on_fault)
        self.cell = cell
        self.limits = limits

    def _charge_error(self, error: CellError) -> None:
        self._charge(error.termination, error.message, error.traceback)

    def _tell(self, request: Request, seconds: float, doing: str) -> None:
        """Ask for something that has no answer but that it was done."""
        reply = self.cell.ask(request, seconds, doing)
        if type(reply) is not Done:
            self.cell.refuse(doing, reply)

    def _open(self, request: Request) -> None:
        """Never raises: a seat that cannot be opened fails when it is first asked."""
        try:
            self.cell.wait_until_ready()
            self._tell(request, self.limits.startup_seconds, "starting up")
        except CellError as error:
            self._charge_error(error)


class CellTankSeat(_CellSeat, TankSeat):
    """A tank seat whose Player and tanks are in a cell."""

    def __init__(
        self, index: int, algorithm: Reference, arguments: PlayerArguments, on_fault: OnFault, cell: HeldCell, limits: Limits
    ) -> None:
        super().__init__(index, algorithm.name, on_fault, cell, limits)
        self._last_asked = NOBODY_YET
        self.player = _CellPlayer(self, arguments)
        self._open(OpenTanks(algorithm, index, arguments, cell.watch_infos))

    def create_tank(self, tank_index: int) -> TankAlgorithm:
        """Let the team create a tank; one that could not be created never moves."""
        self._do(CreateTank(tank_index), f"creating tank {tank_index}")
        return _CellTank(self, tank_index)

    def get_actions(self, tanks: Sequence[TankAlgorithm]) -> Sequence[ActionRequest]:
        """Ask ``tanks`` in order, in one message; from a fault on, in ``idle`` mode, they do nothing."""
        if self.fault is not None:
            if self._raises:
                self._raise()
            return [_IDLE] * len(tanks)
        if not tanks:
            return []
        handles: Sequence[Any] = tanks
        try:
            asked = [tank.tank_index for tank in handles if tank._seat is self]
        except AttributeError as error:
            raise _foreign_tank() from error
        if len(asked) != len(tanks):
            raise _foreign_tank()
        if asked[0] <= self._last_asked:
            self.round += 1
        self._last_asked = asked[-1]
        answers: list[ActionRequest] = []
        try:
            reply = self.cell.ask(Act(asked), self.limits.move_seconds * len(asked), "get_action")
            if type(reply) is not Acted:
                self.cell.refuse("get_action", reply)
            answers = self._actions(reply, len(asked))
            if reply.failure is None:
                return answers
            failure = reply.failure
            self.cell.fail(failure)
        except CellError as error:
            self._charge_error(error)
        if self._raises and self.fault is not None:
            raise SeatFault(self.fault, tuple(answers))
        return [*answers, *[_IDLE] * (len(tanks) - len(answers))]

    def _actions(self, reply: Acted, asked: int) -> list[ActionRequest]:
        actions = reply.actions
        enough = len(actions) == asked if reply.failure is None else len(actions) < asked
        if not enough:
            self.cell.refuse("get_action", reply, f"{len(actions)} answers of {asked} tanks")
        if max(actions, default=0) >= len(_ACTIONS):
            self.cell.refuse("get_action", reply, f"no action has the number {max(actions)}")
        return [_ACTIONS[number] for number in actions]

    def ask_one(self, tank_index: int) -> ActionRequest:
        """Ask one tank, in a message of its own."""
        if self.fault is None:
            if tank_index <= self._last_asked:
                self.round += 1
            self._last_asked = tank_index
            try:
                reply = self.cell.ask(Act([tank_index]), self.limits.move_seconds, "get_action")
                if type(reply) is not Acted:
                    self.cell.refuse("get_action", reply)
                if reply.failure is not None:
                    self.cell.fail(reply.failure)
                return self._actions(reply, 1)[0]
            except CellError as error:
                self._charge_error(error)
                self._stop()
        elif self._raises:
            self._raise()
        return _IDLE

    def inform(self, tank_index: int, info: BattleInfo) -> None:
        """Hand a tank what a manager made itself: no object can go to the team's process, but an empty one can be made there."""
        if self.fault is None:
            check_info(info)
        self._do(Inform(tank_index), "update_battle_info")

    def brief(self, tank_index: int, view: SatelliteView, width: int, height: int) -> None:
        """Let the Player update a tank; send it the board if it looks."""
        doing = "update_tank_with_battle_info"
        if self.fault is not None:
            if self._raises:
                self._raise()
            return
        failure: Exception | None = None
        seconds = self.limits.move_seconds
        before = self.cell.cpu_seconds
        try:
            reply = self.cell.ask(Brief(tank_index), seconds, doing)
            if type(reply) is BoardWanted:
                rows, failure = _rows(view, width, height)
                reply = self.cell.ask(Board(rows), seconds - (self.cell.cpu_seconds - before), doing)
            if type(reply) is not Done:
                self.cell.refuse(doing, reply)
        except CellError as error:
            if failure is None:
                self._charge_error(error)
                self._stop()
        if failure is not None:
            raise failure

    def _do(self, request: Request, doing: str) -> None:
        if self.fault is None:
            try:
                self._tell(request, self.limits.move_seconds, doing)
            except CellError as error:
                self._charge_error(error)
                self._stop()
        elif self._raises:
            self._raise()


def _foreign_tank() -> ContractError:
    return ContractError("get_actions was given a tank that this seat did not create")


def _rows(view: SatelliteView, width: int, height: int) -> tuple[list[str] | None, Exception | None]:
    """All rows of a manager's view, or why it could not show them."""
    try:
        rows = rows_of(view, width, height)
        ENCODER.encode(Board(rows))
    except Exception as error:
        return None, error
    return rows, None


class _CellTank(TankAlgorithm):
    """The manager's handle of a tank in a cell."""

    __slots__ = ("_seat", "tank_index")

    def __init__(self, seat: CellTankSeat, tank_index: int) -> None:
        self._seat = seat
        self.tank_index = tank_index

    def get_action(self) -> ActionRequest:
        return self._seat.ask_one(self.tank_index)

    def update_battle_info(self, info: BattleInfo) -> None:
        self._seat.inform(self.tank_index, info)


class _CellPlayer(Player):
    """The manager's handle of a Player in a cell."""

    def __init__(self, seat: CellTankSeat, arguments: PlayerArguments) -> None:
        self._seat = seat
        self._width, self._height = arguments[0], arguments[1]

    def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None:
        if not isinstance(tank, _CellTank) or tank._seat is not self._seat:
            raise ContractError(f"the Player of seat {self._seat.index} was given a tank that its seat did not create")
        self._seat.brief(tank.tank_index, satellite_view, self._width, self._height)


class CellTurnSeat(_CellSeat, TurnSeat[P, A]):
    """A turn seat whose algorithm is in a cell. Like an inline one it always raises SeatFault."""

    def __init__(
        self, index: int, algorithm: Reference, game: Reference, answer_type: type[Any] | None, cell: HeldCell, limits: Limits
    ) -> None:
        super().__init__(index, algorithm.name, "raise", cell, limits)
        self._answers: msgspec.msgpack.Decoder[Any] = msgspec.msgpack.Decoder(Any if answer_type is None else answer_type)
        self._started = False
        self._open(OpenTurns(algorithm, index, game))

    def start(self, position: P) -> None:
        """Create the team's algorithm and show it the first position."""
        self._ask(Start(msgspec.Raw(ENCODER.encode(position))), "starting")
        self._started = True

    def choose(self, position: P) -> A:
        """Ask the team; an answer of another type than the game's is a fault."""
        if self.fault is None:
            if not self._started:
                raise ContractError(f"seat {self.index} was asked to choose before start")
            self.round += 1
        answer: A = self._ask(Choose(msgspec.Raw(ENCODER.encode(position))), "choose")
        return answer

    def _ask(self, request: Start | Choose, doing: str) -> Any:
        if self.fault is not None:
            self._raise()
        try:
            limits = self.limits
            seconds = limits.move_seconds if type(request) is Choose else limits.startup_seconds
            reply = self.cell.ask(request, seconds, doing)
            if type(reply) is Chosen and type(request) is Choose:
                return self.cell.decode_as(self._answers, reply.answer, doing)
            if type(reply) is not Done or type(request) is Choose:
                self.cell.refuse(doing, reply)
        except CellError as error:
            self._charge_error(error)
            self._raise()
        return None
