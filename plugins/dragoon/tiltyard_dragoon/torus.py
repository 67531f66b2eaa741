"""The geometry of a board whose edges join, and the numbers that actions and headings go by.

A square is ``y * width + x``. Headings count clockwise from 0, up; ``heading ^ 4`` is the opposite one.
"""

from __future__ import annotations

from tiltyard_engine import ActionRequest

FREE, MINE, WALL = 0, 1, 2
"""What stands on a square of the ground."""
STEP_X = (0, 1, 1, 1, 0, -1, -1, -1)
STEP_Y = (-1, -1, 0, 1, 1, 1, 0, -1)
START_HEADINGS = (0, 6, 2, 0, 4, 7, 3, 1, 5, 6)
"""By player number, from 1."""
RELOAD_ROUNDS = 5
"""A tank that shot in round t may shoot again in round t + 5."""

EIGHTHS = {
    ActionRequest.ROTATE_LEFT_90: -2,
    ActionRequest.ROTATE_RIGHT_90: 2,
    ActionRequest.ROTATE_LEFT_45: -1,
    ActionRequest.ROTATE_RIGHT_45: 1,
}
"""Eighths of a turn clockwise."""


class Torus:
    """Look-up tables for one size of board."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.area = width * height
        self.ahead = [self._shifted(heading) for heading in range(8)]
        """``[heading][square]``: the square one step on."""

    def _shifted(self, heading: int) -> list[int]:
        width, height = self.width, self.height
        step_x = STEP_X[heading]
        table: list[int] = []
        for y in range(height):
            start = (y + STEP_Y[heading]) % height * width
            row = list(range(start, start + width))
            table += row[step_x:] + row[:step_x]
        return table

    def offset(self, origin: int, target: int) -> tuple[int, int]:
        """The shortest way in columns and rows."""
        across = (target - origin) % self.width
        down = (target // self.width - origin // self.width) % self.height
        if across * 2 > self.width:
            across -= self.width
        if down * 2 > self.height:
            down -= self.height
        return across, down

    def gap(self, origin: int, target: int) -> int:
        """Steps from one square to another when nothing is in the way."""
        across, down = self.offset(origin, target)
        return max(abs(across), abs(down))

    def bearing(self, origin: int, target: int) -> int:
        """The heading from one square to another if they are in line by the shortest way, else -1."""
        across, down = self.offset(origin, target)
        if (across == 0 and down == 0) or (across and down and abs(across) != abs(down)):
            return -1
        sign_x, sign_y = (across > 0) - (across < 0), (down > 0) - (down < 0)
        return next(heading for heading in range(8) if STEP_X[heading] == sign_x and STEP_Y[heading] == sign_y)
