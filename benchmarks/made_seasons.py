"""Made-up seasons of a league, for ratings.py: what is true of versions, and the games that they play by the league's own chooser.

A season has 60 teams, 12 maps, and uploads at any time. Strengths are normal, and a new version is a little better than the one
before. Orders are drawn by Plackett and Luce: each has its strength and an error of its own; of two it is who wins. Programs don't
throw dice: the same versions on the same map in the same seats play the same game again, in all seasons of a seed.

How the players of a game share places:

- ``strict``: never.
- ``round``: a player is out in the round that its strength and its error give, and those of the same round share a place.
  A round is 60 Elo points, and begins anywhere.
- ``told``: the game only tells the first few places; all others share the last one.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from tiltyard_league.database.games import Seats
from tiltyard_league.matchmaking.fixtures import Fixtures, pair_of
from tiltyard_league.rating.fit import Fit, Order, fit_orders, fit_versions
from tiltyard_tournaments.ratings.model import ELO

TEAMS: Final = 60
MAPS: Final = tuple(f"map {number}" for number in range(12))
REFIT: Final = 200
"""Games between two fits."""
Way = Literal["strict", "round", "told"]
Rule = Literal["round robin", "need"]
"""Who meets whom: pairs of a round robin in any order, as aiarena has it, or as the league chooses."""
ROUND: Final = 60.0 / ELO
Values = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Truth:
    """What is true of seasons, in Elo points."""

    players: int = 2
    games: int
    way: Way = "strict"
    uploads: int = 30
    spread: float = 200.0
    """Standard deviation of the strengths of first versions."""
    better: float = 30.0
    """How much a new version is better than the one before, on average, and the standard deviation of this."""
    change: float = 80.0
    effect: float = 0.0
    """Standard deviation of what two versions' meeting adds to the strength of the one; of games of two."""


@dataclass
class Season:
    """A season that is played by a rule."""

    truth: Truth
    seed: int
    rule: Rule = "need"
    orders: Counter[Order] = field(default_factory=Counter)
    played: list[Seats] = field(default_factory=list)
    repeats: int = 0
    first_games: list[int] = field(default_factory=list)
    """How many games were played from each upload until its version's first one had ended."""
    longest_wait: float = 0.0
    """In mean intervals between two fixtures of a version."""
    seconds: float = 0.0
    """CPU time of all choices."""

    def __post_init__(self) -> None:
        truth = self.truth
        draw = np.random.default_rng((self.seed, truth.players))
        first, last = truth.games * 3 // 40, int(truth.games * 0.95)
        self._uploads = [(int(when), int(draw.integers(TEAMS))) for when in sorted(draw.integers(first, last, truth.uploads))]
        strengths = list(draw.normal(0, truth.spread, TEAMS))
        newest = list(range(TEAMS))
        for _, team in self._uploads:
            strengths.append(strengths[newest[team]] + draw.normal(truth.better, truth.change))
            newest[team] = len(strengths) - 1
        self.strengths: Values = np.array(strengths)
        effects = np.triu(draw.normal(0, truth.effect, (len(strengths),) * 2), 1)
        self.effects: Values = effects - effects.T
        self.before: dict[int, int | None] = dict.fromkeys(range(TEAMS))
        self.active = list(range(TEAMS))
        self.fixtures = Fixtures(MAPS, truth.players)
        self._pairs: list[tuple[int, int]] = []
        self._seen: set[Seats] = set()
        self._draw = draw

    def fits(self) -> Iterator[Fit]:
        """Play it; each fit of what was played so far."""
        for version in self.active:
            self.fixtures.enter(version)
        fit, since = self._fit(), 0
        waiting = dict[int, int]()
        while len(self.played) < self.truth.games:
            while self._uploads and self._uploads[0][0] <= len(self.played):
                waiting[self._upload(self._uploads.pop(0)[1])] = len(self.played)
                fit = self._fit()
            begun = time.process_time()
            games = self._pair() if self.rule == "round robin" else self.fixtures.choose(self.active, fit, self.seed)
            self.seconds += time.process_time() - begun
            if games is None:
                break
            waited = max(self.fixtures.count - self.fixtures.last[version] for version in self.active)
            self.longest_wait = max(self.longest_wait, waited * self.truth.players / TEAMS)
            for game in games:
                self._play(game)
                self.first_games += [len(self.played) - waiting.pop(each) for each in game.versions if each in waiting]
            since += len(games)
            if since >= REFIT:
                fit, since = self._fit(), 0
                yield fit
        yield self._fit()

    def _pair(self) -> tuple[Seats]:
        if not self._pairs:
            self._pairs = list(combinations(range(TEAMS), 2))
            self._draw.shuffle(self._pairs)
        teams = self._draw.permutation(self._pairs.pop())
        game = Seats(versions=tuple(self.active[team] for team in teams), map=MAPS[self._draw.integers(len(MAPS))])
        self.fixtures.begin(game.versions, game.map)
        return (game,)

    def _play(self, game: Seats) -> None:
        if game in self._seen:
            self.repeats += 1
        else:
            self.orders[self._order(game)] += 1
        self._seen.add(game)
        self.played.append(game)

    def _upload(self, team: int) -> int:
        version = len(self.before)
        self.before[version], self.active[team] = self.active[team], version
        self.fixtures.enter(version)
        return version

    def _order(self, game: Seats) -> Order:
        truth, versions = self.truth, list(game.versions)
        luck = np.random.default_rng((self.seed, MAPS.index(game.map), *versions))
        worth = (self.strengths[versions] + self.effects[versions[0], versions[1]] * (np.arange(len(versions)) == 0)) / ELO
        worth += luck.gumbel(size=len(versions))
        if truth.way == "round":
            worth = np.floor(worth / ROUND + luck.random())
        elif truth.way == "told":
            worth = np.maximum(worth, np.sort(worth)[-1 - luck.integers(1, len(versions))])
        groups: dict[float, list[int]] = {}
        for version, value in zip(versions, worth, strict=True):
            groups.setdefault(float(value), []).append(version)
        return tuple(tuple(sorted(groups[value])) for value in sorted(groups, reverse=True))

    def _fit(self) -> Fit:
        self.fixtures.fitted()
        if self.truth.players > 2:
            return fit_orders(self.before, self.orders)
        wins = Counter({(best, worst): count for ((best,), (worst,)), count in self.orders.items()})
        pairs = {pair_of(*pair) for pair in wins}
        return fit_versions(self.before, {(one, other): (wins[one, other], 0, wins[other, one]) for one, other in pairs})

    def difference(self, one: NDArray[np.int64], other: NDArray[np.int64]) -> Values:
        """Elo points between versions: the odds that the one finishes before the other, where they share no place."""
        apart = (self.strengths[one] - self.strengths[other]) / ELO
        if self.truth.way != "round":
            return np.asarray(ELO * apart)

        # The chance of sharing no place grows evenly with how far they are apart, up to a round.
        def before(apart: Values) -> Values:
            return np.asarray(ROUND - np.logaddexp(0, ROUND - apart) + np.logaddexp(0, -apart))

        return np.asarray(ELO * (np.log(before(apart)) - np.log(before(-apart))))

    def expected(self) -> Values:
        """What each version that plays would score against all others, of games of two: the true order of the standing."""
        apart = self.strengths[self.active][:, None] - self.strengths[self.active] + self.effects[np.ix_(self.active, self.active)]
        chances = 1 / (1 + np.exp(-apart / ELO))
        np.fill_diagonal(chances, 0)
        return np.asarray(chances.sum(axis=1))
