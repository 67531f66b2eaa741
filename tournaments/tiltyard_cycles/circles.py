"""Circles among teams that a format plays on until their order is known; it needs no numpy.

Ratings put the teams of a circle into an order as soon as some of them have met more often than others, and are sure of it. So
neighbours in a circle count as undecided, and the pair of the circle that has met least plays next: where the circle was luck, it
comes apart, and where it is none, its teams have met equally often and their ratings come together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from tiltyard_engine.formats import FixtureResult

Pair = tuple[int, int]
FEW: Final = 4


def circle_edges(results: Sequence[FixtureResult], pairs: Iterable[Pair]) -> dict[Pair, tuple[Pair, bool]]:
    """Of each of these pairs that may be in a circle of three: which pair of it has met least, and whether it is one so far.

    In a circle each has won more of the games against the next than it lost. A pair that has met in less than
    a FEW part of the others' games may close a circle whatever its results: they may be luck. The clearest circle counts.
    """
    lead: Counter[Pair] = Counter()
    met: Counter[Pair] = Counter()
    for result in results:
        one, other = result.fixture.seats
        sign = (0, 1, -1)[result.winner]
        for pair, points in (((one, other), sign), ((other, one), -sign)):
            met[pair] += 1
            lead[pair] += points
    teams = sorted({team for pair in met for team in pair})
    edges: dict[Pair, tuple[Pair, bool]] = {}
    for one, other in pairs:
        circles = []
        for third in teams:
            around = ((one, other), (other, third), (third, one))
            if third in (one, other) or not all(met[pair] for pair in around):
                continue
            least = sorted(met[pair] for pair in around)[1] / FEW
            leads = [lead[pair] for pair in around if met[pair] > least]
            if all(points > 0 for points in leads) or all(points < 0 for points in leads):
                clearness = sum(abs(lead[pair]) / met[pair] for pair in around)
                circles.append((len(leads), clearness, around))
        if circles:
            certain, _, around = max(circles)
            edges[one, other] = min(around, key=lambda pair: (met[pair], pair)), certain == len(around)
    return edges
