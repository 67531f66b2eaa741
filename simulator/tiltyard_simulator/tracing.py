"""Taking down what each tank (or turn-based team) asked for and what it was shown, from outside the GameManager.

It works for managers that keep no log.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import msgspec

from tiltyard_engine.results import Fault, SeatFault, Termination
from tiltyard_engine.seats import TankSeat, TurnSeat
from tiltyard_engine.tanks import ActionRequest, BattleInfo, Player, SatelliteView, TankAlgorithm

Views: TypeAlias = list[tuple[tuple[int, int, int], str]]
"""(round, seat, tank index) of a view, and the sha256 of its rows; by turns (answers given before, seat, 0) and the position's."""
Requests: TypeAlias = tuple[int, int, tuple[str, ...]]
"""(seat, tank index, what it asked for round by round)."""


class TracingTank(TankAlgorithm):
    """A tank handle that remembers the answers."""

    def __init__(self, tank: TankAlgorithm, tank_index: int, seat_index: int) -> None:
        self.tank = tank
        self.seat_index = seat_index
        self.tank_index = tank_index
        self.requests: list[str] = []

    def get_action(self) -> ActionRequest:
        """Ask the tank and note its answer."""
        action = self.tank.get_action()
        self.requests.append(action.title)
        return action

    def update_battle_info(self, info: BattleInfo) -> None:
        """Pass it on."""
        self.tank.update_battle_info(info)


class _TracingPlayer(Player):
    def __init__(self, player: Player, seat_index: int, width: int, height: int, views: Views) -> None:
        self._player = player
        self._seat_index = seat_index
        self._width, self._height = width, height
        self._views = views

    def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None:
        inner = tank
        if isinstance(tank, TracingTank):
            inner = tank.tank
            if tank.seat_index == self._seat_index:
                rows = satellite_view.get_rows(self._width, self._height)
                digest = hashlib.sha256("\n".join(rows).encode()).hexdigest()
                self._views.append(((len(tank.requests), self._seat_index, tank.tank_index), digest))
        self._player.update_tank_with_battle_info(inner, satellite_view)


class TracingSeat(TankSeat):
    """A tank seat around another; the GameManager cannot tell."""

    def __init__(self, seat: TankSeat, width: int, height: int) -> None:
        self._seat = seat
        self.index = seat.index
        self.name = seat.name
        self.views: Views = []
        self.player = _TracingPlayer(seat.player, seat.index, width, height, self.views)
        self.tanks: list[TracingTank] = []

    @property
    def fault(self) -> Fault | None:  # type: ignore[override]
        """The inner seat's fault."""
        return self._seat.fault

    def charge(self, termination: Termination, message: str) -> SeatFault:
        """Pass it on."""
        return self._seat.charge(termination, message)

    def asked(self) -> Iterator[Requests]:
        """What each tank asked for."""
        for tank in self.tanks:
            yield self.index, tank.tank_index, tuple(tank.requests)

    def create_tank(self, tank_index: int) -> TankAlgorithm:
        """A handle around the inner seat's."""
        tank = TracingTank(self._seat.create_tank(tank_index), tank_index, self.index)
        self.tanks.append(tank)
        return tank

    def get_actions(self, tanks: Sequence[TankAlgorithm]) -> Sequence[ActionRequest]:
        """Ask the inner seat at once and note the answers."""
        inner = [tank.tank if isinstance(tank, TracingTank) else tank for tank in tanks]
        actions = self._seat.get_actions(inner)
        for tank, action in zip(tanks, actions):
            if isinstance(tank, TracingTank) and tank.seat_index == self.index:
                tank.requests.append(action.title)
        return actions


class TracingTurnSeat(TurnSeat[Any, Any]):
    """A turn seat around another."""

    def __init__(self, seat: TurnSeat[Any, Any]) -> None:
        self._seat = seat
        self.index = seat.index
        self.name = seat.name
        self.views: Views = []
        self._answers: list[str] = []

    @property
    def fault(self) -> Fault | None:  # type: ignore[override]
        """The inner seat's fault."""
        return self._seat.fault

    def charge(self, termination: Termination, message: str) -> SeatFault:
        """Pass it on."""
        return self._seat.charge(termination, message)

    def asked(self) -> Iterator[Requests]:
        """The answers, as those of one tank."""
        yield self.index, 0, tuple(self._answers)

    def start(self, position: Any) -> None:
        """Pass it on."""
        self._seat.start(position)

    def choose(self, position: Any) -> Any:
        """Ask the inner seat; note what it was shown and what it answered."""
        self.views.append(((len(self._answers), self.index, 0), hashlib.sha256(_text(position).encode()).hexdigest()))
        answer = self._seat.choose(position)
        self._answers.append(_text(answer))
        return answer


def _text(value: Any) -> str:
    """A game's value in a form that is the same for equal ones."""
    try:
        return msgspec.json.encode(value, order="deterministic").decode()
    except (TypeError, ValueError, OverflowError):
        return repr(value)
