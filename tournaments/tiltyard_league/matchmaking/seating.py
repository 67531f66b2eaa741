"""Who sits where in a game of three or more: seats are evened out by what each version has had, not drawn."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

import numpy as np

from tiltyard_league.matchmaking.need import Numbers

NEIGHBOUR: Final = 0.1
"""What it costs to sit behind a version behind which one has sat, for each time. The last seat is before the first one.

To sit where one has sat once more than where least costs 1, on all maps together and on this one alike; twice more 8, and so on.
"""
STARTS: Final = 4
"""From so many orders of seats the best is looked for."""


@dataclass(slots=True)
class Seating:
    """Which seats all versions have had, on which maps, and after whom.

    Args:
        maps: how many there are.
        players: seats of a game.
    """

    maps: int
    players: int
    counts: dict[int, Numbers] = field(default_factory=dict)
    """Games of each version by map and seat."""
    after: dict[int, dict[int, int]] = field(default_factory=lambda: defaultdict(dict))
    """How often each version sat behind each other one."""
    orders: set[int] = field(default_factory=set)
    """Hashes of all games: the same versions in the same seats would play the same game again."""

    def add(self, versions: Sequence[int], game_map: int) -> None:
        """Remember who sat where in a game."""
        for seat, version in enumerate(versions):
            self._counts_of(version)[game_map, seat] += 1
            behind = self.after[version]
            behind[versions[seat - 1]] = behind.get(versions[seat - 1], 0) + 1
        self.orders.add(hash((game_map, *versions)))

    def order(self, versions: Sequence[int], game_map: int, draw: np.random.Generator) -> tuple[int, ...]:
        """The versions of a game, that of seat 1 first: an order that they have not had on this map, if there is one."""
        seats = np.arange(self.players)
        counts = np.array([self._counts_of(version) for version in versions])
        totals, here = counts.sum(axis=1), counts[:, game_map]
        cost = self._surplus(totals) + self._surplus(here)
        behind = np.array([[self.after[one].get(other, 0) for other in versions] for one in versions]) * NEIGHBOUR
        swaps = np.array([seats, *(_swapped(self.players, *two) for two in combinations(range(self.players), 2))])
        best, least = tuple(versions), np.inf
        for _ in range(STARTS):
            row, before = draw.permutation(self.players), np.inf
            while True:
                rows = row[swaps]
                costs = cost[rows, seats].sum(axis=1) + behind[rows, np.roll(rows, 1, axis=1)].sum(axis=1)
                for place in np.argsort(costs, kind="stable"):
                    order = tuple(versions[each] for each in rows[place])
                    if hash((game_map, *order)) not in self.orders:
                        break
                if costs[place] >= before:
                    break
                row, before = rows[place], float(costs[place])
                if before < least:
                    best, least = order, before
        return best

    def _counts_of(self, version: int) -> Numbers:
        if version not in self.counts:
            self.counts[version] = np.zeros((self.maps, self.players), dtype=np.int64)
        return self.counts[version]

    @staticmethod
    def _surplus(counts: Numbers) -> Numbers:
        surplus: Numbers = (counts - counts.min(axis=1, keepdims=True)) ** 3
        return surplus


def _swapped(players: int, one: int, other: int) -> Numbers:
    swapped = np.arange(players)
    swapped[[one, other]] = other, one
    return swapped
