"""Nim, a game by turns: whoever takes the last stick wins. With teams that play it well, badly, by chance, and not at all."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tiltyard_engine import (
    Game,
    GameManager,
    GameMaps,
    GameResult,
    Manager,
    MapFile,
    Match,
    SeatFault,
    Termination,
    TurnAlgorithm,
    TurnInterface,
    TurnSeat,
    TurnTeam,
    hookimpl,
)


@dataclass(frozen=True)
class Heap:
    sticks: int


@dataclass(frozen=True)
class Take:
    sticks: int


class Referee(GameManager[Heap, "TurnSeat[Heap, Take]"]):
    def run(self, match: Match[Heap, TurnSeat[Heap, Take]]) -> GameResult:
        left, ply = match.map.sticks, 0
        match.recorder.start(left, 1, ["|"] * left)
        try:
            for seat in match.seats:
                seat.start(Heap(left))
            while left:
                seat = match.seats[ply % 2]
                ply += 1
                taken = seat.choose(Heap(left)).sticks
                if not 1 <= taken <= min(3, left):
                    raise seat.charge(Termination.ILLEGAL_MOVE, f"takes {taken} of {left} sticks")
                match.recorder.frame([(left - 1 - place, ".") for place in range(taken)], [f"takes {taken}"])
                left -= taken
        except SeatFault as fault:
            return self.result(match, 3 - fault.fault.seat, left, ply, "FAULT")
        return self.result(match, 2 - ply % 2, left, ply, "LAST_STICK")

    def result(self, match: Match[Heap, TurnSeat[Heap, Take]], winner: int, left: int, ply: int, reason: str) -> GameResult:
        state = ("|" * left + "." * (match.map.sticks - left),)
        return GameResult(winner, reason, ply, state, message=f"Player {winner} won")


class Perfect(TurnAlgorithm[Heap, Take]):
    def __init__(self, seat: int) -> None:
        self.turns = 0

    def choose(self, position: Heap) -> Take:
        self.turns += 1
        return self.plan(position)

    def plan(self, position: Heap) -> Take:
        return Take(position.sticks % 4 or 1)


class Slow(Perfect):
    def plan(self, position: Heap) -> Take:
        return Take(1)


class Chancy(Perfect):
    def plan(self, position: Heap) -> Take:
        return Take(random.randint(1, min(3, position.sticks)))


class Crasher(Perfect):
    def plan(self, position: Heap) -> Take:
        print("this is turn", self.turns)
        if self.turns == 3:
            raise ValueError("boom")
        return Take(1)


class Cheat(Perfect):
    def plan(self, position: Heap) -> Take:
        return Take(4)


def read_map(name: str, data: bytes, seats: int) -> Heap:
    return Heap(int(data))


@hookimpl
def games() -> Iterator[Game[Heap]]:
    yield Game(name="nim", seats=range(2, 3), maps=GameMaps(read_map), interface=TurnInterface(Heap, Take))


@hookimpl
def game_managers() -> Iterator[Manager]:
    yield Manager(name="referee", game="nim", create=Referee, on_fault="raise")


@hookimpl
def maps() -> Iterator[MapFile]:
    yield MapFile("heap", "nim", b"13")


@hookimpl
def algorithms() -> Iterator[TurnTeam]:
    teams: dict[str, Any] = {"perfect": Perfect, "slow": Slow, "chancy": Chancy, "crasher": Crasher, "cheat": Cheat}
    for name, create in teams.items():
        yield TurnTeam(name, "nim", create)
