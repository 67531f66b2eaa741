"""Made-up seasons of a league whose games have two to nine players: whether intervals hold, who waits, and how seats come out.

    OMP_NUM_THREADS=1 nice -n 19 .venv/bin/python benchmarks/group_seasons.py [--seeds 20] [--games 100] [--players 4] [--design]

A season has 60 teams, 30 uploads at any time, and 12 maps. Strengths are normal with a standard deviation of 200 Elo points, a new
version is 30 ± 80 better than the one before. Orders are drawn by Plackett and Luce: each has its strength and an error of its own.
It is played by the league's own chooser and fit, which is made again every 200 games. So the intervals are those of games that were
chosen by earlier ratings. How the players of a game share places:

- ``strict``: never.
- ``round``: a player is out in the round that its strength and its error give, and those of the same round share a place.
  A round is 60 Elo points, and begins anywhere.
- ``told``: the game only tells the first few places; all others share the last one.

The truth of a difference is how often the one finishes before the other, of games in which they don't share a place. It can be told
exactly. ``--design`` compares fixtures of one game, whose seats are evened out, with fixtures of a game for each rotation of seats,
where each seat of each map is worth 0 ± 60 Elo points, with the same number of games.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from measuring import command_line
from numpy.typing import NDArray

from tiltyard_league.database.games import Seats
from tiltyard_league.matchmaking.fixtures import Fixtures, pair_of
from tiltyard_league.rating.fit import Fit, Order, fit_orders, fit_versions
from tiltyard_simulator.output.tables import render
from tiltyard_tournaments.ratings.model import ELO

TEAMS, UPLOADS, MAPS, REFIT = 60, 30, 12, 200
SPREAD, BETTER, CHANGE, ROUND, SEAT = 200.0, 30.0, 80.0, 60.0, 60.0
WAYS: Final = ("strict", "round", "told")
Z: Final = 1.959964
Values = NDArray[np.float64]


@dataclass
class Season:
    """A season of games of several.

    Args:
        seed: of all that is made up.
        players: seats of a game.
        games: how many there are.
        way: how places are shared, one of WAYS.
        rotations: whether a fixture has a game for each rotation of its seats.
        seat: the standard deviation of what a seat of a map is worth, in Elo points.
    """

    seed: int
    players: int
    games: int
    way: str
    rotations: bool = False
    seat: float = 0.0
    orders: Counter[Order] = field(default_factory=Counter)
    played: list[Seats] = field(default_factory=list)
    longest: float = 0.0
    """Wait, in mean intervals between two fixtures of a version."""
    seconds: float = 0.0
    """CPU time of all choices."""
    choices: int = 0

    def __post_init__(self) -> None:
        self._draw = np.random.default_rng((self.seed, self.players))
        now = self._draw.normal(0, SPREAD, TEAMS)
        self.strengths, self.before = list(now), dict.fromkeys(range(TEAMS))
        self.active = list(range(TEAMS))
        self._uploads = sorted(self._draw.integers(self.games // 10, int(self.games * 0.9), UPLOADS))
        self._seats = self._draw.normal(0, self.seat, (MAPS, self.players))
        self.fixtures = Fixtures([str(number) for number in range(MAPS)], self.players)

    def play(self) -> Fit:
        """Play it; the last fit."""
        for version in self.active:
            self.fixtures.enter(version)
        fit, since = self._refit(), 0
        while len(self.played) < self.games:
            while self._uploads and self._uploads[0] <= len(self.played):
                self._uploads.pop(0)
                self._upload()
                fit = self._refit()
            begun = time.process_time()
            chosen = self.fixtures.choose(self.active, fit, self.seed)
            self.seconds += time.process_time() - begun
            self.choices += 1
            if chosen is None:
                break
            games = list(self._rotations(chosen[0])) if self.rotations else list(chosen)
            for game in games[1:]:
                self.fixtures.begin(game.versions, game.map)
            for game in games:
                self.orders[self._order(game)] += 1
            waited = max(self.fixtures.count - self.fixtures.last[version] for version in self.active)
            self.longest = max(self.longest, waited * self.players / TEAMS)
            self.played += games
            since += len(games)
            if since >= REFIT:
                fit, since = self._refit(), 0
        return self._refit()

    def _refit(self) -> Fit:
        self.fixtures.fitted()
        if self.players > 2:
            return fit_orders(self.before, self.orders)
        counts: dict[tuple[int, int], tuple[int, int, int]] = {}
        for order, number in self.orders.items():
            one, other = pair_of(*(version for group in order for version in group))
            won, tied, lost = counts.get((one, other), (0, 0, 0))
            outcome = (1, 0, 0) if order[0] == (one,) else (0, 0, 1) if order[0] == (other,) else (0, 1, 0)
            counts[one, other] = won + number * outcome[0], tied + number * outcome[1], lost + number * outcome[2]
        return fit_versions(self.before, counts)

    def _upload(self) -> None:
        team = int(self._draw.integers(TEAMS))
        version, old = len(self.strengths), self.active[team]
        self.strengths.append(self.strengths[old] + self._draw.normal(BETTER, CHANGE))
        self.before[version] = old
        self.active[team] = version
        self.fixtures.enter(version)

    def _rotations(self, seats: Seats) -> Iterator[Seats]:
        for turn in range(self.players):
            yield Seats(versions=seats.versions[turn:] + seats.versions[:turn], map=seats.map)

    def _order(self, game: Seats) -> Order:
        worth = np.array([self.strengths[version] for version in game.versions]) + self._seats[int(game.map)]
        worth = worth / ELO + self._draw.gumbel(size=self.players)
        if self.way == "round":
            worth = np.floor(worth / (ROUND / ELO) + self._draw.random())
        elif self.way == "told":
            told = int(self._draw.integers(1, self.players))
            worth = np.maximum(worth, np.sort(worth)[-told - 1])
        groups: dict[float, list[int]] = {}
        for version, value in zip(game.versions, worth, strict=True):
            groups.setdefault(float(value), []).append(version)
        return tuple(tuple(sorted(groups[value])) for value in sorted(groups, reverse=True))

    def truth(self, one: Values, other: Values) -> Values:
        """Elo points between two: the odds that the one finishes before the other, if they don't share a place."""
        apart = (one - other) / ELO
        if self.way != "round":
            return np.asarray(ELO * apart)
        # The chance of sharing no place grows evenly with how far they are apart, up to a round.
        length = ROUND / ELO

        def before(apart: Values) -> Values:
            return np.asarray(length - np.logaddexp(0, length - apart) + np.logaddexp(0, -apart))

        return np.asarray(ELO * (np.log(before(apart)) - np.log(before(-apart))))


@dataclass
class Figures:
    """What came out of seasons of one kind."""

    held: list[float] = field(default_factory=list)
    """The share of differences of two whose interval holds the truth, a season."""
    off: list[float] = field(default_factory=list)
    """How far differences are from the truth: the root of the mean square, in Elo points."""
    half: list[float] = field(default_factory=list)
    """Half the width of their intervals."""
    longest: float = 0.0
    milliseconds: list[float] = field(default_factory=list)
    seats: int = 0
    """The most by which a version's games in two seats differ."""
    shared: list[float] = field(default_factory=list)
    """The share of games in which places were shared."""

    def add(self, season: Season, fit: Fit) -> None:
        """Add a season."""
        places = np.array([fit.place[version] for version in season.active])
        one, other = (places[each] for each in np.triu_indices(len(places), 1))
        strengths = np.array(season.strengths)
        difference = ELO * (fit.strengths[one] - fit.strengths[other])
        variance = fit.covariance[one, one] + fit.covariance[other, other] - 2 * fit.covariance[one, other]
        half = Z * ELO * np.sqrt(variance)
        miss = difference - season.truth(strengths[one], strengths[other])
        self.held.append(float(np.mean(np.abs(miss) <= half)))
        self.off.append(float(np.sqrt(np.mean(miss**2))))
        self.half.append(float(np.mean(half)))
        self.longest = max(self.longest, season.longest)
        self.milliseconds.append(1000 * season.seconds / max(1, season.choices))
        seats = Counter((version, seat) for game in season.played for seat, version in enumerate(game.versions))
        for version in range(len(season.strengths)):
            own = [seats[version, seat] for seat in range(season.players)]
            self.seats = max(self.seats, max(own) - min(own))
        tied = sum(count for order, count in season.orders.items() if len(order) < season.players)
        self.shared.append(tied / len(season.played))

    def row(self, name: str) -> tuple[str, ...]:
        """A line of the table."""
        error = 100 * np.std(self.held, ddof=1) / np.sqrt(len(self.held)) if len(self.held) > 1 else np.nan
        return (
            name,
            f"{100 * np.mean(self.shared):.0f} %",
            f"{100 * np.mean(self.held):.1f} ± {error:.1f} %",
            f"± {np.mean(self.half):.1f}",
            f"{np.mean(self.off):.1f}",
            str(self.seats),
            f"{self.longest:.2f}",
            f"{np.mean(self.milliseconds):.2f} ms",
        )


HEADERS: Final = ("seasons of", "places shared", "differences held", "interval", "off", "seats", "longest wait", "a choice")


def seasons(seeds: int, players: int, games: int, way: str, *, rotations: bool = False, seat: float = 0.0) -> Figures:
    """So many seasons of a kind."""
    figures = Figures()
    for seed in range(seeds):
        season = Season(seed, players, games, way, rotations, seat)
        figures.add(season, season.play())
    return figures


def main() -> None:
    """Print a line for each kind of season."""
    parser = command_line(__doc__)
    parser.add_argument("--seeds", type=int, default=20, help="seasons of each kind (20)")
    parser.add_argument("--games", type=int, default=100, help="of a team in a season (100)")
    parser.add_argument("--players", type=int, action="append", help="of a game (2, 3, 4 and 9)")
    parser.add_argument("--way", action="append", choices=WAYS, help="how places are shared (all)")
    parser.add_argument("--design", action="store_true", help="compare fixtures of one game with fixtures of all rotations")
    options = parser.parse_args()
    kinds: list[tuple[str, tuple[int, int, str], bool]] = []
    for players in options.players or (2, 3, 4, 9):
        games = options.games * TEAMS // players
        for way in options.way or (("strict",) if options.design or players == 2 else WAYS):
            name = f"{players} players, {games} games, {way}"
            for rotations in (False, True) if options.design else (False,):
                fixture = f", {'all rotations' if rotations else 'one game'} a fixture" if options.design else ""
                kinds.append((name + fixture, (players, games, way), rotations))
    rows: list[Sequence[str]] = []
    for name, kind, rotations in kinds:
        rows.append(seasons(options.seeds, *kind, rotations=rotations, seat=SEAT * options.design).row(name))
        print(*rows[-1], sep="  ", file=sys.stderr, flush=True)
    print(render(HEADERS, rows))


if __name__ == "__main__":
    main()
