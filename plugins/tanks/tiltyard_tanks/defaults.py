"""The algorithms that ``tanks_game`` plays with where none are named: two kinds of Player and tank, simple on purpose.

Assignment 2 asks for different concrete classes for the two players. Further players take them in turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tiltyard_engine.records import TankTeam
from tiltyard_engine.tanks import ActionRequest, BattleInfo, Player, SatelliteView, TankAlgorithm
from tiltyard_tanks.battle import START_HEADINGS, STEP_X, STEP_Y

LOOK_EVERY: Final = 6
RELOAD: Final = 5


class BoardInfo(BattleInfo):
    """A copy of the view, row by row."""

    def __init__(self, rows: Sequence[str]) -> None:
        self.rows = rows


class LineOfFire(BattleInfo):
    """The headings in which an enemy stands with nothing but air and mines in between, nearest first."""

    def __init__(self, headings: Sequence[int]) -> None:
        self.headings = headings


def find(rows: Sequence[str], character: str) -> tuple[int, int]:
    """Column and row of the first such character; (0, 0) if it is nowhere."""
    return next(((row.index(character), y) for y, row in enumerate(rows) if character in row), (0, 0))


def enemy_headings(rows: Sequence[str], x: int, y: int, own_digit: str) -> list[int]:
    """Headings in which an enemy stands with only air, mines and shells in between, nearest first."""
    height, width = len(rows), len(rows[0])
    targets: list[tuple[int, int]] = []
    for heading in range(8):
        for distance in range(1, max(width, height)):
            square = rows[(y + distance * STEP_Y[heading]) % height][(x + distance * STEP_X[heading]) % width]
            if square in ("#", "%", own_digit):
                break
            if square.isdigit():
                targets.append((distance, heading))
                break
    return [heading for _, heading in sorted(targets)]


def turn_towards(heading: int, target: int) -> tuple[int, ActionRequest]:
    """The new heading after the largest turn that does not pass ``target``, and the request for it."""
    right = (target - heading) % 8
    if right == 1:
        return target, ActionRequest.ROTATE_RIGHT_45
    if right == 7:
        return target, ActionRequest.ROTATE_LEFT_45
    if right <= 4:
        return (heading + 2) % 8, ActionRequest.ROTATE_RIGHT_90
    return (heading - 2) % 8, ActionRequest.ROTATE_LEFT_90


class RoverPlayer(Player):
    """Hands its tanks the whole board."""

    def __init__(self, player_index: int, x: int, y: int, max_steps: int, num_shells: int) -> None:
        self.width, self.height = x, y

    def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None:
        """Copy the view and pass it on."""
        tank.update_battle_info(BoardInfo(satellite_view.get_rows(self.width, self.height)))


class RoverTank(TankAlgorithm):
    """Drives towards the nearest enemy, round obstacles as it meets them, and shoots at what is in line."""

    def __init__(self, player_index: int, tank_index: int) -> None:
        self.own_digit = str(player_index)
        self.heading = START_HEADINGS[player_index]
        self.rows: Sequence[str] = ()
        self.x = self.y = 0
        self.round = 0
        self.loaded = 0
        self.detour = 0

    def get_action(self) -> ActionRequest:
        """Look regularly; else aim and shoot, or drive."""
        self.round += 1
        if self.round % LOOK_EVERY == 1:
            return ActionRequest.GET_BATTLE_INFO
        targets = enemy_headings(self.rows, self.x, self.y, self.own_digit)
        if self.heading in targets and self.loaded <= self.round:
            self.loaded = self.round + RELOAD
            return ActionRequest.SHOOT
        if targets and self.heading not in targets:
            self.heading, action = turn_towards(self.heading, targets[0])
            return action
        return self._drive()

    def _drive(self) -> ActionRequest:
        ahead_x = (self.x + STEP_X[self.heading]) % len(self.rows[0])
        ahead_y = (self.y + STEP_Y[self.heading]) % len(self.rows)
        target = self._heading_to_enemy()
        if not self.detour and target != self.heading:
            self.heading, action = turn_towards(self.heading, target)
            return action
        if self.rows[ahead_y][ahead_x] != " ":
            self.detour = 3
            self.heading = (self.heading + 1) % 8
            return ActionRequest.ROTATE_RIGHT_45
        self.detour = max(0, self.detour - 1)
        self.x, self.y = ahead_x, ahead_y
        return ActionRequest.MOVE_FORWARD

    def _heading_to_enemy(self) -> int:
        """The heading that brings the nearest enemy nearer; the present one if there is none."""
        height, width = len(self.rows), len(self.rows[0])
        ways = [
            (_shortest(x - self.x, width), _shortest(y - self.y, height))
            for y, row in enumerate(self.rows)
            for x, square in enumerate(row)
            if square.isdigit() and square != self.own_digit
        ]
        if not ways:
            return self.heading
        dx, dy = min(ways, key=lambda way: max(abs(way[0]), abs(way[1])))
        steps = list(zip(STEP_X, STEP_Y, strict=True))
        return steps.index(((dx > 0) - (dx < 0), (dy > 0) - (dy < 0))) if (dx, dy) != (0, 0) else self.heading

    def update_battle_info(self, info: BattleInfo) -> None:
        """Remember the board and where this tank stands."""
        if isinstance(info, BoardInfo):
            self.rows = info.rows
            self.x, self.y = find(self.rows, "%")


def _shortest(distance: int, size: int) -> int:
    """The shorter way round, with its sign."""
    return (distance + size // 2) % size - size // 2


class SentryPlayer(Player):
    """Looks for enemies itself and tells its tanks only where to aim."""

    def __init__(self, player_index: int, x: int, y: int, max_steps: int, num_shells: int) -> None:
        self.own_digit = str(player_index)
        self.width, self.height = x, y

    def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None:
        """Find the headings of enemies and pass them on."""
        rows = satellite_view.get_rows(self.width, self.height)
        tank.update_battle_info(LineOfFire(enemy_headings(rows, *find(rows, "%"), self.own_digit)))


class SentryTank(TankAlgorithm):
    """Stays where it is, turns to enemies in line and shoots."""

    def __init__(self, player_index: int, tank_index: int) -> None:
        self.heading = START_HEADINGS[player_index]
        self.targets: Sequence[int] = ()
        self.round = 0
        self.loaded = 0

    def get_action(self) -> ActionRequest:
        """Aim and shoot; with nothing to aim at, look."""
        self.round += 1
        if not self.targets or self.round % LOOK_EVERY == 0:
            return ActionRequest.GET_BATTLE_INFO
        if self.heading != self.targets[0]:
            self.heading, action = turn_towards(self.heading, self.targets[0])
            return action
        if self.loaded <= self.round:
            self.loaded = self.round + RELOAD
            return ActionRequest.SHOOT
        return ActionRequest.DO_NOTHING

    def update_battle_info(self, info: BattleInfo) -> None:
        """Remember the heading in which the Player saw an enemy in line."""
        if isinstance(info, LineOfFire):
            self.targets = info.headings


DEFAULT_TEAMS: Final = (TankTeam("rover", RoverPlayer, RoverTank), TankTeam("sentry", SentryPlayer, SentryTank))
"""Player 1's, player 2's; further players take them in turn."""
