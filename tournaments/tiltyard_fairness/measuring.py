"""Plays the games that tell whether maps are fair: copies of each team, and different teams that go round the seats."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice, permutations
from math import comb, factorial
from random import Random
from typing import Any, Final, TypeAlias, TypeVar

from tiltyard_checks.command.progress import ProgressBar
from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import Outcome
from tiltyard_engine.records import Game, usual_players
from tiltyard_engine.registry import Reference
from tiltyard_engine.registry.registry import MAP
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.map_reading import read_map
from tiltyard_simulator.match.spec import MapSource, MatchInput, MatchSpec
from tiltyard_simulator.play.local_matches import play_matches, run_matches
from tiltyard_simulator.registry.finder import Finder
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy

MOST_GROUPS: Final = 12
"""Of different teams, on a map for more than two."""
SEED: Final = 1
"""So that the same teams meet each time."""
FIRST_SEEDS: Final = 2
"""Games of a group that are played before it is known whether more of them would only repeat these."""
SLOW_SECONDS: Final = 4.0
"""CPU seconds: a team of the game's own that takes longer for a game against itself is left out."""


T = TypeVar("T", bound=Hashable)
Group: TypeAlias = tuple[MapSource, tuple[Reference, ...]]
"""Teams that play on a map."""


@dataclass(frozen=True, slots=True)
class FairnessField:
    """Who plays on which maps, in which of their seats."""

    game: Game[Any]
    reference: Reference
    manager: Reference
    teams: Sequence[Reference]
    maps: Sequence[tuple[MapSource, int]]
    """Each with its number of seats."""
    policy: IsolationPolicy

    def spec(self, teams: Sequence[Reference], game_map: MapSource, seed: int) -> MatchSpec:
        """A match, seat 1 first."""
        match = MatchInput(game=self.reference, manager=self.manager, map=game_map, teams=tuple(teams), seed=seed)
        return self.policy.apply(MatchSpec(match))


def maps_of(game: Game[Any], names: Sequence[str], finder: Finder) -> list[tuple[MapSource, int]]:
    """The maps of these names or files, or all shipped ones, each with the number of seats that it is looked at with.

    Raises:
        UserError: there is none, or one can't be read.
    """
    seats_of = {entry.name: entry.contribution.seats for entry in finder.registry.all(MAP, game.name)}
    maps = []
    for name in names or seats_of:
        source = finder.map(name, game.name)
        seats = seats_of.get(source.name) or _least_seats(game, source)
        if seats < 2:
            raise UserError(f"{name}: a map for one player has no seats that could be unfair")
        maps.append((source, seats))
    if not maps:
        raise UserError(f"no map of {game.name} is installed: name one with --map")
    return maps


def _least_seats(game: Game[Any], source: MapSource) -> int:
    """The usual number of players if the map can be read for so many, else the first that it can be read for.

    Raises:
        UserError: the map is for no number of players; says why.
    """
    usual = usual_players(game)
    problem: UserError | None = None
    for seats in [usual, *(each for each in game.seats if each not in (1, usual))]:
        try:
            read_map(game, source.name, source.data, seats)
        except UserError as error:
            problem = problem or error
        else:
            return seats
    raise problem or UserError(f"{source.name}: no number of players fits")


def without_slow(field: FairnessField, tell: Callable[[str], None]) -> FairnessField:
    """The field without teams that take long, by one game of each against itself on the smallest map."""
    source, seats = min(field.maps, key=lambda pair: (pair[1], len(pair[0].data)))
    quick: list[Reference] = []
    for team in field.teams:
        start = time.process_time()
        (record,) = play_matches([field.spec([team] * seats, source, 0)], 1)
        outcome = record.outcome
        cells = sum(account.cpu_seconds for account in record.evidence.accounts if account.held != Isolation.INLINE)
        seconds = time.process_time() - start + cells
        if seconds <= SLOW_SECONDS and not outcome.faults:
            quick.append(team)
        elif outcome.faults:
            tell(f"{team.label} is left out: it failed against itself on {source.name}: {outcome.faults[0].message}")
        else:
            tell(f"{team.label} is left out: a game took {seconds:.1f} CPU seconds; use --player {team.name} to include it")
    if not quick:
        raise UserError("no team of the game plays quickly and without a fault; name some with --player")
    return replace(field, teams=quick)


def play_field(field: FairnessField, seeds: int, workers: int) -> list[Outcome]:
    """Play all groups of teams on all maps, with a progress line.

    Args:
        field: who plays where.
        seeds: games in the same seats on the same map; fewer where chance has no part, and more would be the same games again.
        workers: processes.

    Returns:
        Outcomes in the order of maps and groups.
    """
    groups = groups_on(field)

    first = _play(field, groups, range(min(FIRST_SEEDS, seeds)), workers)
    games = iter(first)
    by_chance = []
    for source, group in groups:
        if _differ(list(islice(games, len(seatings(group)) * min(FIRST_SEEDS, seeds)))):
            by_chance.append((source, group))
    return first + _play(field, by_chance, range(FIRST_SEEDS, seeds), workers)


def groups_on(field: FairnessField) -> list[Group]:
    """All groups of teams on all maps."""
    return [(source, group) for source, seats in field.maps for group in groups_of(field.teams, seats)]


def _play(field: FairnessField, groups: Sequence[Group], seeds: Sequence[int], workers: int) -> list[Outcome]:
    specs = [field.spec(teams, source, seed) for source, group in groups for teams in seatings(group) for seed in seeds]
    with ProgressBar(len(specs)) as progress:
        return run_matches(specs, workers, lambda spec, record: progress.finished(record.outcome)) if specs else []


def _differ(outcomes: Sequence[Outcome]) -> bool:
    """Whether games in the same seats are not the same, so that more of them tell more."""
    digests: dict[tuple[str, ...], set[str]] = {}
    for outcome in outcomes:
        digests.setdefault(outcome.teams, set()).add(outcome.digest)
    return any(len(values) > 1 or "" in values for values in digests.values())


def groups_of(teams: Sequence[T], seats: int) -> list[tuple[T, ...]]:
    """Copies of each team; then all pairs, or on maps for more, some sets of teams in different orders round the table."""
    copies = [(team,) * seats for team in teams]
    if len(teams) == 1:
        return copies
    if seats == 2:
        return copies + list(combinations(teams, 2))
    if len(teams) >= seats:
        return copies + _orders(teams, seats)
    return copies + [tuple(team for team, _ in zip(_round(pair), range(seats))) for pair in combinations(teams, 2)][:MOST_GROUPS]


def _orders(teams: Sequence[T], seats: int) -> list[tuple[T, ...]]:
    """Orders of teams round a table: all if they are few, else some that are drawn. The lowest team sits first in each."""
    if comb(len(teams), seats) * factorial(seats - 1) <= MOST_GROUPS:
        return [(each[0], *rest) for each in combinations(teams, seats) for rest in permutations(each[1:])]
    chance, orders = Random(SEED), dict[tuple[T, ...], None]()
    while len(orders) < MOST_GROUPS:
        order = chance.sample(range(len(teams)), seats)
        first = order.index(min(order))
        orders[tuple(teams[place] for place in order[first:] + order[:first])] = None
    return list(orders)


def _round(teams: Sequence[T]) -> Iterator[T]:
    while True:
        yield from teams


def seatings(group: tuple[T, ...]) -> list[tuple[T, ...]]:
    """The group with its teams moved on by one seat after the other, each way once."""
    return list(dict.fromkeys(group[at:] + group[:at] for at in range(len(group))))
