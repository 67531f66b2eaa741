"""A game called mine whose author wrote a GameManager: players fill a board in turn, and who puts the last stone has won."""

from __future__ import annotations

from typing import Final

PROJECT: Final = """\
[project]
name = "mine"
version = "0.1.0"

[project.entry-points.tiltyard]
mine = "mine.plugin"
"""
RULES: Final = """\
from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from typing import TypeAlias

from tiltyard_engine import MapError

SEATS = range(2, 3)
EMPTY = "."
Answer: TypeAlias = int


@dataclass(frozen=True)
class Position:
    columns: int
    rows: int
    squares: str
    turn: int = 1


def read_map(name: str, data: bytes, seats: int) -> Position:
    try:
        values = tomllib.loads(data.decode())
        columns, rows = (int(values[key]) for key in ("columns", "rows"))
    except (ValueError, KeyError, TypeError) as error:
        raise MapError(f"{name}: expected whole numbers called columns and rows ({error!r})") from error
    return Position(columns, rows, EMPTY * (columns * rows))


def legal_moves(position: Position) -> list[Answer]:
    return [square for square, stone in enumerate(position.squares) if stone == EMPTY]


def after(position: Position, move: Answer) -> Position:
    squares = position.squares[:move] + str(position.turn) + position.squares[move + 1 :]
    return replace(position, squares=squares, turn=3 - position.turn)


def rows_of(position: Position) -> tuple[str, ...]:
    width = position.columns
    return tuple(position.squares[start : start + width] for start in range(0, len(position.squares), width))
"""
REFEREE: Final = """\
from tiltyard_engine import GameManager, GameResult, Match, SeatFault, Termination, TurnSeat

from mine.rules import Answer, Position, after, legal_moves, rows_of


class Referee(GameManager[Position, TurnSeat[Position, Answer]]):
    def run(self, match: Match[Position, TurnSeat[Position, Answer]]) -> GameResult:
        position, turns = match.map, 0
        match.recorder.start(position.columns, position.rows, tuple(position.squares))
        try:
            for seat in match.seats:
                seat.start(position)
            while legal_moves(position):
                seat = match.seats[position.turn - 1]
                move = seat.choose(position)
                if move not in legal_moves(position):
                    raise seat.charge(Termination.ILLEGAL_MOVE, f"square {move} is not an empty square of the board")
                position = after(position, move)
                turns += 1
                match.recorder.frame([(move, str(seat.index))], [str(move) if each is seat else "" for each in match.seats])
        except SeatFault as failed:
            other = 3 - failed.fault.seat
            return GameResult(other, "FAULT", turns, rows_of(position), message=f"Player {other} won by a fault")
        won = 3 - position.turn
        message = f"Player {won} put the last stone"
        return GameResult(won, "FULL", turns, rows_of(position), message=message)
"""
PLUGIN: Final = """\
from tiltyard_engine import Game, GameMaps, Manager, MapFile, TurnAlgorithm, TurnInterface, TurnTeam, hookimpl

from mine.referee import Referee
from mine.rules import SEATS, Answer, Position, legal_moves, read_map


class First(TurnAlgorithm[Position, Answer]):
    def __init__(self, seat: int) -> None:
        pass

    def choose(self, position: Position) -> Answer:
        return legal_moves(position)[0]


class Last(First):
    def choose(self, position: Position) -> Answer:
        return legal_moves(position)[-1]


@hookimpl
def games():
    yield Game(
        name="mine",
        seats=SEATS,
        maps=GameMaps(read_map),
        interface=TurnInterface(Position, Answer),
    )


@hookimpl
def game_managers():
    yield Manager(name="mine-referee", game="mine", create=Referee, on_fault="raise")


@hookimpl
def algorithms():
    yield TurnTeam("mine-first", "mine", First)
    yield TurnTeam("mine-last", "mine", Last)


@hookimpl
def maps():
    yield MapFile("small", "mine", b"columns = 4\\nrows = 3", seats=0)
"""
FILES: Final = {
    "pyproject.toml": PROJECT,
    "src/mine/__init__.py": "",
    "src/mine/rules.py": RULES,
    "src/mine/referee.py": REFEREE,
    "src/mine/plugin.py": PLUGIN,
}
"""Path to text."""
