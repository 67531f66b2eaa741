"""Connect four: players drop discs into columns in turn; the first with four in a line wins.

Shows a game in which players move turn by turn on a board that all see. Play it with::

    tiltyard watch random four-careful --map standard --trust ./connect_four.py
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from tiltyard_engine import SquareStyle, TurnAlgorithm
from tiltyard_engine.rules import Ending, Picture, Rules, game_hooks, whole_numbers


@dataclass(frozen=True)
class Position:
    """What players see."""

    rows: tuple[str, ...]
    """From the top. A square is ``.``, ``1`` or ``2``."""
    turn: int = 1

    @property
    def columns(self) -> list[int]:
        """Those with room, which are the legal moves."""
        return [x for x, top in enumerate(self.rows[0]) if top == "."]

    def dropped(self, column: int) -> Position:
        """The position after a legal move."""
        y = max(y for y, row in enumerate(self.rows) if row[column] == ".")
        changed = self.rows[y][:column] + str(self.turn) + self.rows[y][column + 1 :]
        return Position((*self.rows[:y], changed, *self.rows[y + 1 :]), 3 - self.turn)

    @property
    def winner(self) -> int:
        """The player with four in a line; 0 is nobody."""
        # In one text, the squares of a line are equally far apart, and none goes beyond the end of a row.
        squares, below = "|".join(self.rows), len(self.rows[0]) + 1
        for at, square in enumerate(squares):
            if square in "12" and any(
                squares[at : at + 4 * step : step] == 4 * square for step in (1, below - 1, below, below + 1)
            ):
                return int(square)
        return 0


class ConnectFour(Rules[Position, int]):
    """The rules. ``Rules`` says what each method is for."""

    def start(self, board: tuple[int, int], seats: int, chance: Random) -> Position:
        width, height = board
        return Position(("." * width,) * height)

    def to_move(self, position: Position) -> Sequence[int]:
        return [position.turn]

    def legal(self, position: Position, seat: int) -> Sequence[int]:
        return position.columns

    def play(self, position: Position, answers: Mapping[int, int], chance: Random) -> Position:
        return position.dropped(answers[position.turn])

    def outcome(self, position: Position) -> Ending | None:
        if position.winner:
            return Ending.won_by(position.winner, reason="LINE", message=f"Player {position.winner} won with four in a line")
        return None if position.columns else Ending.won_by(0, reason="FULL", message="Tie, the board is full")

    def draw(self, position: Position, names: Sequence[str]) -> Picture:
        return Picture(position.rows)

    def to_text(self, answer: int, position: Position, seat: int) -> str:
        return f"column {answer}"


class RandomPlayer(TurnAlgorithm[Position, int]):
    """Drops a disc into any column with room."""

    def __init__(self, seat: int) -> None:
        self.random = Random(seat)

    def choose(self, position: Position) -> int:
        """Answer one turn."""
        return self.random.choice(position.columns)


class CarefulPlayer(RandomPlayer):
    """Wins if it can, else prevents the opponent's win, else plays any column."""

    def choose(self, position: Position) -> int:
        """Answer one turn."""
        for mover in (position.turn, 3 - position.turn):
            for column in position.columns:
                if replace(position, turn=mover).dropped(column).winner:
                    return column
        return super().choose(position)


games, algorithms, maps = game_hooks(
    "connect-four",
    ConnectFour(),
    read=whole_numbers("the board's width", "its height", most=20),
    maps={"standard": b"7 6"},
    players={"four-random": RandomPlayer, "four-careful": CarefulPlayer},
    squares={
        "1": SquareStyle(glyph="✕ ", plain="X ", label="disc of player 1", shape="disc", seat=1),
        "2": SquareStyle(glyph="○ ", plain="O ", label="disc of player 2", shape="disc", seat=2),
    },
    description="drop discs in turn; the first with four in a line wins",
)
