"""One round of a swiss: who meets whom, and who sits out, as the pairing that costs least.

What matters more is weighed so that it can never be outweighed by what matters less, as Ólafsson proposed it ("Weighted
matching in chess tournaments", Journal of the Operational Research Society 41, 1990). In this order:

1. nobody sits out twice;
2. nobody meets the same team again;
3. the lowest team of the table sits out;
4. nobody has one seat three games more than the other;
5. teams of equal points meet, others as near to it as can be;
6. nobody has one seat two games more than the other;
7. among equals the upper half meets the lower half in order, as in FIDE's Dutch system (FIDE Handbook C.04.3).

Points 1 to 5 are those of FIDE's basic rules (C.04.1). A difference of 2 is allowed by them, but not wished: so the sixth stands
below groups of equal points, as milder wishes for colours do in the Dutch system.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from tiltyard_engine.data_classes import dataclass, field
from tiltyard_tournaments.formats.matching import least_weight_pairs


@dataclass(slots=True)
class SwissStanding:
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


def pair_round(table: Sequence[SwissStanding], weigh_seats: bool) -> Round:
    """The pairing of least cost of the teams in ``table``, which is in order, best first.

    ``weigh_seats``: whether a meeting puts one of the two into seat 1 more often, so that point 4 matters.
    """
    matching = least_weight_pairs(_weights(table, weigh_seats))
    bye = next((table[high].team for high, low in matching if low == len(table)), None)
    pairs = [(table[high].team, table[low].team) for high, low in matching if low < len(table)]
    return Round(tuple(pairs), bye)


def first_seat(high: SwissStanding, low: SwissStanding, number: int) -> int:
    """Who of two teams sits in seat 1: who did so less often; of two alike, one by the number of the round."""
    if high.lean != low.lean:
        return high.team if high.lean < low.lean else low.team
    return low.team if (high.team + low.team + number) % 2 else high.team


def _weights(table: Sequence[SwissStanding], weigh_seats: bool) -> list[list[int]]:
    """What pairing each pair of places of the table costs, as one number. The place after the last is the bye.

    A step of one kind of cost weighs more than all that can come together of those after it.
    """
    count = len(table)
    size = count + count % 2
    group = _groups(table)
    groups = range(group[-1] + 1)
    place = {one.team: at for at, one in enumerate(table)}
    # Of places high < low: who met before, and whose seats clash. Most pairs are in neither.
    again = {
        (high, place[other]): times**2
        for high, one in enumerate(table)
        for other, times in one.met.items()
        if place.get(other, -1) > high and times
    }
    leans = [one.lean for one in table]
    clash = {(one, other): _clash(one, other) for one in set(leans) for other in set(leans)} if weigh_seats else {}
    halves = [group.count(number) // 2 for number in groups]
    apart = [distance**2 for distance in groups]
    # How far a lower place is from the one that the higher place should meet.
    fold = [
        [abs(low - high - (halves[group[high]] if group[low] == group[high] else 1)) for low in range(high + 1, count)]
        for high in range(count)
    ]
    largest_clash = max((clash[one, other] for one, other in _occurring(leans)), default=0) if clash else 0
    largest_break = max((_breaks(one, other) for one, other in _occurring(leans)), default=0) if clash else 0
    byes = [(one.byes**2, count - 1 - high) for high, one in enumerate(table)] if count % 2 else []
    largest = (
        max(again.values(), default=0),
        max((lowest for _, lowest in byes), default=0),
        largest_break,
        apart[-1],
        largest_clash,
        max(map(max, filter(None, fold)), default=0),
    )
    factors = [1]
    for most in reversed(largest):
        factors.append(factors[-1] * (most * (size // 2) + 1))
    of_clash, of_apart, of_break, of_lowest, of_again, of_byes = factors[1:]
    apart = [of_apart * cost for cost in apart]
    clash = {both: of_clash * cost + of_break * _breaks(*both) for both, cost in clash.items()}
    weights: list[list[int]] = []
    for high in range(count):
        here = group[high]
        row = [cost + apart[there - here] for cost, there in zip(fold[high], group[high + 1 :])]
        if largest_clash:
            lean = leans[high]
            row = [cost + clash[lean, other] for cost, other in zip(row, leans[high + 1 :])]
        weights.append([0] * (high + 1) + row)
        if byes:
            sat_out, lowest = byes[high]
            weights[high].append(of_byes * sat_out + of_lowest * lowest)
    if byes:
        weights.append([0] * size)
    for (high, low), cost in again.items():
        weights[high][low] += of_again * cost
    return weights


def _clash(one: int, other: int) -> int:
    """How bad it is that two teams that lean to seats so much meet: of two who lean to the same one, one gets it again."""
    return max(0, abs(one + other) // 2) ** 2 if one * other > 0 else 0


def _breaks(one: int, other: int) -> int:
    """By how much a meeting of two teams with such leans takes one of them beyond a difference of 2."""
    return max(0, min(abs(one), abs(other)) - 1) if one * other > 0 else 0


def _occurring(leans: Sequence[int]) -> Iterator[tuple[int, int]]:
    """What two different teams lean to."""
    counted = Counter(leans)
    return ((one, other) for one in counted for other in counted if one != other or counted[one] > 1)


def _groups(table: Sequence[SwissStanding]) -> list[int]:
    """For each place the number, from 0, of its group of equal points."""
    groups = [0]
    for one, other in pairwise(table):
        groups.append(groups[-1] + (one.points != other.points))
    return groups
