"""The competition of assignment 3: on each map every team meets one other, map by map another one."""

from __future__ import annotations

from tiltyard_engine.formats import Field, Fixture
from tiltyard_engine.match import NoOptions
from tiltyard_tournaments.formats.conditions import OneBatchFormat, require


class Competition(OneBatchFormat):
    """The pairings of ``simulator -competition``."""

    def __init__(self, field: Field, options: NoOptions) -> None:
        require(field, "competition")
        self.field = field

    def fixtures(self) -> list[Fixture]:
        return [
            Fixture(pair, number, game)
            for number in range(len(self.field.maps))
            for game in range(self.field.games)
            for pair in pairings(len(self.field.teams), number)
        ]


def pairings(algorithms: int, map_number: int) -> list[tuple[int, int]]:
    """Who meets whom on map ``map_number`` (from 0): (player 1, player 2) as places in the list of algorithms.

    Algorithm i meets (i + 1 + k % (N - 1)) % N. Where that pairs everybody twice with the same opponent, each pair
    plays once, the smaller place as player 1 (assignment 3).
    """
    shift = 1 + map_number % (algorithms - 1)
    games = [(first, (first + shift) % algorithms) for first in range(algorithms)]
    if algorithms % 2 == 0 and shift == algorithms // 2:
        return games[: algorithms // 2]
    return games
