"""The competition of assignment 3: on each map every team meets one other, map by map another one."""

from __future__ import annotations

from tiltyard_engine.formats import Field, Fixture, NoOptions
from tiltyard_simulator.matchups.pairings import pairings
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
