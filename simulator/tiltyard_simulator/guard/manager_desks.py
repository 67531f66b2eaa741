"""The real seat behind each seat of a GameManager in a cell: what was wanted of it, how often, and what came of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import msgspec

from tiltyard_engine.records import Game, PlayerArguments
from tiltyard_engine.results import Fault, SeatFault, Termination
from tiltyard_engine.seats import TankSeat, TurnSeat
from tiltyard_engine.tanks import ActionRequest, BattleInfo, SatelliteView, TankAlgorithm
from tiltyard_simulator.guard.manager_messages import (
    FOREIGN,
    ActionsWanted,
    ActionWanted,
    Answer,
    Answered,
    ChargeWanted,
    ChoiceWanted,
    Created,
    InformingWanted,
    Raised,
    StartWanted,
    TankWanted,
    Tells,
    Told,
)
from tiltyard_simulator.guard.messages import ENCODER, sendable

MOST_TURNS: Final = 100_000
"""Times that a seat of a turn-based game may be asked in a match."""
SPARE_CALLS: Final = 1000
"""Calls that ask no tank, such as charges, beyond one a round."""


class WantError(Exception):
    """The manager wants what nobody may want: its own fault."""

    def __init__(self, termination: Termination, message: str) -> None:
        super().__init__(message)
        self.termination = termination
        self.message = message


class _ForeignTank(TankAlgorithm):
    """What the seat is given there: it refuses it in its own words, or has failed and does not look."""

    def get_action(self) -> ActionRequest:
        return ActionRequest.DO_NOTHING

    def update_battle_info(self, info: BattleInfo) -> None:
        return


_FOREIGN_TANK: Final = _ForeignTank()


class _Desk:
    """What both kinds of seat share."""

    def __init__(self, seat: Any, most: int, length: str) -> None:
        self._seat = seat
        self._most = most
        self._length = length
        self._rare = 0
        self._told: Fault | None = None

    def known(self) -> Fault | None:
        """The seat's fault, when it is to be told for the first time."""
        fault: Fault | None = self._seat.fault
        if fault is None or self._told is not None:
            return None
        self._told = fault
        return replace(fault, message=sendable(fault.message), traceback=sendable(fault.traceback))

    def charge(self, want: ChargeWanted) -> Tells:
        self.count_rare()
        self._seat.charge(want.termination, want.message)
        return Raised(self.known())

    def count_rare(self) -> None:
        """One of those calls that no manager needs more than once a round."""
        self._rare += 1
        if self._rare > self._most + SPARE_CALLS:
            raise self._stall(f"made calls to player {self._seat.index} that ask nobody", self._most + SPARE_CALLS)

    def _stall(self, what: str, most: int) -> WantError:
        return WantError(Termination.STALL, f"run() {what} more than {most} times {self._length}")


class TankDesk(_Desk):
    """A tank seat's."""

    def __init__(self, seat: TankSeat, arguments: PlayerArguments) -> None:
        width, height, max_steps, _ = arguments
        super().__init__(seat, max_steps + 1, f"in a match of {max_steps} rounds")
        self._seat: TankSeat = seat
        self._most_tanks = width * height
        self._created = 0
        self._tanks: list[Any] = []
        self._asked: list[int] = []
        self._updated: list[int] = []

    def create_tank(self, want: TankWanted) -> Tells:
        self._created += 1
        if self._created > self._most_tanks:
            raise self._stall(f"created a tank of player {self._seat.index}", self._most_tanks)
        self._tanks.append(self._seat.create_tank(want.tank_index))
        self._asked.append(0)
        self._updated.append(0)
        return Created(len(self._tanks) - 1, self.known())

    def get_actions(self, want: ActionsWanted) -> Tells:
        asked, most, numbers = self._asked, self._most, want.tanks
        tanks = []
        if not numbers or min(numbers) < 0:
            self.count_rare()
        for number in numbers:
            tanks.append(self.tank(number))
            if number >= 0:
                asked[number] += 1
                if asked[number] > most:
                    raise self._stall(f"asked {self._name(number)}", most)
        return Answered(bytes(self._seat.get_actions(tanks)), self.known())

    def get_action(self, want: ActionWanted) -> Tells:
        tank = self._own(want.tank)
        self._asked[want.tank] += 1
        if self._asked[want.tank] > self._most:
            raise self._stall(f"asked {self._name(want.tank)}", self._most)
        return Answered(bytes((tank.get_action(),)), self.known())

    def inform(self, want: InformingWanted) -> Tells:
        tank = self._own(want.tank)
        self._count_update(want.tank)
        tank.update_battle_info(BattleInfo())
        return Told(self.known())

    def brief(self, number: int, view: SatelliteView) -> Tells:
        tank = self.tank(number)
        self._count_update(number)
        self._seat.player.update_tank_with_battle_info(tank, view)
        return Told(self.known())

    def tank(self, number: int) -> TankAlgorithm:
        """The real seat's tank of that number."""
        return _FOREIGN_TANK if number == FOREIGN else self._own(number)

    def _own(self, number: int) -> TankAlgorithm:
        if not 0 <= number < len(self._tanks):
            raise WantError(Termination.PROTOCOL, f"run(): player {self._seat.index} has no tank number {number}")
        tank: TankAlgorithm = self._tanks[number]
        return tank

    def _count_update(self, number: int) -> None:
        if number == FOREIGN:
            self.count_rare()
            return
        self._updated[number] += 1
        if self._updated[number] > self._most:
            raise self._stall(f"updated {self._name(number)}", self._most)

    def _name(self, number: int) -> str:
        index = getattr(self._tanks[number], "tank_index", number)
        return f"tank {index} of player {self._seat.index}"


class TurnDesk(_Desk):
    """A turn seat's; positions and answers are of the game's types on both sides."""

    def __init__(self, seat: TurnSeat[Any, Any], game: Game[Any]) -> None:
        super().__init__(seat, MOST_TURNS, "in a match")
        self._seat: TurnSeat[Any, Any] = seat
        self._positions: msgspec.msgpack.Decoder[Any] = msgspec.msgpack.Decoder(game.position_type or Any)
        self._answers: msgspec.msgpack.Decoder[Any] = msgspec.msgpack.Decoder(game.answer_type or Any)
        self._asked = 0

    def start(self, want: StartWanted) -> Tells:
        self.count_rare()
        self._seat.start(self._position(want.position, "start"))
        return Told(self.known())

    def choose(self, want: ChoiceWanted) -> Tells:
        self._asked += 1
        if self._asked > MOST_TURNS:
            raise self._stall(f"asked player {self._seat.index}", MOST_TURNS)
        answer = self._seat.choose(self._position(want.position, "choose"))
        try:
            data = ENCODER.encode(answer)
            self._answers.decode(data)
        except (TypeError, ValueError, OverflowError, RecursionError) as error:
            # Of a team in this process: one in a cell has been through this already.
            fault: SeatFault = self._seat.charge(Termination.PROTOCOL, f"choose returned what cannot be sent: {error}")
            raise fault from error
        return Answer(msgspec.Raw(data), self.known())

    def _position(self, data: msgspec.Raw, call: str) -> Any:
        try:
            return self._positions.decode(data)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, ValueError, TypeError) as error:
            raise WantError(Termination.PROTOCOL, f"{call} was given what is no position of the game: {error}") from error
