"""What a start position allows: where tanks can drive, and who stands in whose line of fire."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from tiltyard_engine.data_classes import dataclass
from tiltyard_tanks.battle import START_HEADINGS, STEP_X, STEP_Y

LAST_DEADLY_ROUND: Final = 3
"""A shot of round 1 that hits by this round cannot be dodged: a tank that knows nothing looks in round 1, turns in
round 2 and drives off in round 3, in which shells move first."""


def hit_round(distance: int) -> int:
    """The round in which a shell fired in round 1 reaches a square that many steps ahead of the tank."""
    return 1 + distance // 2


LAST_DEADLY_DISTANCE: Final = max(distance for distance in range(1, 99) if hit_round(distance) <= LAST_DEADLY_ROUND)


@dataclass(frozen=True, slots=True)
class LineOfFire:
    """A tank that could hit an enemy with a first shot, without turning, if nobody moved."""

    player: int
    square: int
    enemy: int
    target: int
    """The enemy's square."""
    distance: int

    @property
    def is_deadly(self) -> bool:
        """Whether the shot hits before the enemy can know and leave."""
        return self.distance <= LAST_DEADLY_DISTANCE


def lines_of_fire(grid: tuple[str, ...]) -> list[LineOfFire]:
    """Every tank that has an enemy straight ahead with neither a wall nor a tank of its own before it."""
    height, width = len(grid), len(grid[0])
    lines: list[LineOfFire] = []
    for start, character in tanks_of(grid):
        heading = START_HEADINGS[int(character)]
        y, x = divmod(start, width)
        for distance in range(1, height * width + 1):
            x, y = (x + STEP_X[heading]) % width, (y + STEP_Y[heading]) % height
            ahead = grid[y][x]
            if ahead in " @":
                continue
            if ahead not in ("#", character):
                lines.append(LineOfFire(int(character), start, int(ahead), y * width + x, distance))
            break
    return lines


def tanks_of(grid: tuple[str, ...]) -> list[tuple[int, str]]:
    """Square and digit of every tank, in birth order."""
    width = len(grid[0])
    return [(y * width + x, digit) for y, row in enumerate(grid) for x, digit in enumerate(row) if digit.isdigit()]


@dataclass(frozen=True, slots=True)
class Regions:
    """A board cut into parts between which no tank can drive without dying on a mine or shooting a wall."""

    part: list[int]
    """By square: the number of its part, or -1 for walls and mines."""
    sizes: list[int]
    """By part: its squares."""


def find_regions(grid: Sequence[str]) -> Regions:
    """The parts of a board; tanks drive in eight directions, and across the edges."""
    height, width = len(grid), len(grid[0])
    cells = "".join(grid)
    part = [-1 if character in "#@" else -2 for character in cells]
    sizes: list[int] = []
    for start, state in enumerate(part):
        if state != -2:
            continue
        number = len(sizes)
        part[start] = number
        waiting = [start]
        size = 0
        while waiting:
            square = waiting.pop()
            size += 1
            y, x = divmod(square, width)
            left, right = (x - 1) % width, (x + 1) % width
            for row in ((y - 1) % height * width, y * width, (y + 1) % height * width):
                for neighbour in (row + left, row + x, row + right):
                    if part[neighbour] == -2:
                        part[neighbour] = number
                        waiting.append(neighbour)
        sizes.append(size)
    return Regions(part, sizes)


def parts_with_tanks(grid: tuple[str, ...], regions: Regions) -> list[Counter[int]]:
    """For every part that holds tanks: the players in it and how many tanks each has there."""
    parts: dict[int, Counter[int]] = {}
    for square, digit in tanks_of(grid):
        parts.setdefault(regions.part[square], Counter())[int(digit)] += 1
    return list(parts.values())
