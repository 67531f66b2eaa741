"""A copy of what a view showed, with the torus geometry around it."""

from __future__ import annotations

from collections.abc import Sequence

STEPS = ((0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1))
"""What one step changes, by heading: clockwise from 0, up."""

Square = tuple[int, int]
"""Column and row."""


class Board:
    """What stood where at the end of the last round."""

    def __init__(self, rows: Sequence[str], own_digit: str) -> None:
        self.rows = rows
        self.height, self.width = len(rows), len(rows[0])
        self.own_digit = own_digit
        self.me: Square = (0, 0)
        self.shells: list[Square] = []
        self.enemies: list[Square] = []
        self.elders: list[Square] = []
        """Own tanks that come before this one on the board, row by row: they have the right of way."""
        met_self = False
        for y, row in enumerate(rows):
            if not row.strip(" #@"):
                continue
            for x, square in enumerate(row):
                if square == "%":
                    self.me = (x, y)
                    met_self = True
                elif square == "*":
                    self.shells.append((x, y))
                elif square == own_digit:
                    if not met_self:
                        self.elders.append((x, y))
                elif square.isdigit():
                    self.enemies.append((x, y))

    def at(self, square: Square) -> str:
        """The character that the view shows on a square."""
        return self.rows[square[1]][square[0]]

    def step(self, square: Square, heading: int, distance: int = 1) -> Square:
        """The square so many steps on; the edges join."""
        step_x, step_y = STEPS[heading]
        return (square[0] + distance * step_x) % self.width, (square[1] + distance * step_y) % self.height

    def yielded(self) -> set[Square]:
        """Squares that an own tank with the right of way may step on next."""
        return {self.step(elder, heading) for elder in self.elders for heading in range(len(STEPS))}

    def threatened(self, steps: int) -> set[Square]:
        """Squares that a shell seen flying may enter within so many half-steps: it may fly in any heading."""
        squares: set[Square] = set()
        for shell in self.shells:
            squares.add(shell)
            for heading in range(len(STEPS)):
                square = shell
                for _ in range(steps):
                    square = self.step(square, heading)
                    if self.at(square) == "#":
                        break
                    squares.add(square)
        return squares
