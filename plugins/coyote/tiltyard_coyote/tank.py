"""The tank: follows its orders and asks for more when they run out."""

from __future__ import annotations

from tiltyard_coyote.player import Orders
from tiltyard_engine import ActionRequest, BattleInfo, TankAlgorithm

START_HEADINGS = (0, 6, 2, 0, 4, 7, 3, 1, 5, 6)
"""By player number, from 1."""
EIGHTHS = {
    ActionRequest.ROTATE_LEFT_45: -1,
    ActionRequest.ROTATE_RIGHT_45: 1,
    ActionRequest.ROTATE_LEFT_90: -2,
    ActionRequest.ROTATE_RIGHT_90: 2,
}
RELOAD_ROUNDS = 5


class CoyoteTank(TankAlgorithm):
    """Knows its own heading and gun; the rest is its Player's business."""

    def __init__(self, player_index: int, tank_index: int) -> None:
        self.heading = START_HEADINGS[player_index]
        self.round = 0
        self.next_shot = 1
        self.orders: list[ActionRequest] = []

    def get_action(self) -> ActionRequest:
        """The next order, or a request for some."""
        self.round += 1
        if not self.orders:
            return ActionRequest.GET_BATTLE_INFO
        action = self.orders.pop(0)
        self.heading = (self.heading + EIGHTHS.get(action, 0)) % 8
        if action is ActionRequest.SHOOT:
            self.next_shot = self.round + RELOAD_ROUNDS
        return action

    def update_battle_info(self, info: BattleInfo) -> None:
        """Tell the Player how this tank stands, and take its orders."""
        assert isinstance(info, Orders)
        self.orders = info.actions(self.heading, max(0, self.next_shot - self.round - 1))
