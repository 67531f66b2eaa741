"""Looking at a batch before it is played: a format may be anybody's."""

from __future__ import annotations

from collections.abc import Sequence

from tiltyard_engine.errors import ContractError
from tiltyard_engine.formats import Field, Fixture, FixtureResult


def check_batch(name: str, field: Field, batch: Sequence[Fixture], results: Sequence[FixtureResult] = ()) -> list[Fixture]:
    """The batch that the format ``name`` gave, if all of it can be played.

    Raises:
        ContractError: it names teams, maps or games that there are not, seats a team twice, or repeats a fixture.
    """
    numbers = {_number(field, result.fixture) for result in results}
    for number, fixture in enumerate(batch, start=1):
        problem = _problem(field, fixture)
        own = -1 if problem else _number(field, fixture)
        if own in numbers:
            problem = "is a duplicate: another fixture has the same seats, map and game"
        if problem:
            raise ContractError(
                f"the format {name} returned an invalid fixture, number {number} of its batch: {fixture!r}: {problem}"
            )
        numbers.add(own)
    return list(batch)


def _number(field: Field, fixture: Fixture) -> int:
    """A number of its own for each seats, map and game: of half a million it takes a third of the memory that tuples do."""
    number = fixture.game * len(field.maps) + fixture.map
    for team in fixture.seats:
        number = number * len(field.teams) + team
    return number


def check_groups(name: str, field: Field, groups: Sequence[Sequence[int]]) -> list[list[int]]:
    """Check that the format ``name`` returned placings that contain every team once, and return them.

    Raises:
        ContractError: they don't.
    """
    members = [list(group) for group in groups]
    if sorted(team for group in members for team in group) != list(range(len(field.teams))):
        raise ContractError(f"the format {name} returned placings that don't contain every team once: {members}")
    return members


def _problem(field: Field, fixture: object) -> str:
    if not isinstance(fixture, Fixture):
        return "expected a Fixture"
    seats: object = fixture.seats
    if not isinstance(seats, tuple) or len(fixture.seats) != field.seats:
        return f"expected a tuple of {field.seats} seats"
    if not all(_is_below(team, len(field.teams)) for team in fixture.seats):
        return f"expected teams from 0 to {len(field.teams) - 1}"
    if len(set(fixture.seats)) < len(fixture.seats):
        return "a team would play against itself"
    if not _is_below(fixture.map, len(field.maps)):
        return f"expected a map from 0 to {len(field.maps) - 1}"
    if not _is_below(fixture.game, None):
        return "expected a game from 0"
    stage: object = fixture.stage
    return "" if isinstance(stage, str) else "expected text as its stage"


def _is_below(number: object, limit: int | None) -> bool:
    return type(number) is int and number >= 0 and (limit is None or number < limit)
