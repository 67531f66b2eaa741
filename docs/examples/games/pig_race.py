"""Pig race: roll a die as often as you like and go as far; but a 1 takes you back to where your turn began.

Shows chance from the match's seed, which the replay keeps, and a game of 2 to 9 players with scores and ranks. Play it with::

    tiltyard watch bold bold careful --map fifty --trust ./pig_race.py
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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
    ranks_of,
    start_all,
    winner_of,
)

ROLL, HOLD = "roll", "hold"
LONGEST = 200
MOST_TURNS = 500
COLORS = ("#d55e00", "#0072b2", "#009e73", "#cc79a7", "#b79f00", "#56b4e9", "#7f3c8d", "#a0522d", "#6e6e6e")


@dataclass(frozen=True)
class Position:
    """What a player sees who may roll again."""

    goal: int
    places: tuple[int, ...]
    """How far each player was when this turn began; player 1 first."""
    seat: int
    """Who is asked."""
    gained: int
    """What the rolls of this turn add up to; 0 at its beginning."""


def read_map(name: str, data: bytes, seats: int) -> int:
    """Read a map: how far the goal is."""
    try:
        goal = int(data)
    except ValueError as error:
        raise MapError(f"{name}: expected a whole number, how far the goal is") from error
    if not 1 <= goal <= LONGEST:
        raise MapError(f"{name}: expected a goal of 1 to {LONGEST}")
    return goal


class Referee(GameManager[int, TurnSeat[Position, str]]):
    """Plays one match."""

    def run(self, match: Match[int, TurnSeat[Position, str]]) -> GameResult:
        """Let the players roll in turn until one is at the goal. Who fails stays where they are, and the others go on."""
        # The only source of chance: the same seed gives the same match. What was rolled is in the replay.
        chance = random.Random(match.seed)
        goal, places, turns = match.map, [0] * len(match.seats), 0
        board = "".join(rows_of(goal, places))
        match.recorder.start(goal + 1, len(places), tuple(board))
        start_all({seat: Position(goal, tuple(places), seat.index, 0) for seat in match.seats})
        while max(places) < goal and turns < MOST_TURNS and any(seat.fault is None for seat in match.seats):
            seat = match.seats[turns % len(places)]
            turns += 1
            try:
                rolled = self._turn(seat, Position(goal, tuple(places), seat.index, 0), chance)
            except SeatFault as failed:
                rolled = []
                told = f"is out: {failed.fault.termination.value}"
            else:
                told = f"rolls {' '.join(map(str, rolled)) or 'nothing'}"
            if 1 not in rolled:
                places[seat.index - 1] = min(goal, places[seat.index - 1] + sum(rolled))
            before, board = board, "".join(rows_of(goal, places))
            changes = [(square, new) for square, new in enumerate(board) if new != before[square]]
            did = [told if each is seat else "" for each in match.seats]
            match.recorder.frame(changes, did, [float(place) for place in places])
        ranks = ranks_of(places, [seat.index for seat in match.seats if seat.fault is not None])
        winner = winner_of(ranks)
        message = f"Player {winner} is in front" if winner else "Several players are in front"
        scores = tuple(map(float, places))
        return GameResult(winner, "RACE_OVER", turns, rows_of(goal, places), ranks=ranks, scores=scores, message=message)

    def _turn(self, seat: TurnSeat[Position, str], position: Position, chance: random.Random) -> list[int]:
        """What a player rolls, up to a 1 or until they hold or are at the goal."""
        rolled: list[int] = []
        while 1 not in rolled and position.places[seat.index - 1] + sum(rolled) < position.goal:
            answer = seat.choose(Position(position.goal, position.places, position.seat, sum(rolled)))
            if answer not in (ROLL, HOLD):
                raise seat.charge(Termination.ILLEGAL_MOVE, f"{answer!r} is neither {ROLL!r} nor {HOLD!r}")
            if answer == HOLD:
                break
            rolled.append(chance.randint(1, 6))
        return rolled


def rows_of(goal: int, places: Sequence[int]) -> tuple[str, ...]:
    """A lane for each player."""
    return tuple("." * place + str(seat) + "." * (goal - place) for seat, place in enumerate(places, start=1))


class Careful(TurnAlgorithm[Position, str]):
    """Holds with 10 or more."""

    enough = 10

    def __init__(self, seat: int) -> None:
        pass

    def choose(self, position: Position) -> str:
        """Answer one question."""
        return HOLD if position.gained >= self.enough else ROLL


class Bold(Careful):
    """Holds with 20 or more."""

    enough = 20


THEME = Theme(
    seat_colors=COLORS,
    styles={
        ".": SquareStyle(glyph="· ", plain=". ", label="track", shape="nothing"),
        **{
            str(seat): SquareStyle(
                glyph=f"{seat} ", plain=f"{seat} ", label=f"player {seat}", shape="disc", mark=str(seat), seat=seat
            )
            for seat in range(1, len(COLORS) + 1)
        },
    },
)


@hookimpl
def games() -> Iterator[Game[int]]:
    """The game itself."""
    yield Game(
        name="pig-race",
        seats=range(2, 10),
        maps=GameMaps(read_map),
        interface=TurnInterface(Position, str),
        display=GameDisplay(THEME),
        description="roll as often as you like, but a 1 costs the turn; 2 to 9 players",
    )


@hookimpl
def game_managers() -> Iterator[Manager]:
    """The referee."""
    yield Manager(name="pig-race-referee", game="pig-race", create=Referee, on_fault="raise")


@hookimpl
def algorithms() -> Iterator[TurnTeam]:
    """Two players."""
    yield TurnTeam("careful", "pig-race", Careful)
    yield TurnTeam("bold", "pig-race", Bold)


@hookimpl
def maps() -> Iterator[MapFile]:
    """A race for any number of players."""
    yield MapFile("fifty", "pig-race", b"50", seats=0)
