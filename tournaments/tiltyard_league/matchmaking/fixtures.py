"""What has been played, as the chooser needs it: who met whom on which maps, who waits, what is half done."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from tiltyard_league.database.games import Seats
from tiltyard_league.matchmaking.need import Situation, choose_pair
from tiltyard_league.rating.fit import Fit


def pair_of(one: int, other: int) -> tuple[int, int]:
    """Two versions in the order of their numbers."""
    return (one, other) if one < other else (other, one)


@dataclass(slots=True)
class Fixtures:
    """All fixtures that were begun: a fixture is two games of two versions on a map, one in each order of seats."""

    maps: Sequence[str]
    met: dict[int, dict[int, int]] = field(default_factory=lambda: defaultdict(dict))
    """The maps of each two, as bits in the order of ``maps``: by the earlier version, then by the later one.

    In a season this is most of what the service has in memory, so it is kept small.
    """
    count: int = 0
    """How many fixtures were begun."""
    last: dict[int, int] = field(default_factory=dict)
    """The number of the last fixture of each version, or of the one at which it came."""
    pending: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    """Fixtures of each version that the last fit didn't know."""

    def load(self, games: Iterable[tuple[int, int, str]]) -> list[Seats]:
        """Take over what was played; the halves of fixtures that are missing, to be played first."""
        orders_played: set[tuple[int, int, str]] = set()
        order: dict[tuple[tuple[int, int], str], None] = {}
        for one, other, game_map in games:
            orders_played.add((one, other, game_map))
            order.setdefault((pair_of(one, other), game_map))
        missing: list[Seats] = []
        for (one, other), game_map in order:
            self._begin(one, other, game_map)
            orders = (one, other), (other, one)
            missing += [Seats(versions=seats, map=game_map) for seats in orders if (*seats, game_map) not in orders_played]
        self.pending.clear()
        return missing

    def enter(self, version: int) -> None:
        """A version may play from now on."""
        self.last.setdefault(version, self.count)

    def fitted(self) -> None:
        """A fit knows all that has ended."""
        self.pending.clear()

    def choose(self, active: Sequence[int], fit: Fit, seed: int) -> tuple[Seats, Seats] | None:
        """The next fixture, its games in both orders of seats; None if all have met on all maps.

        Args:
            active: the versions that play.
            fit: which knows all of them.
            seed: of the season; together with the number of the fixture it decides between equals.
        """
        situation = self._situation(active, fit)
        pair = choose_pair(situation, np.random.default_rng((seed, self.count)))
        if pair is None:
            return None
        one, other = (active[place] for place in pair)
        game_map = self._next_map(one, other)
        self._begin(one, other, game_map)
        seats = Seats(versions=(one, other), map=game_map)
        return seats, seats.mirrored

    def is_complete(self, active: Sequence[int]) -> bool:
        """Whether all have met on all maps."""
        most = len(self.maps)
        return all(self._met(one, other).bit_count() >= most for one in active for other in active if one < other)

    def left(self, active: Sequence[int]) -> int:
        """How many fixtures there are still to play."""
        most = len(self.maps)
        return sum(max(0, most - self._met(one, other).bit_count()) for one in active for other in active if one < other)

    def _situation(self, active: Sequence[int], fit: Fit) -> Situation:
        number = len(active)
        met = np.zeros((number, number), dtype=np.int64)
        for place, one in enumerate(active):
            for further, other in enumerate(active[place + 1 :], start=place + 1):
                met[place, further] = met[further, place] = self._met(one, other).bit_count()
        places = [fit.place[version] for version in active]
        return Situation(
            strengths=fit.strengths[places],
            covariance=fit.covariance[np.ix_(places, places)],
            met=met,
            pending=np.array([self.pending.get(version, 0) for version in active], dtype=np.int64),
            waited=np.array([self.count - self.last.get(version, self.count) for version in active], dtype=np.int64),
            most=len(self.maps),
        )

    def _next_map(self, one: int, other: int) -> str:
        """The next map that two have not had: they begin at a map of their own, so that no map is everybody's first."""
        bits, most = self._met(one, other), len(self.maps)
        first = 7 * (one + other) % most
        return next(self.maps[place % most] for place in range(first, first + most) if not bits >> place % most & 1)

    def _met(self, one: int, other: int) -> int:
        earlier, later = pair_of(one, other)
        later_ones = self.met.get(earlier)
        return 0 if later_ones is None else later_ones.get(later, 0)

    def _begin(self, one: int, other: int, game_map: str) -> None:
        earlier, later = pair_of(one, other)
        self.met[earlier][later] = self._met(one, other) | 1 << self.maps.index(game_map)
        self.count += 1
        for version in (one, other):
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
