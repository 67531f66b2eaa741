"""One round of a swiss: who meets whom, and who sits out, as the pairing that costs least.

What matters more is weighed so that it can never be outweighed by what matters less, as Ólafsson proposed it ("Weighted
matching in chess tournaments", Journal of the Operational Research Society 41, 1990). In this order:

1. nobody sits out twice;
2. nobody meets the same team again;
3. the lowest team of the table sits out;
4. nobody gets one seat two times more often than the other;
5. teams of equal points meet, others as near to it as can be;
6. among equals the upper half meets the lower half in order, as in FIDE's Dutch system (FIDE Handbook C.04.3).

Points 1 to 3 and 5 are those of FIDE's basic rules (C.04.1). The fourth is stricter than theirs, which allow a difference of 2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from tiltyard_tournaments.formats.matching import least_weight_pairs


@dataclass(slots=True)
class Standing:
    """A team before a round."""

    team: int
    points: float = 0.0
    byes: int = 0
    met: dict[int, int] = field(default_factory=dict)
    """How many rounds against each other team."""
    lean: int = 0
    """How many games more in seat 1 than in seat 2."""


@dataclass(frozen=True, slots=True)
class Round:
    """Who meets whom: pairs with the higher placed team first, top tables first; and who sits out."""

    pairs: tuple[tuple[int, int], ...]
    bye: int | None


def pair_round(table: Sequence[Standing], weigh_seats: bool) -> Round:
    """The pairing of least cost of the teams in ``table``, which is in order, best first.

    ``weigh_seats``: whether a meeting puts one of the two into seat 1 more often, so that point 4 matters.
    """
    costs = _costs(table, weigh_seats)
    found = least_weight_pairs(_weights(costs, len(table) + len(table) % 2))
    bye = next((table[high].team for high, low in found if low == len(table)), None)
    pairs = [(table[high].team, table[low].team) for high, low in found if low < len(table)]
    return Round(tuple(pairs), bye)


def first_seat(high: Standing, low: Standing, number: int) -> int:
    """Who of two teams sits in seat 1: who did so less often; of two alike, one by the number of the round."""
    if high.lean != low.lean:
        return high.team if high.lean < low.lean else low.team
    return low.team if (high.team + low.team + number) % 2 else high.team


def _costs(table: Sequence[Standing], weigh_seats: bool) -> dict[tuple[int, int], tuple[int, ...]]:
    """For each two places of the table what pairing them costs, what matters most first. The place after the last is the bye."""
    group = _groups(table)
    sizes = [group.count(number) for number in range(group[-1] + 1)]
    costs: dict[tuple[int, int], tuple[int, ...]] = {}
    for high, one in enumerate(table):
        for low in range(high + 1, len(table)):
            other = table[low]
            again = one.met.get(other.team, 0) ** 2
            clash = max(0, abs(one.lean + other.lean) // 2) ** 2 if weigh_seats and one.lean * other.lean > 0 else 0
            apart = (group[low] - group[high]) ** 2
            fold = abs(low - high - (sizes[group[high]] // 2 if not apart else 1))
            costs[high, low] = (0, again, 0, clash, apart, fold)
        if len(table) % 2:
            costs[high, len(table)] = (one.byes**2, 0, len(table) - 1 - high, 0, 0, 0)
    return costs


def _groups(table: Sequence[Standing]) -> list[int]:
    """For each place the number, from 0, of its group of equal points."""
    groups = [0]
    for one, other in pairwise(table):
        groups.append(groups[-1] + (one.points != other.points))
    return groups


def _weights(costs: Mapping[tuple[int, int], tuple[int, ...]], size: int) -> list[list[int]]:
    """One number a pair. A step of one kind of cost weighs more than all that can come together of those after it."""
    kinds = len(next(iter(costs.values())))
    factors = [1] * kinds
    for kind in range(kinds - 2, -1, -1):
        largest = max(cost[kind + 1] for cost in costs.values())
        factors[kind] = factors[kind + 1] * (largest * (size // 2) + 1)
    weights = [[0] * size for _ in range(size)]
    for (high, low), cost in costs.items():
        weights[high][low] = sum(factor * part for factor, part in zip(factors, cost))
    return weights
