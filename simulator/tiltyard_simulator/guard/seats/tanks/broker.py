"""Seats with tanks for a GameManager in a cell: the messages between host and cell, and both ends.

The host gives a number to each tank that it creates for the GameManager.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from tiltyard_engine.records import Game, PlayerArguments
from tiltyard_engine.results import Fault, Termination
from tiltyard_engine.seat_kinds.tank_seats import HandleTankSeat, SeatTank
from tiltyard_engine.seats import TankSeat
from tiltyard_engine.tanks import ActionRequest, BattleInfo, SatelliteView, TankAlgorithm, ViewExpiredError
from tiltyard_simulator.guard.broker.messages import DoneResponse
from tiltyard_simulator.guard.broker.remote_seats import HostClient, RemoteSeat
from tiltyard_simulator.guard.broker.seat_servers import AskBack, RequestError, SeatServer
from tiltyard_simulator.guard.cells.messages import ENCODER
from tiltyard_simulator.guard.seats.tanks.cells import ACTIONS, FetchedView, check_info, rows_of

WASTE: Final = 10
"""How many times a round a GameManager may ask each tank. It may be wasteful. But one that asks for ever must not use up a team's
time, so that the team is told that it was too slow."""
FOREIGN: Final = -1
"""Sent instead of a number for a tank that the seat did not create."""


class CreateTankRequest(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """Let the seat create a tank."""

    seat: int
    tank_index: int


class ActionsRequest(msgspec.Struct, frozen=True, array_like=True, tag=2):
    """Ask these tanks of the seat in one message."""

    seat: int
    tanks: list[int]


class OneActionRequest(msgspec.Struct, frozen=True, array_like=True, tag=3):
    """A GameManager's question to a single tank."""

    seat: int
    tank: int


class BriefRequest(msgspec.Struct, frozen=True, array_like=True, tag=4):
    """Let the Player update a tank. The GameManager shows its view if the Player looks at it."""

    seat: int
    tank: int


class InformRequest(msgspec.Struct, frozen=True, array_like=True, tag=5):
    """Hand a tank an empty BattleInfo."""

    seat: int
    tank: int


class Shown(msgspec.Struct, frozen=True, array_like=True, tag=10):
    """The rows of the manager's view, which the host asked for."""

    rows: list[str]


class FailedView(msgspec.Struct, frozen=True, array_like=True, tag=11):
    """The manager's own view failed."""


class CreatedResponse(msgspec.Struct, frozen=True, array_like=True, tag=2):
    """The tank was created and has this number."""

    tank: int
    fault: Fault | None = None


class ActionsResponse(msgspec.Struct, frozen=True, array_like=True, tag=3):
    """One byte for each action, in the order of the request."""

    actions: bytes
    fault: Fault | None = None


class ShowView(msgspec.Struct, frozen=True, array_like=True, tag=7):
    """Show the view of the current briefing."""

    width: int
    height: int


class ViewFailedResponse(msgspec.Struct, frozen=True, array_like=True, tag=8):
    """The briefing ended because the GameManager's own view failed. The GameManager raises that error again."""

    fault: Fault | None = None


# The manager's end


class RemoteTankSeat(RemoteSeat, HandleTankSeat):
    """A tank seat whose real one is the host's."""

    def __init__(self, client: HostClient, index: int, name: str, fault: Fault | None, game: Game[Any]) -> None:
        RemoteSeat.__init__(self, client, index, name, fault, game)
        HandleTankSeat.__init__(self)

    def create_tank(self, tank_index: int) -> TankAlgorithm:
        """Let the team create a tank."""
        response = self._client.call(CreateTankRequest(self.index, int(tank_index)))
        self._check(response)
        return SeatTank(self, tank_index, response.tank)

    def get_actions(self, tanks: Sequence[TankAlgorithm]) -> Sequence[ActionRequest]:
        """Ask ``tanks`` in order, in one message."""
        return self._actions(ActionsRequest(self.index, [self._number_of(tank) for tank in tanks]))

    def ask_one(self, tank: SeatTank) -> ActionRequest:
        """Ask one tank, in a message of its own."""
        return self._actions(OneActionRequest(self.index, tank.port_tank))[0]

    def inform(self, tank: SeatTank, info: BattleInfo) -> None:
        """No object of the GameManager can be sent to the team's process, only an empty one."""
        if self.fault is None:
            check_info(info)
        self._check(self._client.call(InformRequest(self.index, tank.port_tank)))

    def brief(self, tank: TankAlgorithm, view: SatelliteView) -> None:
        """Let the Player update a tank, and show it the view if it looks. Raises what the view raised."""
        failures: list[BaseException] = []

        def show(question: ShowView) -> msgspec.Struct:
            try:
                answer = Shown(rows_of(view, question.width, question.height))
                ENCODER.encode(answer)
            except BaseException as error:
                failures.append(error)
                return FailedView()
            return answer

        response = self._client.call(BriefRequest(self.index, self._number_of(tank)), ShowView, show)
        if type(response) is ViewFailedResponse and failures:
            raise failures[-1]
        self._check(response)

    def _number_of(self, tank: object) -> int:
        """The host's number for a tank of this seat. For another tank, the host's seat raises the usual error."""
        return tank.port_tank if isinstance(tank, SeatTank) and tank.seat is self else FOREIGN

    def _actions(self, request: msgspec.Struct) -> Sequence[ActionRequest]:
        response = self._client.call(request)
        self._check(response)
        return self._answers(response.actions)

    def _answers(self, numbers: bytes) -> list[ActionRequest]:
        return [ACTIONS[number] for number in numbers]


# The host's end


class _ForeignTank(TankAlgorithm):
    """Given to the seat in place of a foreign tank, so that the seat raises its usual error."""

    def get_action(self) -> ActionRequest:
        return ActionRequest.DO_NOTHING

    def update_battle_info(self, info: BattleInfo) -> None:
        return


_FOREIGN_TANK: Final = _ForeignTank()


class TankSeatServer(SeatServer):
    """Serves the requests to a tank seat."""

    def __init__(self, seat: TankSeat, arguments: PlayerArguments, ask_back: AskBack) -> None:
        self._width, self._height, max_steps, _ = arguments
        rounds = max_steps + 1
        super().__init__(seat, WASTE * rounds, f"in a match of {max_steps} rounds")
        self._seat = seat
        self._ask_back = ask_back
        # A GameManager may make a new tank for each action.
        self._most_tanks = self._width * self._height * rounds
        self._created = 0
        self._tanks: list[Any] = []
        self._requests: list[int] = []
        self._updated: list[int] = []

    def create_tank(self, request: CreateTankRequest) -> msgspec.Struct:
        self._created += 1
        if self._created > self._most_tanks:
            raise self.stall(f"created a tank of player {self._seat.index}", self._most_tanks)
        self._tanks.append(self._seat.create_tank(request.tank_index))
        self._requests.append(0)
        self._updated.append(0)
        return CreatedResponse(len(self._tanks) - 1, self.new_fault())

    def get_actions(self, request: ActionsRequest) -> msgspec.Struct:
        tanks = []
        if not request.tanks or min(request.tanks) < 0:
            self.count_rare()
        for number in request.tanks:
            tanks.append(self._tank(number))
            if number >= 0:
                self._count(self._requests, number, "asked")
        return ActionsResponse(bytes(self._seat.get_actions(tanks)), self.new_fault())

    def get_action(self, request: OneActionRequest) -> msgspec.Struct:
        tank = self._own(request.tank)
        self._count(self._requests, request.tank, "asked")
        return ActionsResponse(bytes((tank.get_action(),)), self.new_fault())

    def inform(self, request: InformRequest) -> msgspec.Struct:
        tank = self._own(request.tank)
        self._count(self._updated, request.tank, "updated")
        tank.update_battle_info(BattleInfo())
        return DoneResponse(self.new_fault())

    def brief(self, request: BriefRequest) -> msgspec.Struct:
        tank = self._tank(request.tank)
        view = _ManagersView(self._ask_back, self._width, self._height)
        try:
            if request.tank == FOREIGN:
                self.count_rare()
            else:
                self._count(self._updated, request.tank, "updated")
            self._seat.player.update_tank_with_battle_info(tank, view)
        except ViewFailedError:
            return ViewFailedResponse(self.new_fault())
        finally:
            view.expired = True
        return DoneResponse(self.new_fault())

    def _tank(self, number: int) -> TankAlgorithm:
        """The real seat's tank of that number."""
        return _FOREIGN_TANK if number == FOREIGN else self._own(number)

    def _own(self, number: int) -> TankAlgorithm:
        if not 0 <= number < len(self._tanks):
            raise RequestError(Termination.PROTOCOL, f"run(): player {self._seat.index} has no tank number {number}")
        tank: TankAlgorithm = self._tanks[number]
        return tank

    def _count(self, calls: list[int], number: int, what: str) -> None:
        """Count a call for a tank of this seat, and give up if there are too many."""
        calls[number] += 1
        if calls[number] > self._most:
            index = getattr(self._tanks[number], "tank_index", number)
            raise self.stall(f"{what} tank {index} of player {self._seat.index}", self._most)

    handlers = {  # noqa: RUF012
        **SeatServer.handlers,
        CreateTankRequest: create_tank,
        ActionsRequest: get_actions,
        OneActionRequest: get_action,
        InformRequest: inform,
        BriefRequest: brief,
    }
    back_answers = (Shown, FailedView)
    responses = (CreatedResponse, ActionsResponse, ShowView, ViewFailedResponse)


class ViewFailedError(Exception):
    """The GameManager's view raised an error, which stays in its own process."""


class _ManagersView(FetchedView):
    """The view of a GameManager in a cell. If it cannot be fetched, it is not asked for again."""

    def __init__(self, ask_back: AskBack, width: int, height: int) -> None:
        super().__init__()
        self.expired = False
        self._ask_back = ask_back
        self._width, self._height = width, height
        self._was_asked = False

    def _fetched(self) -> Sequence[str]:
        if self.expired:
            raise ViewExpiredError
        return super()._fetched()

    def _fetch(self) -> Sequence[str]:
        if self._was_asked:
            raise ViewFailedError
        self._was_asked = True
        width, height = self._width, self._height
        answer = self._ask_back(ShowView(width, height), Shown, FailedView)
        if type(answer) is FailedView:
            raise ViewFailedError
        rows: Sequence[str] = answer.rows
        if [*map(len, rows)] != [width] * height:
            problem = f"a step of run(): the view does not have {height} rows of {width} characters"
            raise RequestError(Termination.PROTOCOL, problem)
        return rows
