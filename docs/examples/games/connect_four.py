"""Connect four: players drop discs into columns in turn; who first has four in a line wins.

Shows a game in which players move turn by turn on a board that all see. Play it with::

    tiltyard watch four-random four-careful --map standard --trust ./connect_four.py
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tiltyard_engine import (
    Game,
    GameDisplay,
    GameManager,
    GameMaps,
    GameResult,
    Manager,
    MapError,
    MapFile,
    Match,
    SeatFault,
    SquareStyle,
    Termination,
    Theme,
    TurnAlgorithm,
    TurnInterface,
    TurnSeat,
    TurnTeam,
    hookimpl,
)

DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))
IN_A_LINE = 4
LARGEST = 20


@dataclass(frozen=True)
class Position:
    """What players see, and also the map: a board to begin with."""

    rows: tuple[str, ...]
    """From the top. A square is ``.``, ``1`` or ``2``."""
    turn: int = 1

    @property
    def columns(self) -> list[int]:
        """Those with room, which are the legal moves."""
        return [x for x, top in enumerate(self.rows[0]) if top == "."]

    def dropped(self, column: int) -> tuple[Position, int]:
        """The position after a legal move, and the row in which the disc lies."""
        y = max(y for y, row in enumerate(self.rows) if row[column] == ".")
        changed = self.rows[y][:column] + str(self.turn) + self.rows[y][column + 1 :]
        return Position((*self.rows[:y], changed, *self.rows[y + 1 :]), 3 - self.turn), y

    @property
    def winner(self) -> int:
        """The player with four in a line; 0 is nobody."""
        height, width = len(self.rows), len(self.rows[0])
        for y in range(height):
            for x in range(width):
                for step_x, step_y in DIRECTIONS:
                    line = [(x + number * step_x, y + number * step_y) for number in range(IN_A_LINE)]
                    if all(0 <= at < width and 0 <= row < height for at, row in line):
                        discs = {self.rows[row][at] for at, row in line}
                        if len(discs) == 1 and discs != {"."}:
                            return int(discs.pop())
        return 0


def read_map(name: str, data: bytes, seats: int) -> Position:
    """Read a map: the board's width and height, such as ``7 6``."""
    try:
        width, height = map(int, data.split())
    except ValueError as error:
        raise MapError(f"{name}: expected two whole numbers, the board's width and height") from error
    if not (1 <= width <= LARGEST and 1 <= height <= LARGEST):
        raise MapError(f"{name}: expected a width and a height of 1 to {LARGEST}")
    return Position(("." * width,) * height)


class Referee(GameManager[Position, TurnSeat[Position, int]]):
    """Plays one match."""

    def run(self, match: Match[Position, TurnSeat[Position, int]]) -> GameResult:
        """Ask the players in turn until one has won or failed, or the board is full."""
        position, turns = match.map, 0
        width = len(position.rows[0])
        match.recorder.start(width, len(position.rows), tuple("".join(position.rows)))
        try:
            for seat in match.seats:
                seat.start(position)
            while position.columns and not position.winner:
                seat = match.seats[position.turn - 1]
                column = seat.choose(position)
                if column not in position.columns:
                    raise seat.charge(Termination.ILLEGAL_MOVE, f"column {column} is full or not on the board")
                position, y = position.dropped(column)
                turns += 1
                did = [f"column {column}" if each is seat else "" for each in match.seats]
                match.recorder.frame([(y * width + column, str(seat.index))], did)
        except SeatFault as failed:
            other = 3 - failed.fault.seat
            return GameResult(other, "FAULT", turns, position.rows, message=f"Player {other} won by a fault")
        winner = position.winner
        message = f"Player {winner} won with four in a line" if winner else "Tie, the board is full"
        return GameResult(winner, "LINE" if winner else "FULL", turns, position.rows, message=message)


class RandomPlayer(TurnAlgorithm[Position, int]):
    """Drops a disc into any column with room."""

    def __init__(self, seat: int) -> None:
        self.random = random.Random(seat)

    def choose(self, position: Position) -> int:
        """Answer one turn."""
        return self.random.choice(position.columns)


class CarefulPlayer(RandomPlayer):
    """Wins if it can, else prevents the opponent's win, else plays any column."""

    def choose(self, position: Position) -> int:
        """Answer one turn."""
        for mover in (position.turn, 3 - position.turn):
            for column in position.columns:
                if replace(position, turn=mover).dropped(column)[0].winner:
                    return column
        return super().choose(position)


THEME = Theme(
    seat_colors=("#d55e00", "#e6b800"),
    styles={
        ".": SquareStyle(glyph="· ", plain=". ", label="empty", shape="nothing"),
        "1": SquareStyle(glyph="✕ ", plain="X ", label="disc of player 1", shape="disc", seat=1),
        "2": SquareStyle(glyph="○ ", plain="O ", label="disc of player 2", shape="disc", seat=2),
    },
)


@hookimpl
def games() -> Iterator[Game[Position]]:
    """The game itself."""
    yield Game(
        name="connect-four",
        seats=range(2, 3),
        maps=GameMaps(read_map),
        interface=TurnInterface(Position, int),
        display=GameDisplay(THEME),
        description="drop discs in turn; who first has four in a line wins",
    )


@hookimpl
def game_managers() -> Iterator[Manager]:
    """The referee."""
    yield Manager(name="connect-four-referee", game="connect-four", create=Referee, on_fault="raise")


@hookimpl
def algorithms() -> Iterator[TurnTeam]:
    """Two players."""
    yield TurnTeam("four-random", "connect-four", RandomPlayer)
    yield TurnTeam("four-careful", "connect-four", CarefulPlayer)


@hookimpl
def maps() -> Iterator[MapFile]:
    """The usual board."""
    yield MapFile("standard", "connect-four", b"7 6")
