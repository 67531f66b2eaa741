"""What has been played, as the chooser needs it: who met whom on which maps, who waits, what is half done."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from typing import Final

import numpy as np

from tiltyard_league.database.games import Seats
from tiltyard_league.matchmaking.need import Numbers, Situation, choose_group
from tiltyard_league.matchmaking.seating import Seating
from tiltyard_league.rating.fit import Fit

BITS: Final = 4
"""Of how often two have met on a map."""
MOST: Final = 2**BITS - 1


def pair_of(one: int, other: int) -> tuple[int, int]:
    """Two versions in the order of their numbers."""
    return (one, other) if one < other else (other, one)


@dataclass(slots=True)
class Fixtures:
    """All fixtures that were begun. Of two, a fixture is two games on a map, one in each order of seats; of more, it is one game.

    Args:
        maps: their names.
        players: seats of a game.
    """

    maps: Sequence[str]
    players: int = 2
    met: dict[int, dict[int, int]] = field(default_factory=lambda: defaultdict(dict))
    """How often each pair has met, BITS bits a map in the order of ``maps``: by the earlier version, then by the later one.

    In a season this is most of what the service has in memory, so it is kept small.
    """
    count: int = 0
    """How many fixtures were begun."""
    last: dict[int, int] = field(default_factory=dict)
    """The number of the last fixture of each version, or of the one at which it came."""
    pending: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    """Fixtures of each version that the last fit didn't know."""
    seating: Seating = field(init=False)
    _active: tuple[int, ...] = ()
    _place: dict[int, int] = field(default_factory=dict)
    """Places of the active versions in the two tables that follow, which are made when others play."""
    _met_of_active: Numbers = field(default_factory=lambda: np.zeros((0, 0), dtype=np.int64))
    _left_of_active: Numbers = field(default_factory=lambda: np.zeros((0, 0), dtype=np.int64))

    def __post_init__(self) -> None:
        self.seating = Seating(len(self.maps), self.players)

    @property
    def meetings(self) -> int:
        """How many fixtures each pair has on each map: so many that they have met as often as a game has seats."""
        return 1 if self.players == 2 else min(self.players, MOST)

    def load(self, games: Iterable[tuple[tuple[int, ...], str]]) -> list[Seats]:
        """Take over what was played: versions by seat, and the map; the halves of fixtures that are missing, to be played first."""
        orders_played: set[tuple[tuple[int, ...], str]] = set()
        order: dict[tuple[tuple[int, ...], str], None] = {}
        for versions, game_map in games:
            if len(versions) != self.players:
                # The league's game had another number of seats then.
                continue
            if self.players == 2:
                orders_played.add((versions, game_map))
                order.setdefault((pair_of(*versions), game_map))
            else:
                self.begin(versions, game_map)
        missing: list[Seats] = []
        for versions, game_map in order:
            self.begin(versions, game_map)
            missing += [
                Seats(versions=seats, map=game_map)
                for seats in (versions, versions[::-1])
                if (seats, game_map) not in orders_played
            ]
        self.pending.clear()
        return missing

    def enter(self, version: int) -> None:
        """A version may play from now on."""
        self.last.setdefault(version, self.count)

    def fitted(self) -> None:
        """A fit knows all that has ended."""
        self.pending.clear()

    def choose(self, active: Sequence[int], fit: Fit, seed: int) -> tuple[Seats, ...] | None:
        """The games of the next fixture, all to be played; None if all have met as often as they are to, or are too few.

        Args:
            active: the versions that play.
            fit: which knows all of them.
            seed: of the season; together with the number of the fixture it decides between equals.
        """
        draw = np.random.default_rng((seed, self.count))
        group = choose_group(self._situation(active, fit), draw)
        if group is None:
            return None
        versions = tuple(active[place] for place in group)
        game_map = self._next_map(versions)
        if self.players > 2:
            versions = self.seating.order(versions, self.maps.index(game_map), draw)
        self.begin(versions, game_map)
        seats = Seats(versions=versions, map=game_map)
        return (seats, seats.mirrored) if self.players == 2 else (seats,)

    def is_complete(self, active: Sequence[int]) -> bool:
        """Whether there is nothing left to play."""
        return not self.left(active)

    def left(self, active: Sequence[int]) -> int:
        """How many fixtures there are still to play; of more than two, at least so many."""
        if len(active) < self.players:
            return 0
        self._look_at(active)
        a_fixture = self.players * (self.players - 1)
        return -(-int(self._left_of_active.sum()) // a_fixture)

    def _situation(self, active: Sequence[int], fit: Fit) -> Situation:
        self._look_at(active)
        places = [fit.place[version] for version in active]
        return Situation(
            strengths=fit.strengths[places],
            covariance=fit.covariance[np.ix_(places, places)],
            met=self._met_of_active,
            left=self._left_of_active,
            pending=np.array([self.pending.get(version, 0) for version in active], dtype=np.int64),
            waited=np.array([self.count - self.last.get(version, self.count) for version in active], dtype=np.int64),
            players=self.players,
        )

    def _look_at(self, active: Sequence[int]) -> None:
        """Make the tables of those that play now, unless they are there."""
        if self._active == tuple(active):
            return
        number, before = len(active), self._place
        tables = self._met_of_active, self._left_of_active
        self._active, self._place = tuple(active), {version: place for place, version in enumerate(active)}
        self._met_of_active, self._left_of_active = (np.zeros((number, number), dtype=np.int64) for _ in range(2))
        # When one comes, all the others stay.
        staying = [version for version in active if version in before]
        here, there = [self._place[version] for version in staying], [before[version] for version in staying]
        for table, earlier in zip((self._met_of_active, self._left_of_active), tables, strict=True):
            table[np.ix_(here, here)] = earlier[np.ix_(there, there)]
        # Of thousands of pairs, most have met as often as many others.
        met_and_left = cache(self._met_and_left)
        for one in self._place.keys() - before.keys():
            for other in active:
                if one != other:
                    self._note(one, other, *met_and_left(self._met(one, other)))

    def _note(self, one: int, other: int, met: int, left: int) -> None:
        """Write into both tables how often two have met, and how often they must still meet."""
        here, there = self._place.get(one), self._place.get(other)
        if here is not None and there is not None:
            self._met_of_active[here, there] = self._met_of_active[there, here] = met
            self._left_of_active[here, there] = self._left_of_active[there, here] = left

    def _met_and_left(self, bits: int) -> tuple[int, int]:
        counts = [bits >> BITS * place & MOST for place in range(len(self.maps))]
        return sum(counts), sum(max(0, self.meetings - count) for count in counts)

    def _next_map(self, versions: Sequence[int]) -> str:
        """The map on which most meetings are missing. Each group begins at a map of its own, so that none is everybody's first."""
        most = len(self.maps)
        first = 7 * sum(versions) % most
        missing = [0] * most
        for one, other in combinations(versions, 2):
            bits = self._met(one, other)
            for place in range(most):
                missing[place] += max(0, self.meetings - (bits >> BITS * place & MOST))
        return self.maps[max((place % most for place in range(first, first + most)), key=missing.__getitem__)]

    def _met(self, one: int, other: int) -> int:
        earlier, later = pair_of(one, other)
        later_ones = self.met.get(earlier)
        return 0 if later_ones is None else later_ones.get(later, 0)

    def begin(self, versions: Sequence[int], game_map: str) -> None:
        place = self.maps.index(game_map)
        for one, other in combinations(versions, 2):
            earlier, later = pair_of(one, other)
            bits = self._met(one, other)
            if bits >> BITS * place & MOST < MOST:
                bits += 1 << BITS * place
            self.met[earlier][later] = bits
            self._note(one, other, *self._met_and_left(bits))
        if self.players > 2:
            self.seating.add(versions, place)
        self.count += 1
        for version in versions:
            self.last[version] = self.count
            self.pending[version] += 1


def before(versions: Iterable[tuple[int, int]]) -> Mapping[int, int | None]:
    """Each version with the team's one before it; ``versions`` are (version, team), earlier ones first."""
    last: dict[int, int] = {}
    previous: dict[int, int | None] = {}
    for version, team in versions:
        previous[version] = last.get(team)
        last[team] = version
    return previous
