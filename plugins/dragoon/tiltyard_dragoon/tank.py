"""The tank: carries out its orders to the letter, so that the Player knows where it is, and asks when they end."""

from __future__ import annotations

from tiltyard_dragoon.orders import Briefing, Report
from tiltyard_dragoon.torus import EIGHTHS, RELOAD_ROUNDS, START_HEADINGS
from tiltyard_engine import ActionRequest, BattleInfo, TankAlgorithm


class DragoonTank(TankAlgorithm):
    """Keeps count of its heading, its shots and its gun."""

    def __init__(self, player_index: int, tank_index: int) -> None:
        self.index = tank_index
        self.heading = START_HEADINGS[player_index]
        self.round = 0
        self.shots = 0
        self.ready = 0
        self.orders: list[ActionRequest] = []

    def get_action(self) -> ActionRequest:
        """The next order, or a request for more."""
        self.round += 1
        if not self.orders:
            return ActionRequest.GET_BATTLE_INFO
        action = self.orders.pop(0)
        self.heading = (self.heading + EIGHTHS.get(action, 0)) & 7
        if action is ActionRequest.SHOOT:
            self.shots += 1
            self.ready = self.round + RELOAD_ROUNDS
        return action

    def update_battle_info(self, info: BattleInfo) -> None:
        """Report to the Player, and take the orders that it gives."""
        assert isinstance(info, Briefing)
        self.orders = list(info.orders(Report(self.index, self.round, self.heading, self.shots, self.ready)))
