"""Drones: each player steers a drone over a field, all at once; the first at the beacon scores, and the beacon moves on.

Shows real-valued positions and answers: numpy arrays, of which there are too many to list. Play it with::

    tiltyard watch pilot hasty --map short --trust ./drones.py
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np
import numpy.typing as npt

from tiltyard_engine import PlotPanel, SquareStyle, TurnAlgorithm, ranks_of, winner_of
from tiltyard_engine.rules import Ending, Picture, Rules, game_hooks, whole_numbers

Vector = npt.NDArray[np.float64]

FIELD = 20
"""The field is so many units wide and high. Replays show a square for each."""
STEP_SECONDS = 0.1
REACH = 1.0
"""A drone is at the beacon if it is so close."""
DRAG = 0.02


@dataclass(frozen=True, eq=False)
class Flight:
    """What all drones measure. ``eq=False``, because arrays have no single answer to whether they are equal."""

    steps: int
    """How many are left."""
    places: tuple[Vector, ...]
    """x and y of each drone, that of player 1 first."""
    velocities: tuple[Vector, ...]
    """Units a second."""
    beacon: Vector
    scores: tuple[int, ...]
    away: tuple[float, ...] = ()
    """How far each drone was from the beacon after the last step."""
    scorer: int = 0
    """Who was at the beacon then; 0 is nobody."""
    out: tuple[int, ...] = ()
    """Players who have failed. Their drones drift on."""


class Drones(Rules[Flight, Vector]):
    """The rules. Instead of ``legal`` there are ``is_legal`` and ``sample``."""

    most_moves = 100_000

    def start(self, board: int, seats: int, chance: Random) -> Flight:
        places = tuple(np.array([FIELD * seat / (seats + 1), 1.0]) for seat in range(1, seats + 1))
        return Flight(board, places, (np.zeros(2),) * seats, new_beacon(chance), (0,) * seats)

    def to_move(self, position: Flight) -> Sequence[int]:
        return [seat for seat in (1, 2) if seat not in position.out]

    def is_legal(self, position: Flight, seat: int, answer: Vector) -> bool:
        return answer.shape == (2,) and answer.dtype == np.float64 and math.hypot(*answer.tolist()) <= 1.0 + 1e-9

    def sample(self, position: Flight, seat: int, chance: Random) -> Vector:
        angle = chance.uniform(0, 2 * math.pi)
        return np.array([math.cos(angle), math.sin(angle)])

    def play(self, position: Flight, answers: Mapping[int, Vector], chance: Random) -> Flight:
        places, velocities = list(position.places), list(position.velocities)
        for drone, place in enumerate(position.places):
            velocity = velocities[drone] * (1 - DRAG) + answers.get(drone + 1, np.zeros(2))
            moved = place + velocity * STEP_SECONDS
            places[drone] = np.clip(moved, 0.0, FIELD)
            velocities[drone] = np.where(moved == places[drone], velocity, 0.0)
        away = tuple(math.dist(place, position.beacon) for place in places)
        scorer = 1 + away.index(min(away)) if min(away) <= REACH else 0
        scores = tuple(score + (seat == scorer) for seat, score in enumerate(position.scores, start=1))
        beacon = new_beacon(chance) if scorer else position.beacon
        return Flight(position.steps - 1, tuple(places), tuple(velocities), beacon, scores, away, scorer, position.out)

    def outcome(self, position: Flight) -> Ending | None:
        if position.steps:
            return None
        ranks = ranks_of(position.scores, position.out)
        best, winner = position.scores[ranks.index(1)], winner_of(ranks)
        return Ending(ranks, "TIME_UP", f"Player {winner} was at {best} beacons" if winner else f"Tie at {best} beacons")

    def scores(self, position: Flight) -> Sequence[int]:
        return position.scores

    def without(self, position: Flight, seat: int) -> Flight:
        return replace(position, out=(*position.out, seat))

    def draw(self, position: Flight, names: Sequence[str]) -> Picture:
        rows = [["."] * FIELD for _ in range(FIELD)]
        for token, (x, y) in zip("*12", (position.beacon, *position.places)):
            rows[min(int(y), FIELD - 1)][min(int(x), FIELD - 1)] = token
        panels = [PlotPanel("distance from the beacon", position.away)] if position.away else []
        return Picture(rows, panels, [f"player {position.scorer} is at the beacon"] if position.scorer else [])

    def to_text(self, answer: Vector, position: Flight, seat: int) -> str:
        return " ".join(f"{part:+.2f}" for part in answer)


def new_beacon(chance: Random) -> Vector:
    """A place that no player can foresee."""
    return np.array([chance.uniform(2, FIELD - 2), chance.uniform(2, FIELD - 2)])


class Hasty(TurnAlgorithm[Flight, Vector]):
    """Always thrusts towards the beacon, and flies past it."""

    def __init__(self, seat: int) -> None:
        self.drone = seat - 1

    def choose(self, position: Flight) -> Vector:
        """Answer one step."""
        return limited(position.beacon - position.places[self.drone])


class Pilot(Hasty):
    """Slows down in time."""

    def choose(self, position: Flight) -> Vector:
        """Answer one step."""
        return limited((position.beacon - position.places[self.drone]) * 0.8 - position.velocities[self.drone])


def limited(thrust: Vector) -> Vector:
    """A thrust of at most 1 in the same direction."""
    return thrust / max(1.0, math.hypot(*thrust.tolist()))


games, algorithms, maps = game_hooks(
    "drones",
    Drones(),
    read=whole_numbers("steps", most=100_000),
    maps={"short": b"200"},
    players={"hasty": Hasty, "pilot": Pilot},
    squares={"*": SquareStyle(glyph="◆ ", plain="* ", foreground="#b79f00", label="beacon", shape="mine")},
    description="steer a drone to the beacon before the other one is there",
)
