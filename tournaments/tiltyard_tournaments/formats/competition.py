"""The competition of assignment 3: on each map every team meets one other, map by map another one."""

from __future__ import annotations

from collections.abc import Sequence

from tiltyard_engine.formats import Field, Fixture, FixtureResult, NoOptions, TournamentFormat
from tiltyard_simulator.competition import pairings
from tiltyard_tournaments.formats.conditions import require


class Competition(TournamentFormat):
    """The pairings of ``simulator -competition``. All of it is one batch."""

    def __init__(self, field: Field, options: NoOptions) -> None:
        require(field, "competition")
        self.field = field

    def next_batch(self, played: Sequence[FixtureResult]) -> Sequence[Fixture]:
        return () if played else self._fixtures()

    def expected_games(self) -> tuple[int, int]:
        games = len(self._fixtures())
        return games, games

    def _fixtures(self) -> list[Fixture]:
        return [
            Fixture(pair, number, game)
            for number in range(len(self.field.maps))
            for game in range(self.field.games)
            for pair in pairings(len(self.field.teams), number)
        ]
