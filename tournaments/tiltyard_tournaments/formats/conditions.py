"""What formats share: the conditions of a meeting, orders of seats, seeds, and formats whose matches don't depend on results.

A meeting is played under maps, numbers of games and orders of seats. All meetings of a tournament get the same.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import permutations, product
from typing import Literal, TypeAlias, TypeVar

from tiltyard_engine.data_classes import dataclass
from tiltyard_engine.errors import UserError
from tiltyard_engine.formats import Field, Fixture, FixtureResult, TournamentFormat
from tiltyard_tournaments.standings.lots import drawn_number

SeatOrders: TypeAlias = Literal["single", "double", "every"]
MapChoice: TypeAlias = Literal["rotate", "all"]
Round = TypeVar("Round")


class OneBatchFormat(TournamentFormat):
    """A format whose matches are all known before the first result."""

    @abstractmethod
    def fixtures(self) -> Iterable[Fixture]:
        """All fixtures, in order."""

    def next_batch(self, results: Sequence[FixtureResult]) -> Sequence[Fixture]:
        return () if results else self._batch

    def expected_games(self) -> tuple[int, int]:
        return len(self._batch), len(self._batch)

    @cached_property
    def _batch(self) -> Sequence[Fixture]:
        """Found once: both the plan and the run ask, and large tournaments have hundreds of thousands."""
        return tuple(self.fixtures())


@dataclass(frozen=True, slots=True)
class Condition:
    """A map, and which of the games on it."""

    map: int
    game: int


def conditions(field: Field, first_game: int = 0) -> list[Condition]:
    """All conditions of a meeting, the map changing fastest."""
    return [Condition(number, first_game + game) for game in range(field.games) for number in range(len(field.maps))]


def conditions_of_round(field: Field, number: int, choice: MapChoice) -> list[Condition]:
    """The conditions of round ``number``, from 0: of all maps, or of the one whose turn it is."""
    everywhere = conditions(field)
    return everywhere if choice == "all" else [one for one in everywhere if one.map == number % len(field.maps)]


def seat_orders(orders: SeatOrders, seats: int) -> list[tuple[int, ...]]:
    """In which orders a group sits down: one; as many as put everybody once into each seat; or every possible one."""
    rotations = [tuple((place + turn) % seats for place in range(seats)) for turn in range(seats)]
    if orders == "every":
        return sorted(permutations(range(seats)), key=lambda order: (order not in rotations, order))
    return rotations if orders == "double" else rotations[:1]


def rounds_in_turn(
    field: Field, seats: SeatOrders, rounds: Sequence[Round], first_game: int = 0
) -> Iterator[tuple[int, Round, Condition, str]]:
    """Each round in each order of seats under each condition, which changes from round to round, and the stage's name."""
    places = conditions(field, first_game)
    turns = product(range(len(seat_orders(seats, field.seats))), range(len(places)), range(len(rounds)))
    for number, (order, cycle, start) in enumerate(turns, start=1):
        yield order, rounds[start], places[(cycle + start) % len(places)], f"round {number}"


def seated_pair(one: int, other: int, condition: Condition, swapped: int = 0) -> tuple[int, int]:
    """Two teams in their seats: who is first changes from opponent to opponent, map to map and game to game.

    Over all opponents a team is first as often as second, or one more or less often: Berger's rule on odd and even numbers. It
    does not depend on how many teams there are.
    """
    low, high = min(one, other), max(one, other)
    stays = (low + high + condition.map + condition.game + swapped) % 2
    return (low, high) if stays else (high, low)


def fixture(seats: tuple[int, ...], condition: Condition, stage: str = "") -> Fixture:
    """The fixture of these seats under that condition."""
    return Fixture(seats, condition.map, condition.game, stage)


def require(field: Field, name: str, most_seats: int | None = 2) -> None:
    """Look whether a format can be played in this field at all.

    Raises:
        UserError: too few teams, no map, or more players a match than the format is for.
    """
    if most_seats is not None and field.seats > most_seats:
        raise UserError(f"{name}: is for matches of {most_seats} players, but these have {field.seats}; use pools or round-robin")
    if len(field.teams) < (least := max(2, field.seats)):
        why = f", as many as a match has players ({field.seats})" if field.seats > 2 else ""
        raise UserError(f"{name}: needs at least {least} teams{why}, found {len(field.teams)}")
    if not field.maps:
        raise UserError(f"{name}: needs at least one map")


def match_seed(seed: int, map: str, game: int) -> int:  # noqa: A002 -- the field's word
    """The seed of a match, from the tournament's seed, what names the map, and the number of the game on it.

    It knows nothing of the teams: all pairings meet the same seeds, and in swapped seats the same again. ``map`` is a name or a
    hash, not the map's place in the file, so that adding a map changes no match on another one.
    """
    return drawn_number("match", seed, map, game)
