"""Lines of fire on a board whose edges join."""

from __future__ import annotations

from collections.abc import Sequence

STEPS = ((0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1))
"""What one step changes, by heading: clockwise from 0, up."""


def find_self(rows: Sequence[str]) -> tuple[int, int]:
    """Where the asking tank stands."""
    for y, row in enumerate(rows):
        x = row.find("%")
        if x >= 0:
            return x, y
    raise ValueError("the view does not show the tank that asked")


def first_object(rows: Sequence[str], x: int, y: int, heading: int, reach: int) -> tuple[str, int]:
    """The first wall or tank in line and its distance; a space and ``reach`` if there is none.

    Shells and mines do not stop a shell for good: a shot flies over mines, and other shells move on.
    """
    step_x, step_y = STEPS[heading]
    height, width = len(rows), len(rows[0])
    for distance in range(1, reach + 1):
        square = rows[(y + distance * step_y) % height][(x + distance * step_x) % width]
        if square not in " @*":
            return square, distance
    return " ", reach


def turns_needed(heading: int, target: int) -> int:
    """Rounds of turning from one heading to another: a round turns by one or two eighths."""
    right = (target - heading) % 8
    return (min(right, 8 - right) + 1) // 2
