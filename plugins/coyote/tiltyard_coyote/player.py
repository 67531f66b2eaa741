"""The Player: sees the board for a tank and writes its next orders."""

from __future__ import annotations

from collections.abc import Sequence

from tiltyard_coyote.board import STEPS, Board
from tiltyard_coyote.search import Hunt
from tiltyard_engine import ActionRequest, BattleInfo, Player, SatelliteView, TankAlgorithm

REACH = 7
"""Longest shot worth a shell: it arrives before most targets have gone."""
MOST_STATES = 2500
"""Squares times headings searched at most: keeps an answer within a few milliseconds on any board."""
DANGER_STEPS = 6
"""Half-steps of a seen shell that are kept clear: until the tank looks again."""
LONGEST_ORDERS = 4


class Orders(BattleInfo):
    """Talk in both directions: the tank reads the board's answer out of ``actions`` after saying how it stands."""

    def __init__(self, rows: Sequence[str], own_digit: str) -> None:
        self._board = Board(rows, own_digit)

    def actions(self, heading: int, shot_in: int) -> list[ActionRequest]:
        """What to do next, for a tank with this heading that may shoot in so many rounds (0: now)."""
        board = self._board
        danger = board.threatened(DANGER_STEPS)
        if board.me in danger:
            escape = self._escape(heading, danger)
            if escape:
                return escape
        way = Hunt(board, danger | board.yielded(), REACH, MOST_STATES).way((board.me, heading))
        if way is None:
            return []
        if way[-1] is ActionRequest.SHOOT and len(way) <= shot_in:
            # In position before the gun is ready: look again meanwhile.
            return way[:-1]
        return way[:LONGEST_ORDERS]

    def _escape(self, heading: int, danger: set[tuple[int, int]]) -> list[ActionRequest]:
        """The step that leaves the danger with the least turning, if there is one."""
        board = self._board
        for eighths, turn in (
            (0, None),
            (1, ActionRequest.ROTATE_RIGHT_45),
            (-1, ActionRequest.ROTATE_LEFT_45),
            (2, ActionRequest.ROTATE_RIGHT_90),
            (-2, ActionRequest.ROTATE_LEFT_90),
        ):
            ahead = board.step(board.me, (heading + eighths) % len(STEPS))
            if board.at(ahead) == " " and ahead not in danger:
                return [ActionRequest.MOVE_FORWARD] if turn is None else [turn, ActionRequest.MOVE_FORWARD]
        return []


class CoyotePlayer(Player):
    """Needs no memory: every answer is worked out from the view alone."""

    def __init__(self, player_index: int, x: int, y: int, max_steps: int, num_shells: int) -> None:
        self.own_digit = str(player_index)
        self.width, self.height = x, y

    def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None:
        """Hand the tank a planner for the board as it stands."""
        tank.update_battle_info(Orders(satellite_view.get_rows(self.width, self.height), self.own_digit))
