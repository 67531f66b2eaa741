"""Seats with a Player and tanks: the port to a team, the one seat over it, and the port to a team in this process."""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Final

from tiltyard_engine.errors import ContractError, show
from tiltyard_engine.records import PlayerArguments, TankTeam
from tiltyard_engine.results import Termination
from tiltyard_engine.seat_kinds.seat_ports import InlinePort, ObservedSeat, OnCrash, OnFault, PortFailure, PortSeat, SeatPort
from tiltyard_engine.seats import TankSeat
from tiltyard_engine.tanks import OUTSIDE, ActionRequest, BattleInfo, Player, SatelliteView, TankAlgorithm, ViewExpiredError

NOBODY_YET: Final = sys.maxsize
"""In place of the tank that was asked last, before the first was asked."""
IDLE: Final = ActionRequest.DO_NOTHING


class TankPort(SeatPort):
    """How a seat reaches a Player and its tanks."""

    asks_at_once = False
    """Whether the port implements ``ask``. If not, the seat asks tank by tank; in this process that is a plain method call."""

    @abstractmethod
    def create(self, tank_index: int) -> Any:
        """Let the team create a tank. What is returned has a ``get_action`` and stands for the tank from then on."""

    def ask(self, tanks: list[int]) -> list[ActionRequest]:
        """Ask the tanks of these indexes, in this order."""
        raise NotImplementedError

    def explain(self, error: BaseException, answers: Sequence[ActionRequest]) -> PortFailure:
        """Turn what a ``get_action`` raised into a failure; an error that is not the team's is raised again."""
        if isinstance(error, PortFailure):
            return error
        raise error

    @abstractmethod
    def inform(self, tank: Any, info: BattleInfo) -> None:
        """Hand a tank what the GameManager made itself."""

    @abstractmethod
    def brief(self, tank: Any, view: SatelliteView) -> None:
        """Let the Player update a tank. Raises what the view raised, if that was the view's own mistake."""


class HandleTankSeat(TankSeat):
    """A tank seat that gives the GameManager handles of its Player and tanks, whose calls come back to the seat."""

    def __init__(self) -> None:
        self.player = _SeatPlayer(self)

    @abstractmethod
    def ask_one(self, tank: SeatTank) -> ActionRequest:
        """``get_action`` of a tank."""

    @abstractmethod
    def inform(self, tank: SeatTank, info: BattleInfo) -> None:
        """``update_battle_info`` of a tank."""

    @abstractmethod
    def brief(self, tank: TankAlgorithm, view: SatelliteView) -> None:
        """``update_tank_with_battle_info`` of the Player, with any tank."""


class SeatTank(TankAlgorithm):
    """The GameManager's handle of a tank."""

    __slots__ = ("port_tank", "seat", "tank_index")

    def __init__(self, seat: HandleTankSeat, tank_index: int, port_tank: Any) -> None:
        self.seat = seat
        self.tank_index = tank_index
        self.port_tank = port_tank
        """What the port created for the tank."""

    def get_action(self) -> ActionRequest:
        return self.seat.ask_one(self)

    def update_battle_info(self, info: BattleInfo) -> None:
        self.seat.inform(self, info)


class _SeatPlayer(Player):
    """The GameManager's handle of a Player."""

    def __init__(self, seat: HandleTankSeat) -> None:
        self._seat = seat

    def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None:
        self._seat.brief(tank, satellite_view)


class PortTankSeat(PortSeat, HandleTankSeat):
    """A tank seat, however its team is held."""

    port: TankPort

    def __init__(self, index: int, name: str, port: TankPort, on_fault: OnFault = "idle") -> None:
        self._last_asked = NOBODY_YET
        """Tanks are asked in the order of their indexes, so a smaller or equal one begins a new round."""
        self._ask = port.ask if port.asks_at_once else None
        HandleTankSeat.__init__(self)
        PortSeat.__init__(self, index, name, port, on_fault)

    def create_tank(self, tank_index: int) -> TankAlgorithm:
        """Let the team create a tank; one that could not be created never moves."""
        return SeatTank(self, tank_index, self._call(self.port.create, tank_index))

    def get_actions(self, tanks: Sequence[TankAlgorithm]) -> Sequence[ActionRequest]:
        """Ask ``tanks`` in order; from a fault on, in ``idle`` mode, they do nothing."""
        if self.fault is not None:
            if self._raises:
                self._raise()
            return [IDLE] * len(tanks)
        answers: list[ActionRequest] = []
        if not tanks:
            return answers
        handles: Sequence[Any] = tanks
        try:
            if handles[0].tank_index <= self._last_asked:
                self.round += 1
            self._last_asked = handles[-1].tank_index
            if self._ask is not None:
                indexes = [tank.tank_index for tank in handles if tank.seat is self]
                if len(indexes) != len(handles):
                    raise ContractError  # noqa: TRY301 -- as below
                return self._ask(indexes)
            for tank in handles:
                if tank.seat is not self:
                    raise ContractError  # noqa: TRY301 -- told from the team's errors below
                answer = tank.port_tank.get_action()
                if answer.__class__ is not ActionRequest:
                    break
                answers.append(answer)
            else:
                return answers
        except BaseException as error:
            # Looked for only now: to check every tank beforehand would cost every round.
            self._check_own(tanks)
            fault = self._charge(self.port.explain(error, answers))
        else:
            fault = self._charge(_wrong_answer(answer, answers))
        if self._raises:
            raise fault
        first_answers: Sequence[Any] = fault.answers
        return [*first_answers, *[IDLE] * (len(tanks) - len(first_answers))]

    def _check_own(self, tanks: Sequence[TankAlgorithm]) -> None:
        for tank in tanks:
            if not isinstance(tank, SeatTank) or tank.seat is not self:
                raise ContractError("get_actions was given a tank that this seat did not create")

    def ask_one(self, tank: SeatTank) -> ActionRequest:
        """Ask one tank for its action; a fault is charged to the seat."""
        if self.fault is None:
            if tank.tank_index <= self._last_asked:
                self.round += 1
            self._last_asked = tank.tank_index
            try:
                answer = tank.port_tank.get_action()
                if answer.__class__ is ActionRequest:
                    return answer
            except BaseException as error:
                failure = self.port.explain(error, ())
            else:
                failure = _wrong_answer(answer)
            self._charge(failure)
        if self._raises:
            self._raise()
        return IDLE

    def brief(self, tank: TankAlgorithm, view: SatelliteView) -> None:
        """Let the Player update a tank."""
        if not isinstance(tank, SeatTank) or tank.seat is not self:
            raise ContractError(f"the Player of seat {self.index} was given a tank that its seat did not create")
        self._call(self.port.brief, tank.port_tank, view)

    def inform(self, tank: SeatTank, info: BattleInfo) -> None:
        """Hand a tank what the GameManager made itself."""
        self._call(self.port.inform, tank.port_tank, info)


class ObservedTankSeat(ObservedSeat, PortTankSeat):
    """A tank seat that others watch."""

    def create_tank(self, tank_index: int) -> TankAlgorithm:
        tank = super().create_tank(tank_index)
        self._begin(tank_index)
        return tank

    def ask_one(self, tank: SeatTank) -> ActionRequest:
        action: ActionRequest = self._tell(tank.tank_index, super().ask_one(tank))
        return action

    def get_actions(self, tanks: Sequence[TankAlgorithm]) -> Sequence[ActionRequest]:
        return [
            self._tell(tank.tank_index, action) if isinstance(tank, SeatTank) and tank.seat is self else action
            for tank, action in zip(tanks, super().get_actions(tanks))
        ]

    def brief(self, tank: TankAlgorithm, view: SatelliteView) -> None:
        if isinstance(tank, SeatTank) and tank.seat is self:
            self._show(tank.tank_index, view)
        super().brief(tank, view)


# In this process


class InlineTankPort(InlinePort, TankPort):
    """A team of tanks in this process; the tanks are the team's own objects."""

    def __init__(self, index: int, team: TankTeam, arguments: PlayerArguments, on_crash: OnCrash | None = None) -> None:
        super().__init__(index, on_crash)
        self._team = team
        self._arguments = arguments
        self.player: Player | None = None
        """The team's own; None if it could not be created."""

    def open(self) -> None:
        """Create the Player in this process, from the team's factory."""
        player: object = self.run("creating the Player", self._team.player, self.index, *self._arguments)
        if not isinstance(player, Player):
            raise PortFailure(Termination.PROTOCOL, f"the player factory returned {type(player).__name__}, not a Player")
        self.player = player

    def create(self, tank_index: int) -> TankAlgorithm:
        """Call the team's tank factory."""
        tank: object = self.run(f"creating tank {tank_index}", self._team.tank, self.index, tank_index)
        if not isinstance(tank, TankAlgorithm):
            raise PortFailure(Termination.PROTOCOL, f"the tank factory returned {type(tank).__name__}, not a TankAlgorithm")
        return tank

    def explain(self, error: BaseException, answers: Sequence[ActionRequest]) -> PortFailure:
        """Whatever a tank raises is a crash of its own."""
        return self.crashed(error, "get_action", answers)

    def inform(self, tank: TankAlgorithm, info: BattleInfo) -> None:
        """Hand it over as it is."""
        self.run("update_battle_info", tank.update_battle_info, info)

    def brief(self, tank: TankAlgorithm, view: SatelliteView) -> None:
        """With a view that expires when the Player returns."""
        assert self.player is not None
        expiring_view = _ExpiringView(view, *self._arguments[:2])
        try:
            self.run("update_tank_with_battle_info", self.player.update_tank_with_battle_info, tank, expiring_view)
        except PortFailure:
            if expiring_view.failure is None:
                raise
        finally:
            expiring_view.expired = True
        if expiring_view.failure is not None:
            raise expiring_view.failure


def _wrong_answer(answer: object, answers: Sequence[ActionRequest] = ()) -> PortFailure:
    return PortFailure(Termination.PROTOCOL, f"get_action returned {show(answer)}, expected an ActionRequest", answers=answers)


class _ExpiringView(SatelliteView):
    """A manager's view for the time of one call; outside the board it always shows ``&``."""

    __slots__ = ("_height", "_view", "_width", "expired", "failure")

    def __init__(self, view: SatelliteView, width: int, height: int) -> None:
        self._view = view
        self._width, self._height = width, height
        self.expired = False
        self.failure: Exception | None = None
        """What the manager's own view raised, although it was asked properly: no fault of the team."""

    def get_object_at(self, x: int, y: int) -> str:
        if self.expired:
            raise ViewExpiredError
        if not (0 <= x < self._width and 0 <= y < self._height):
            return OUTSIDE
        try:
            return self._view.get_object_at(x, y)
        except Exception as error:
            self._blame_manager(error, x, y)
            raise

    def get_rows(self, width: int, height: int) -> Sequence[str]:
        if self.expired:
            raise ViewExpiredError
        size = min(max(width, 0), self._width), min(max(height, 0), self._height)
        try:
            rows = self._view.get_rows(*size)
        except Exception as error:
            self._blame_manager(error, *size)
            raise
        if width > self._width:
            rows = [row + OUTSIDE * (width - self._width) for row in rows]
        return [*rows, *[OUTSIDE * width] * (height - len(rows))]

    def _blame_manager(self, error: Exception, *numbers: object) -> None:
        if all(isinstance(number, int) for number in numbers):
            self.failure = error
