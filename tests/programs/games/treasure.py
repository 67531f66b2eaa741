"""Treasure: a row of squares with coins that nobody sees before somebody digs there. One to four players dig in turn.

It has everything that a game can have: maps of its own and generated ones, chance, hidden values, scores, ranks, a theme.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

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
    hides,
    hookimpl,
)

MOST_SQUARES = 40
MOST_COINS = 9


@dataclass(frozen=True)
class Beach:
    """The map: how many squares, and how many of them may be dug up."""

    squares: int
    digs: int


@dataclass(frozen=True)
class State:
    """All there is, which nobody is shown."""

    coins: tuple[int, ...]
    owners: str
    """A character a square: ``.`` or who dug there."""


@dataclass(frozen=True)
class Position:
    """What a player sees: who dug where, and the coins on those squares; others are -1."""

    owners: str
    coins: tuple[int, ...]
    seat: int


@dataclass(frozen=True)
class Dig:
    """An answer."""

    square: int


def other_coins(state: State, seat: int, chance: random.Random) -> State:
    """The same beach with other coins where nobody has dug."""
    coins = [chance.randint(0, MOST_COINS) if owner == "." else own for own, owner in zip(state.coins, state.owners)]
    return replace(state, coins=tuple(coins))


@hides(other_coins)
def view(state: State, seat: int) -> Position:
    """What a seat is shown."""
    coins = tuple(-1 if owner == "." else own for own, owner in zip(state.coins, state.owners))
    return Position(state.owners, coins, seat)


def read_map(name: str, data: bytes, seats: int) -> Beach:
    """``squares 8``."""
    try:
        word, number = data.decode("ascii").split()
        squares = int(number)
    except ValueError as error:
        raise MapError(f"{name}: expected 'squares NUMBER'") from error
    if word != "squares" or not 1 <= squares <= MOST_SQUARES:
        raise MapError(f"{name}: expected 'squares' and a number from 1 to {MOST_SQUARES}")
    return Beach(squares, squares)


def generate_map(options: Any, seed: int, seats: int) -> bytes:
    """A beach of any length."""
    chance = random.Random(seed)
    return b"squares %d" % (2 + chance.randrange(19))


def truncate(beach: Beach, rounds: int) -> Beach:
    """The same beach with fewer digs."""
    return replace(beach, digs=rounds)


def describe(beach: Beach, result: GameResult) -> str:
    """Who has most."""
    coins = " : ".join(f"{score:g}" for score in result.scores)
    return f"Player {result.winner} won, {coins} coins" if result.winner else f"Tie, {coins} coins"


class Referee(GameManager[Beach, TurnSeat[Position, Dig]]):
    """Asks in turn until all is dug up."""

    def run(self, match: Match[Beach, TurnSeat[Position, Dig]]) -> GameResult:
        beach, seats = match.map, match.seats
        chance = random.Random(match.seed)
        state = State(tuple(chance.randint(0, MOST_COINS) for _ in range(beach.squares)), "." * beach.squares)
        scores = [0.0] * len(seats)
        failed: set[int] = set()
        digs = 0
        match.recorder.start(beach.squares, 1, state.owners)
        try:
            for seat in seats:
                seat.start(view(state, seat.index))
            while digs < min(beach.squares, beach.digs):
                seat = seats[digs % len(seats)]
                square = seat.choose(view(state, seat.index)).square
                if not (0 <= square < beach.squares and state.owners[square] == "."):
                    raise seat.charge(Termination.ILLEGAL_MOVE, f"nobody can dig on square {square}")
                owners = state.owners[:square] + str(seat.index) + state.owners[square + 1 :]
                state = replace(state, owners=owners)
                scores[seat.index - 1] += state.coins[square]
                digs += 1
                match.recorder.frame([(square, str(seat.index))], [f"digs on {square}"], scores)
        except SeatFault as fault:
            failed.add(fault.fault.seat)
        order = [-1.0 if seat.index in failed else scores[seat.index - 1] for seat in seats]
        ranks = tuple(1 + sum(other > own for other in order) for own in order)
        winner = ranks.index(1) + 1 if ranks.count(1) == 1 and not (failed and len(seats) == 1) else 0
        reason = "FAULT" if failed else "DUG_UP"
        return GameResult(winner, reason, digs, (state.owners,), ranks=ranks, scores=tuple(scores))


class First(TurnAlgorithm[Position, Dig]):
    """Digs on the first square that is left."""

    def __init__(self, seat: int) -> None:
        self.seat = seat

    def choose(self, position: Position) -> Dig:
        return Dig(position.owners.index("."))


class Last(First):
    """Digs on the last one."""

    def choose(self, position: Position) -> Dig:
        return Dig(position.owners.rindex("."))


@hookimpl
def games() -> Iterator[Game[Any]]:
    colors = ("#0072b2", "#e69f00", "#009e73", "#cc79a7")
    styles = {str(seat): SquareStyle(glyph="()", plain="()", shape="disc", mark=str(seat), seat=seat) for seat in range(1, 5)}
    styles["."] = SquareStyle(glyph="··", plain="..", label="sand")
    yield Game(
        name="treasure",
        seats=range(1, 5),
        maps=GameMaps(read_map, truncate=truncate, generate=generate_map),
        interface=TurnInterface(Position, Dig),
        display=GameDisplay(Theme(styles=styles, seat_colors=colors), describe),
        default_manager="treasure-referee",
    )


@hookimpl
def game_managers() -> Iterator[Manager]:
    yield Manager(name="treasure-referee", game="treasure", create=Referee, on_fault="raise")


@hookimpl
def algorithms() -> Iterator[TurnTeam]:
    yield TurnTeam("first", "treasure", First)
    yield TurnTeam("last", "treasure", Last)


@hookimpl
def maps() -> Iterator[MapFile]:
    yield MapFile("cove", "treasure", b"squares 9", 0)
