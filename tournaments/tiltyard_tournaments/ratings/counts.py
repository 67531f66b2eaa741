"""What the models need of matches: how often what happened. Counting makes the order of games meaningless."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TypeVar

from tiltyard_engine.match_record import Outcome
from tiltyard_tournaments.ratings.repeats import GameDigest, without_repeats
from tiltyard_tournaments.standings.scoring import finishes, was_played

T = TypeVar("T", bound=Hashable)
Name = TypeVar("Name", str, int)
Order = tuple[tuple[T, ...], ...]
"""Who finished where: best first; those that share a place stand together, in the order of their names or numbers."""


def rated(matches: Iterable[Outcome]) -> list[Outcome]:
    """Matches that tell about strength: they count, nobody forfeited, no team has two seats, and none only repeats another."""
    return without_repeats(_telling(matches), lambda match: GameDigest(match.teams, match.map, match.digest))


def repeats(matches: Iterable[Outcome], rated_matches: Sequence[Outcome]) -> int:
    """How many matches tell nothing because they only repeat others, of which those that tell something are known."""
    return len(_telling(matches)) - len(rated_matches)


def _telling(matches: Iterable[Outcome]) -> list[Outcome]:
    return [match for match in matches if was_played(match) and len(set(match.teams)) == len(match.teams)]


def count_pairs(matches: Iterable[Outcome]) -> dict[tuple[str, str], tuple[int, int, int]]:
    """Wins of the first, ties, wins of the second, for each pair of teams in the order of their seats; pairs in order of names."""
    counts: Counter[tuple[str, str, int]] = Counter((match.teams[0], match.teams[1], match.winner) for match in matches)
    pairs = sorted({(first, second) for first, second, _ in counts})
    return {(one, other): (counts[one, other, 1], counts[one, other, 0], counts[one, other, 2]) for one, other in pairs}


def order_of(teams: Sequence[Name], places: Sequence[int]) -> Order[Name]:
    """In which order teams finished that have these places."""
    in_order = sorted(zip(places, teams, strict=True))
    if len(set(places)) == len(places):
        # Nearly all games, of which a season has a hundred thousand.
        return tuple([(team,) for _, team in in_order])
    return tuple(tuple(team for _, team in group) for _, group in groupby(in_order, itemgetter(0)))


def count_orders(matches: Iterable[Outcome]) -> dict[Order[str], int]:
    """How often each order of finishing was seen."""
    places = ((match.teams, [finish.place for finish in finishes(match)]) for match in matches)
    return dict(sorted(Counter(order_of(*each) for each in places).items()))


def games_by_team(matches: Iterable[Outcome]) -> dict[str, int]:
    """Matches a team, by name."""
    return dict(sorted(Counter(team for match in matches for team in match.teams).items()))


def is_connected(matches: Iterable[Outcome]) -> bool:
    """Whether all teams that occur met each other, directly or by way of others."""
    parent: dict[str, str] = {}

    def root(team: str) -> str:
        while parent.setdefault(team, team) != team:
            parent[team] = parent[parent[team]]
            team = parent[team]
        return team

    for teams in sorted({match.teams for match in matches}):
        for team in teams[1:]:
            parent[root(team)] = root(teams[0])
    return len({root(team) for team in list(parent)}) <= 1
