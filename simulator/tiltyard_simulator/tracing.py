"""Taking down what each tank asked for, from outside the GameManager: works for managers that keep no log."""

from __future__ import annotations

from collections.abc import Sequence

from tiltyard_engine.results import Fault, SeatFault, Termination
from tiltyard_engine.seats import TankSeat
from tiltyard_engine.tanks import ActionRequest, BattleInfo, Player, SatelliteView, TankAlgorithm


class TracingTank(TankAlgorithm):
    """A tank handle that remembers the answers."""

    def __init__(self, tank: TankAlgorithm, tank_index: int) -> None:
        self.tank = tank
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
    def __init__(self, player: Player) -> None:
        self._player = player

    def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None:
        inner = tank.tank if isinstance(tank, TracingTank) else tank
        self._player.update_tank_with_battle_info(inner, satellite_view)


class TracingSeat(TankSeat):
    """A tank seat around another; the GameManager cannot tell."""

    def __init__(self, seat: TankSeat) -> None:
        self._seat = seat
        self.index = seat.index
        self.name = seat.name
        self.player = _TracingPlayer(seat.player)
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
        tank = TracingTank(self._seat.create_tank(tank_index), tank_index)
        self.tanks.append(tank)
        return tank

    def get_actions(self, tanks: Sequence[TankAlgorithm]) -> Sequence[ActionRequest]:
        """Ask the inner seat at once and note the answers."""
        inner = [tank.tank if isinstance(tank, TracingTank) else tank for tank in tanks]
        actions = self._seat.get_actions(inner)
        for tank, action in zip(tanks, actions):
            if isinstance(tank, TracingTank):
                tank.requests.append(action.title)
        return actions
