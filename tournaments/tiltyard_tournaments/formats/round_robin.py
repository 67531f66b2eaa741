"""Round robin: everybody meets everybody."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import comb

from tiltyard_engine.formats import Field, Fixture, FixtureResult, TournamentFormat, option
from tiltyard_tournaments.formats.circle import circle_rounds
from tiltyard_tournaments.formats.conditions import SeatOrders, conditions, fixture, require, seat_orders, seated_pair
from tiltyard_tournaments.formats.orbits import all_groups


@dataclass(frozen=True, slots=True)
class RoundRobinOptions:
    """The options of ``round-robin``."""

    seats: SeatOrders = option(
        "double",
        "single: a group meets once on each map, its order of seats changing; double: so often that each team has each seat once;"
        " every: in every order of seats (of two players the same as double)",
    )


class RoundRobin(TournamentFormat):
    """Every group of as many teams as a match has players, under the same conditions. All of it is one batch."""

    def __init__(self, field: Field, options: RoundRobinOptions) -> None:
        require(field, "round-robin", most_seats=None)
        self.field, self.options = field, options

    def next_batch(self, played: Sequence[FixtureResult]) -> Sequence[Fixture]:
        if played:
            return ()
        return list(pair_fixtures(self.field, self.options.seats) if self.field.seats == 2 else self._group_fixtures())

    def expected_games(self) -> tuple[int, int]:
        orders = len(seat_orders(self.options.seats, self.field.seats))
        games = comb(len(self.field.teams), self.field.seats) * orders * len(conditions(self.field))
        return games, games

    def _group_fixtures(self) -> Iterator[Fixture]:
        """For more than two players: the turns of a group follow each other, so that all teams play equally often early."""
        places = conditions(self.field)
        orbits = all_groups(len(self.field.teams), self.field.seats)
        number = 0
        for order in seat_orders(self.options.seats, self.field.seats):
            for cycle in range(len(places)):
                for start, orbit in enumerate(orbits):
                    condition = places[(cycle + start) % len(places)]
                    number += 1
                    for group in orbit:
                        # In a single round robin the seats still change from map to map and game to game.
                        turn = condition.map + condition.game if self.options.seats == "single" else 0
                        seats = tuple(group[(place + turn) % len(group)] for place in order)
                        yield fixture(seats, condition, f"round {number}")


def pair_fixtures(field: Field, seats: SeatOrders, first_game: int = 0) -> Iterator[Fixture]:
    """The round robin of a game for two: rounds of the circle method, again and again.

    The condition changes from round to round: after as many runs through the circle as there are conditions, each pair has
    met under each of them. Then the same in swapped seats.
    """
    places = conditions(field, first_game)
    rounds = circle_rounds(len(field.teams))
    number = 0
    for leg in range(len(seat_orders(seats, 2))):
        for cycle in range(len(places)):
            for start, pairs in enumerate(rounds):
                condition = places[(cycle + start) % len(places)]
                number += 1
                for one, other in pairs:
                    yield fixture(seated_pair(one, other, condition, leg), condition, f"round {number}")
