"""Groups of more than two teams, by turning: teams on a circle, a group moved on by one place at a time.

All n turns of a group together hold every team as often as every other, once in each seat; and all pairs that are equally
far apart on the circle meet equally often. Such cyclic designs go back to Bose (1939), "On the construction of balanced
incomplete block designs", Annals of Eugenics 9.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import comb, gcd
from typing import Final

MOST_CANDIDATES: Final = 5_000

Group = tuple[int, ...]


def rotated(group: Group, by: int, teams: int) -> Group:
    """The group moved on by so many places, its order kept."""
    return tuple((team + by) % teams for team in group)


def turns(group: Group, teams: int) -> list[Group]:
    """All ``teams`` turns of a group, neighbours in the list having as few teams in common as the step can bring about."""
    steps = [step for step in range(1, teams) if gcd(step, teams) == 1] or [1]
    step = min(steps, key=lambda step: (len(set(group) & set(rotated(group, step, teams))), step))
    return [rotated(group, number * step, teams) for number in range(teams)]


def all_groups(teams: int, size: int) -> list[list[Group]]:
    """Every group of ``size`` of the teams exactly once, those that are turns of each other together."""
    orbits: list[list[Group]] = []
    visited: set[Group] = set()
    for rest in combinations(range(1, teams), size - 1):
        group = (0, *rest)
        if group in visited:
            continue
        orbit: list[Group] = []
        for turn in turns(group, teams):
            members = tuple(sorted(turn))
            if members not in visited:
                visited.add(members)
                orbit.append(turn)
        orbits.append(orbit)
    return orbits


def balanced_groups(teams: int, size: int) -> Iterator[Group]:
    """Groups without end, to be turned: after each of them, all pairs have met about equally often.

    Each is the one after which the squares of the numbers of meetings have the smallest sum; ``size`` is at most ``teams``.
    """
    met = [0] * (teams // 2 + 1)
    uses: dict[Group, int] = {}
    candidates = [(0, *rest) for rest in _candidates(teams - 1, size - 1)]
    meetings = {group: _meetings(group, teams) for group in candidates}
    while True:
        best = min(candidates, key=lambda group: (_squares(met, meetings[group], teams), uses.get(group, 0), group))
        for distance in meetings[best]:
            met[distance] += 1
        uses[best] = uses.get(best, 0) + 1
        yield best


def _meetings(group: Group, teams: int) -> list[int]:
    """The distances at which pairs meet in all turns of a group; a pair of opposite teams meets twice."""
    distances: list[int] = []
    for one, other in combinations(group, 2):
        distance = min((one - other) % teams, (other - one) % teams)
        distances += [distance] * (2 if 2 * distance == teams else 1)
    return distances


def _squares(met: list[int], added: list[int], teams: int) -> int:
    """The sum over all pairs of the squared number of meetings, after ``added``, up to a factor."""
    after = met.copy()
    for distance in added:
        after[distance] += 1
    return sum(number * number * (1 if 2 * distance == teams else 2) for distance, number in enumerate(after))


def _candidates(number: int, size: int) -> list[Group]:
    """Groups of ``size`` of the numbers 1 to ``number``: all, or evenly spaced ones of a list too long to try."""
    total = comb(number, size)
    if total <= MOST_CANDIDATES:
        return list(combinations(range(1, number + 1), size))
    return [_combination(number, size, place * total // MOST_CANDIDATES) for place in range(MOST_CANDIDATES)]


def _combination(number: int, size: int, place: int) -> Group:
    """The group at a place of the list of all, in the order of ``itertools.combinations``, without making the list."""
    group: list[int] = []
    value = 0
    for left in range(size, 0, -1):
        value += 1
        while place >= (behind := comb(number - value, left - 1)):
            place -= behind
            value += 1
        group.append(value)
    return tuple(group)
