"""A team of connect four, as ``benchmarks/alike.py`` draws many of them: RULE and the numbers differ from team to team."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tiltyard_engine import TurnAlgorithm, TurnTeam, hookimpl

NAME = "team"
RULE = "lines"
ORDER = "left"
NUMBERS = {"two": 2.0, "three": 10.0, "centre": 1.0, "fear": 1.0, "height": 0.0, "reply": 0.5}
BLOCKS = True


class Player(TurnAlgorithm[Any, int]):
    """Wins if it can, may prevent the opponent's win, and else drops a disc where it is worth most."""

    def __init__(self, seat: int) -> None:
        self.lines: list[tuple[int, ...]] = []

    def choose(self, position: Any) -> int:
        """Answer one turn."""
        squares = "".join(position.rows)
        width = len(position.rows[0])
        if not self.lines:
            self.lines = self.all_lines(width, len(position.rows))
        own, other = str(position.turn), str(3 - position.turn)
        columns = self.in_order(position.columns, width)
        for mover in (own, other) if BLOCKS else (own,):
            for column in columns:
                if self.wins(self.after(squares, width, column, mover), mover):
                    return column
        return max(columns, key=lambda column: self.worth(squares, width, column, own, other))

    def all_lines(self, width: int, height: int) -> list[tuple[int, ...]]:
        """The places of each four squares in a line."""
        lines = []
        for y in range(height):
            for x in range(width):
                for right, down in ((1, 0), (0, 1), (1, 1), (-1, 1)):
                    end_x, end_y = x + 3 * right, y + 3 * down
                    if 0 <= end_x < width and end_y < height:
                        lines.append(tuple((y + step * down) * width + x + step * right for step in range(4)))
        return lines

    def in_order(self, columns: list[int], width: int) -> list[int]:
        """The columns, the one first that is taken where several are worth as much."""
        if ORDER == "right":
            return columns[::-1]
        if ORDER == "centre":
            return sorted(columns, key=lambda column: abs(2 * column + 1 - width))
        return columns

    def after(self, squares: str, width: int, column: int, mover: str) -> str:
        """The board after a disc was dropped."""
        place = column
        while place + width < len(squares) and squares[place + width] == ".":
            place += width
        return squares[:place] + mover + squares[place + 1 :]

    def wins(self, squares: str, mover: str) -> bool:
        """Whether somebody has four in a line."""
        return any(
            squares[one] == mover and squares[two] == mover and squares[three] == mover and squares[four] == mover
            for one, two, three, four in self.lines
        )

    def worth(self, squares: str, width: int, column: int, own: str, other: str) -> float:
        """What a column is worth."""
        following = self.after(squares, width, column, own)
        height = sum(square != "." for square in squares[column::width])
        value = NUMBERS["height"] * height - NUMBERS["centre"] * abs(2 * column + 1 - width)
        if RULE == "heights":
            return value
        value = value + self.balance(following, own, other)
        if RULE == "replies":
            replies = [reply for reply in range(width) if following[reply] == "."]
            worst = max((self.balance(self.after(following, width, reply, other), other, own) for reply in replies), default=0.0)
            value = value - NUMBERS["reply"] * worst
        return value

    def balance(self, squares: str, own: str, other: str) -> float:
        """Open lines of the one, less those of the other."""
        total = 0.0
        for one, two, three, four in self.lines:
            line = squares[one] + squares[two] + squares[three] + squares[four]
            if other not in line:
                total = total + self.of_line(line.count(own))
            elif own not in line:
                total = total - NUMBERS["fear"] * self.of_line(line.count(other))
        return total

    def of_line(self, discs: int) -> float:
        """What so many discs in an open line are worth."""
        if discs == 2:
            return NUMBERS["two"]
        return NUMBERS["three"] if discs > 2 else 0.0


@hookimpl
def algorithms() -> Iterator[TurnTeam]:
    """The team."""
    yield TurnTeam(NAME, "connect-four", Player)
