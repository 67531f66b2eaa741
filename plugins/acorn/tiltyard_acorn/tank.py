"""The tank: every few rounds it asks for the board; in between it shoots at what is in line, or wanders."""

from __future__ import annotations

from collections.abc import Sequence

from tiltyard_acorn.player import BoardInfo
from tiltyard_engine import ActionRequest, BattleInfo, TankAlgorithm

STEPS = ((0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1))
"""What one step forward changes, by heading: clockwise from 0, up."""
START_HEADINGS = (0, 6, 2, 0, 4, 7, 3, 1, 5, 6)
"""By player number, from 1: left, right, up, down, and so on."""
ROUNDS_BETWEEN_LOOKS = 4
ROUNDS_BETWEEN_SHOTS = 5


class AcornTank(TankAlgorithm):
    """Remembers the board it last saw, and keeps count of its own moves since."""

    def __init__(self, player_index: int, tank_index: int) -> None:
        self.own_digit = str(player_index)
        self.heading = START_HEADINGS[player_index]
        self.rows: Sequence[str] = ()
        self.x = self.y = 0
        self.round = 0
        self.next_look = 1
        self.next_shot = 1

    def get_action(self) -> ActionRequest:
        """Look, or turn to an enemy in line, or shoot at it, or wander."""
        self.round += 1
        if self.round >= self.next_look:
            return ActionRequest.GET_BATTLE_INFO
        enemy_heading = self.heading_of_nearest_enemy()
        if enemy_heading is None:
            return self.wander()
        if enemy_heading != self.heading:
            return self.turn_to(enemy_heading)
        if self.round >= self.next_shot:
            self.next_shot = self.round + ROUNDS_BETWEEN_SHOTS
            return ActionRequest.SHOOT
        return ActionRequest.DO_NOTHING

    def update_battle_info(self, info: BattleInfo) -> None:
        """Copy the board and find this tank on it."""
        assert isinstance(info, BoardInfo)
        self.rows = info.rows
        self.next_look = self.round + ROUNDS_BETWEEN_LOOKS
        for y, row in enumerate(self.rows):
            if "%" in row:
                self.x, self.y = row.index("%"), y

    def object_ahead(self, heading: int, distance: int) -> str:
        """What the last look showed that many squares away; the board's edges join."""
        step_x, step_y = STEPS[heading]
        row = self.rows[(self.y + distance * step_y) % len(self.rows)]
        return row[(self.x + distance * step_x) % len(row)]

    def heading_of_nearest_enemy(self) -> int | None:
        """The heading in which the nearest enemy stands, if one is in line and nothing is in between."""
        in_line: list[tuple[int, int]] = []
        for heading in range(len(STEPS)):
            for distance in range(1, max(len(self.rows), len(self.rows[0]))):
                square = self.object_ahead(heading, distance)
                if square in ("#", "%", self.own_digit):
                    break
                if square.isdigit():
                    in_line.append((distance, heading))
                    break
        return min(in_line)[1] if in_line else None

    def turn_to(self, heading: int) -> ActionRequest:
        """The largest turn that does not go past ``heading``."""
        right = (heading - self.heading) % 8
        if right == 1:
            return self.turn(1, ActionRequest.ROTATE_RIGHT_45)
        if right == 7:
            return self.turn(-1, ActionRequest.ROTATE_LEFT_45)
        if right <= 4:
            return self.turn(2, ActionRequest.ROTATE_RIGHT_90)
        return self.turn(-2, ActionRequest.ROTATE_LEFT_90)

    def turn(self, eighths: int, action: ActionRequest) -> ActionRequest:
        """Note the new heading and pass the action on."""
        self.heading = (self.heading + eighths) % 8
        return action

    def wander(self) -> ActionRequest:
        """One step forward if the square ahead was empty when last seen, else a turn."""
        if self.object_ahead(self.heading, 1) != " ":
            return self.turn(1, ActionRequest.ROTATE_RIGHT_45)
        step_x, step_y = STEPS[self.heading]
        self.x = (self.x + step_x) % len(self.rows[0])
        self.y = (self.y + step_y) % len(self.rows)
        return ActionRequest.MOVE_FORWARD
