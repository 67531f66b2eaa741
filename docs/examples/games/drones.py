"""Drones: each player steers a drone over a field, all at once; who is first at the beacon scores, and the beacon moves on.

Shows real-valued observations and actions: numpy arrays in positions and as answers. Play it with::

    tiltyard watch pilot hasty --map short --trust ./drones.py
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

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
    PlotPanel,
    SquareStyle,
    Termination,
    Theme,
    TurnAlgorithm,
    TurnInterface,
    TurnSeat,
    TurnTeam,
    choose_all,
    hookimpl,
    ranks_of,
    start_all,
    winner_of,
)

Vector = npt.NDArray[np.float64]

FIELD = 20
"""The field is so many units wide and high. Replays show a square for each."""
STEP_SECONDS = 0.1
REACH = 1.0
"""A drone is at the beacon if it is so close."""
DRAG = 0.02
MOST_STEPS = 100_000


@dataclass(frozen=True, eq=False)
class Observation:
    """What a drone measures. ``eq=False``, because arrays have no single answer to whether they are equal."""

    place: Vector
    """x and y."""
    velocity: Vector
    """Units a second."""
    beacon: Vector
    """Where the beacon is."""


def read_map(name: str, data: bytes, seats: int) -> int:
    """Read a map: how many steps a match has."""
    try:
        steps = int(data)
    except ValueError as error:
        raise MapError(f"{name}: expected a whole number of steps") from error
    if not 1 <= steps <= MOST_STEPS:
        raise MapError(f"{name}: expected 1 to {MOST_STEPS} steps")
    return steps


class Referee(GameManager[int, TurnSeat[Observation, Vector]]):
    """Plays one match."""

    def run(self, match: Match[int, TurnSeat[Observation, Vector]]) -> GameResult:
        """Ask all drones, then move all of them, step by step."""
        chance = random.Random(match.seed)
        places = {seat.index: np.array([FIELD * seat.index / (len(match.seats) + 1), 1.0]) for seat in match.seats}
        velocities = {seat.index: np.zeros(2) for seat in match.seats}
        scores = dict.fromkeys(places, 0)
        beacon = new_beacon(chance)
        board = squares(places, beacon)
        match.recorder.start(FIELD, FIELD, tuple(board))
        start_all({seat: Observation(places[seat.index], velocities[seat.index], beacon) for seat in match.seats})
        for _ in range(match.map):
            seen = {seat: Observation(places[seat.index], velocities[seat.index], beacon) for seat in match.seats}
            thrusts = choose_all(seen)
            for seat in match.seats:
                thrust = thrusts.get(seat)
                if thrust is not None and not is_thrust(thrust):
                    seat.charge(Termination.ILLEGAL_MOVE, f"{thrust!r} is not two numbers of at most 1 together")
                    del thrusts[seat]
            for index in places:
                # Who has failed drifts on. Each step makes new arrays, because players may still hold the old ones.
                velocities[index] = velocities[index] * (1 - DRAG) + thrusts.get(index, np.zeros(2))
                moved = places[index] + velocities[index] * STEP_SECONDS
                places[index] = np.clip(moved, 0.0, FIELD)
                velocities[index] = np.where(moved == places[index], velocities[index], 0.0)
            away = {index: math.dist(place, beacon) for index, place in places.items()}
            nearest = min(away, key=lambda index: away[index])
            notes = []
            if away[nearest] <= REACH:
                scores[nearest] += 1
                beacon = new_beacon(chance)
                notes = [f"player {nearest} is at the beacon"]
            before, board = board, squares(places, beacon)
            changes = [(square, new) for square, new in enumerate(board) if new != before[square]]
            told = [" ".join(f"{part:+.2f}" for part in thrusts.get(index, ())) or "none" for index in places]
            panels = [PlotPanel("distance from the beacon", list(away.values()))]
            match.recorder.frame(changes, told, [float(score) for score in scores.values()], notes, panels)
        ranks = ranks_of(list(scores.values()), [seat.index for seat in match.seats if seat.fault is not None])
        winner = winner_of(ranks)
        best = scores[ranks.index(1) + 1]
        rows = tuple("".join(board[start : start + FIELD]) for start in range(0, len(board), FIELD))
        message = f"Player {winner} was at {best} beacons" if winner else f"Tie at {best} beacons"
        return GameResult(
            winner, "TIME_UP", match.map, rows, ranks=ranks, scores=tuple(map(float, scores.values())), message=message
        )


def new_beacon(chance: random.Random) -> Vector:
    """A place that no player can foresee."""
    return np.array([chance.uniform(2, FIELD - 2), chance.uniform(2, FIELD - 2)])


def is_thrust(answer: Vector) -> bool:
    """Whether the rules allow an answer: x and y, together at most 1. tiltyard only knows that it is an array."""
    return answer.shape == (2,) and answer.dtype == np.float64 and math.hypot(*answer.tolist()) <= 1.0 + 1e-9


def squares(places: dict[int, Vector], beacon: Vector) -> list[str]:
    """The field as squares, for replays."""
    board = ["."] * FIELD**2
    for token, (x, y) in [("*", beacon), *((str(index), place) for index, place in places.items())]:
        board[min(int(y), FIELD - 1) * FIELD + min(int(x), FIELD - 1)] = token
    return board


class Hasty(TurnAlgorithm[Observation, Vector]):
    """Always thrusts towards the beacon, and flies past it."""

    def __init__(self, seat: int) -> None:
        pass

    def choose(self, position: Observation) -> Vector:
        """Answer one step."""
        return limited(position.beacon - position.place)


class Pilot(Hasty):
    """Slows down in time."""

    def choose(self, position: Observation) -> Vector:
        """Answer one step."""
        return limited((position.beacon - position.place) * 0.8 - position.velocity)


def limited(thrust: Vector) -> Vector:
    """A thrust of at most 1 in the same direction."""
    return thrust / max(1.0, math.hypot(*thrust.tolist()))


THEME = Theme(
    seat_colors=("#d55e00", "#0072b2"),
    styles={
        ".": SquareStyle(glyph="  ", plain="  ", label="free", shape="nothing"),
        "*": SquareStyle(glyph="◆ ", plain="* ", foreground="#b79f00", label="beacon", shape="mine"),
        "1": SquareStyle(glyph="1 ", plain="1 ", label="drone of player 1", shape="disc", mark="1", seat=1),
        "2": SquareStyle(glyph="2 ", plain="2 ", label="drone of player 2", shape="disc", mark="2", seat=2),
    },
)


@hookimpl
def games() -> Iterator[Game[int]]:
    """The game itself."""
    yield Game(
        name="drones",
        seats=range(2, 3),
        maps=GameMaps(read_map),
        interface=TurnInterface(Observation, np.ndarray),
        display=GameDisplay(THEME),
        description="steer a drone to the beacon before the other one is there",
    )


@hookimpl
def game_managers() -> Iterator[Manager]:
    """The referee."""
    yield Manager(name="drones-referee", game="drones", create=Referee, on_fault="raise")


@hookimpl
def algorithms() -> Iterator[TurnTeam]:
    """Two pilots."""
    yield TurnTeam("hasty", "drones", Hasty)
    yield TurnTeam("pilot", "drones", Pilot)


@hookimpl
def maps() -> Iterator[MapFile]:
    """20 seconds."""
    yield MapFile("short", "drones", b"200")
