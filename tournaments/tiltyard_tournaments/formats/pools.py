"""Pools: matches of more than two players, so grouped that all meet about equally often, without playing every group."""

from __future__ import annotations

from itertools import combinations, islice

from tiltyard_engine.data_classes import dataclass
from tiltyard_engine.formats import Field, Fixture, option
from tiltyard_tournaments.formats.conditions import MapChoice, OneBatchFormat, conditions_of_round, fixture, require
from tiltyard_tournaments.formats.orbits import Group, balanced_groups, turns


@dataclass(frozen=True, slots=True)
class PoolsOptions:
    """The options of ``pools``."""

    rounds: int = option(
        0,
        "number of rounds; in each, every team plays once in each seat; 0: the fewest in which all teams meet",
        ge=0,
        le=1000,
    )
    maps: MapChoice = option("all", "all: each round on every map; rotate: each round on the next map")


class Pools(OneBatchFormat):
    """A round is as many matches as there are teams: one group and its turns."""

    def __init__(self, field: Field, options: PoolsOptions) -> None:
        require(field, "pools", most_seats=None)
        self.field, self.options = field, options

    def fixtures(self) -> list[Fixture]:
        groups = self._groups()
        past: set[tuple[tuple[int, ...], int, int]] = set()
        fixtures: list[Fixture] = []
        cycles = len(conditions_of_round(self.field, 0, self.options.maps))
        for cycle in range(cycles):
            for start, group in enumerate(groups):
                places = conditions_of_round(self.field, start, self.options.maps)
                condition = places[(cycle + start) % len(places)]
                stage = f"round {cycle * len(groups) + start + 1}"
                for seats in turns(group, len(self.field.teams)):
                    candidate = fixture(seats, condition, stage)
                    while (candidate.seats, candidate.map, candidate.game) in past:
                        # All groups are used up: the same one again, with further seeds.
                        candidate = Fixture(seats, candidate.map, candidate.game + self.field.games, stage)
                    past.add((candidate.seats, candidate.map, candidate.game))
                    fixtures.append(candidate)
        return fixtures

    def _groups(self) -> list[Group]:
        """The group of each round."""
        teams, size = len(self.field.teams), self.field.seats
        if self.options.rounds:
            return list(islice(balanced_groups(teams, size), self.options.rounds))
        groups: list[Group] = []
        apart: set[int] = set()
        for group in balanced_groups(teams, size):
            groups.append(group)
            apart.update(min((one - other) % teams, (other - one) % teams) for one, other in combinations(group, 2))
            if len(apart) == teams // 2:
                break
        return groups
