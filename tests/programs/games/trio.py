"""A game for exactly three: in each round everybody names a number, and the largest sum wins."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from tiltyard_engine import (
    Game,
    GameManager,
    GameMaps,
    GameResult,
    Manager,
    MapFile,
    Match,
    TurnAlgorithm,
    TurnInterface,
    TurnSeat,
    TurnTeam,
    hookimpl,
)


@dataclass(frozen=True)
class Round:
    number: int


def read_map(name: str, data: bytes, seats: int) -> int:
    return int(data)


class Referee(GameManager[int, TurnSeat[Round, int]]):
    def run(self, match: Match[int, TurnSeat[Round, int]]) -> GameResult:
        for seat in match.seats:
            seat.start(Round(0))
        sums = [sum(seat.choose(Round(number)) for number in range(match.map)) for seat in match.seats]
        # Always of three.
        places = [1 + sum(other > own for other in sums) for own in (sums[0], sums[1], sums[2])]
        winner = places.index(1) + 1 if places.count(1) == 1 else 0
        return GameResult(winner, "SUMS", match.map, (), ranks=tuple(places), scores=tuple(map(float, sums)))


class Number(TurnAlgorithm[Round, int]):
    def __init__(self, number: int, seat: int) -> None:
        self.number = number

    def choose(self, position: Round) -> int:
        return self.number


@hookimpl
def games() -> Iterator[Game[int]]:
    yield Game(name="trio", seats=range(3, 4), maps=GameMaps(read_map), interface=TurnInterface(Round, int))


@hookimpl
def game_managers() -> Iterator[Manager]:
    yield Manager(name="trio-referee", game="trio", create=Referee, on_fault="raise")


@hookimpl
def algorithms() -> Iterator[TurnTeam]:
    for number, name in enumerate(("one", "two", "three", "four"), start=1):
        yield TurnTeam(name, "trio", partial(Number, number))


@hookimpl
def maps() -> Iterator[MapFile]:
    yield MapFile("short", "trio", b"2", seats=3)
