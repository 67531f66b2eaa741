"""What a meeting is played under: maps, numbers of games, orders of seats. All meetings of a tournament get the same."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import Literal, TypeAlias

from tiltyard_engine.errors import UserError
from tiltyard_engine.formats import Field, Fixture

SeatOrders: TypeAlias = Literal["single", "double", "every"]
MapChoice: TypeAlias = Literal["rotate", "all"]


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
    if len(field.teams) < max(2, field.seats):
        raise UserError(f"{name}: needs at least {max(2, field.seats)} teams, found {len(field.teams)}")
    if not field.maps:
        raise UserError(f"{name}: needs at least one map")
