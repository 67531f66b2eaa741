"""Taking down what each tank asked for and what views it got, from outside the GameManager: works for managers that keep no log."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeAlias

from tiltyard_engine.results import Fault, SeatFault, Termination
from tiltyard_engine.seats import TankSeat
from tiltyard_engine.tanks import ActionRequest, BattleInfo, Player, SatelliteView, TankAlgorithm

Views: TypeAlias = list[tuple[tuple[int, int, int], str]]
"""(round, seat, tank index) of a view, and the sha256 of its rows."""


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
