"""The tank: turns to the target it can hit soonest, shoots, and looks again."""

from __future__ import annotations

from tiltyard_bramble.lines import turns_needed
from tiltyard_bramble.player import Scan, Target
from tiltyard_engine import ActionRequest, BattleInfo, TankAlgorithm

START_HEADINGS = (0, 6, 2, 0, 4, 7, 3, 1, 5, 6)
"""By player number, from 1."""
TURNS = {
    1: ActionRequest.ROTATE_RIGHT_45,
    2: ActionRequest.ROTATE_RIGHT_90,
    -1: ActionRequest.ROTATE_LEFT_45,
    -2: ActionRequest.ROTATE_LEFT_90,
}
"""By eighths of a turn clockwise."""
RELOAD_ROUNDS = 5
LOOKS_BEFORE_MOVING = 30
"""After so many looks in a row without a target the turret takes a step, so that two turrets do not wait for ever."""
RAPID_RANGE = 8
"""Beyond this distance a target has time to leave: a second look comes before the shot."""


class BrambleTank(TankAlgorithm):
    """Works off a short list of actions and looks again when it is empty."""

    def __init__(self, player_index: int, tank_index: int) -> None:
        self.heading = START_HEADINGS[player_index]
        self.round = 0
        self.next_shot = 1
        self.empty_looks = 0
        self.todo: list[ActionRequest] = []

    def get_action(self) -> ActionRequest:
        """The next action of the list; a look if there is none."""
        self.round += 1
        if not self.todo:
            return ActionRequest.GET_BATTLE_INFO
        action = self.todo.pop(0)
        if action is ActionRequest.SHOOT:
            self.next_shot = self.round + RELOAD_ROUNDS
        return action

    def update_battle_info(self, info: BattleInfo) -> None:
        """Choose the target that can be shot at first, the nearest of those."""
        assert isinstance(info, Scan)
        if info.targets:
            self.empty_looks = 0
            self.engage(min(info.targets, key=self.urgency))
            return
        self.empty_looks += 1
        if self.empty_looks >= LOOKS_BEFORE_MOVING and info.open_headings:
            self.empty_looks = 0
            self.shift(info.open_headings)

    def urgency(self, target: Target) -> tuple[int, int]:
        """Rounds until a shell could arrive there, then the heading, so that the choice is always the same."""
        return turns_needed(self.heading, target.heading) + target.distance // 2, target.heading

    def engage(self, target: Target) -> None:
        """Turn to the target; shoot if the shot can follow at once."""
        self.turn_to(target.heading)
        shot_round = self.round + len(self.todo) + 1
        if shot_round < self.next_shot:
            return
        if self.todo and target.distance > RAPID_RANGE:
            return
        self.todo.append(ActionRequest.SHOOT)

    def shift(self, open_headings: tuple[int, ...]) -> None:
        """One step to an empty square next to this one."""
        self.turn_to(min(open_headings, key=lambda heading: (turns_needed(self.heading, heading), heading)))
        self.todo.append(ActionRequest.MOVE_FORWARD)

    def turn_to(self, target: int) -> None:
        """Add the turns that lead to a heading."""
        right = (target - self.heading) % 8
        left_over = right if right <= 4 else right - 8
        while left_over:
            turn = max(-2, min(2, left_over))
            self.todo.append(TURNS[turn])
            left_over -= turn
        self.heading = target
