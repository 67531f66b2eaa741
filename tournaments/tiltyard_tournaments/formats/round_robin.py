"""Round robin: all teams meet each other."""

from __future__ import annotations

from collections.abc import Iterator

from tiltyard_engine.data_classes import dataclass
from tiltyard_engine.formats import Field, Fixture, option
from tiltyard_tournaments.formats.conditions import (
    OneBatchFormat,
    SeatOrders,
    fixture,
    require,
    rounds_in_turn,
    seat_orders,
    seated_pair,
)
from tiltyard_tournaments.formats.orbits import all_groups


@dataclass(frozen=True, slots=True)
class RoundRobinOptions:
    """The options of ``round-robin``."""

    seats: SeatOrders = option(
        "double",
        "single: a group meets once on each map, in changing seats; double: until each team has played each seat;"
        " every: in every order of seats",
    )


class RoundRobin(OneBatchFormat):
    """Every group of as many teams as a match has players, under the same conditions."""

    def __init__(self, field: Field, options: RoundRobinOptions) -> None:
        require(field, "round-robin", most_seats=None)
        self.field, self.options = field, options

    def fixtures(self) -> Iterator[Fixture]:
        return pair_fixtures(self.field, self.options.seats) if self.field.seats == 2 else self._group_fixtures()

    def _group_fixtures(self) -> Iterator[Fixture]:
        """For more than two players: the turns of a group follow each other, so that all teams play equally often early."""
        orders = seat_orders(self.options.seats, self.field.seats)
        orbits = all_groups(len(self.field.teams), self.field.seats)
        for order, orbit, condition, stage in rounds_in_turn(self.field, self.options.seats, orbits):
            for group in orbit:
                # In a single round robin the seats still change from map to map and game to game.
                turn = condition.map + condition.game if self.options.seats == "single" else 0
                seats = tuple(group[(place + turn) % len(group)] for place in orders[order])
                yield fixture(seats, condition, stage)


def pair_fixtures(field: Field, seats: SeatOrders, first_game: int = 0) -> Iterator[Fixture]:
    """The round robin of a game for two: rounds of the circle method, again and again.

    The condition changes from round to round: after as many runs through the circle as there are conditions, each pair has
    met under each of them. Then the same in swapped seats.
    """
    for leg, pairs, condition, stage in rounds_in_turn(field, seats, circle_rounds(len(field.teams)), first_game):
        for one, other in pairs:
            yield fixture(seated_pair(one, other, condition, leg), condition, stage)


def circle_rounds(teams: int) -> list[list[tuple[int, int]]]:
    """All pairs of ``teams`` in rounds where nobody plays twice, the smaller number first in each pair: the circle method.

    All but one of the teams sit round a table and move on by a seat after each round; opposite teams meet. Described for
    tournaments by Schurig (1886); see Anderson, "Combinatorial Designs and Tournaments" (1997), chapter 2.

    With an odd number of teams each sits out one round. Pairs of a round are listed in the order of the table: there a team
    moves by at most one place from round to round, so that its games lie about equally far apart. The rounds may be played
    again from the start as often as wanted: the distances stay.
    """
    places = [*([-1] if teams % 2 else []), *range(teams)]
    half = len(places) // 2
    rounds: list[list[tuple[int, int]]] = []
    for _ in range(len(places) - 1):
        facing = [(places[table], places[-1 - table]) for table in range(half)]
        rounds.append([(min(pair), max(pair)) for pair in facing if -1 not in pair])
        places = [places[0], places[-1], *places[1:-1]]
    return rounds
