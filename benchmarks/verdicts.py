"""How often what is said of a season is right: false alarms where nothing is wrong, and planted faults that are found.

    OMP_NUM_THREADS=1 nice -n 19 .venv/bin/python benchmarks/verdicts.py cycles [SEASONS]
    OMP_NUM_THREADS=1 nice -n 19 .venv/bin/python benchmarks/verdicts.py maps [SEASONS]

``cycles`` looks at the sentence under the ratings. Seasons are drawn from Davidson's model, strengths anew for each. In the first
part nothing else is true, so whatever is said to be beyond one number is a false alarm: at most 5 % may be. In the second part,
three of 20 teams of equal strength beat each other in a circle in a share of their games; the rest is as the model says. A circle
is named if the sentence has these three in this order.

``maps`` looks at maps that are called unfair. Each season has games on ten maps, as ``tiltyard check-game --fair`` plays them:
copies of each team, and different teams that go round the seats. Results follow from strengths, drawn anew for each season, and
from what seat 1 is worth on the first map. A false alarm is a season in which a fair map is called unfair: at most 5 % may be.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import product

import numpy as np
from measuring import run

from tiltyard_cycles.fit_test import FitVerdict, fitted_or_not
from tiltyard_cycles.pair_counts import PairCounts
from tiltyard_engine.match_record import Outcome
from tiltyard_fairness.map_fairness import SeatVerdict, fairness_of
from tiltyard_fairness.measuring import groups_of, seatings
from tiltyard_simulator.output.tables import render
from tiltyard_tournaments.ratings.model import ELO

MAPS = 10
PLANTED = {(0, 1, 2), (1, 2, 0), (2, 0, 1)}
"""The ways to name the circle, by the teams' places."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """What is true of seasons."""

    teams: int
    games: int
    """Of each pair; on average where the schedule is random."""
    spread: float = 200.0
    """Standard deviation of strengths, in Elo points."""
    tie: float = 0.0
    """Of Davidson's model: 1 means that each third game of equals is tied."""
    is_random: bool = False
    """Whether some meet often and some never."""
    circle: float = 0.0
    """How often each of three teams beats the next one; 0: as the model says."""

    @property
    def name(self) -> str:
        ties = f", ties {self.tie:g}" if self.tie else ""
        schedule = "a random schedule" if self.is_random else "a round robin"
        return f"{self.teams} teams, {self.games} games a pair in {schedule}, strengths spread {self.spread:g} Elo{ties}"

    def season(self, draw: np.random.Generator) -> PairCounts:
        """One season."""
        strengths = draw.normal(0, self.spread / ELO, self.teams)
        if self.circle:
            strengths[:3] = strengths[0]
        one, other = np.triu_indices(self.teams, 1)
        half = (strengths[one] - strengths[other]) / 2
        chances = np.stack([np.exp(half), np.full_like(half, self.tie), np.exp(-half)], axis=1)
        chances /= chances.sum(axis=1, keepdims=True)
        if self.circle:
            beats, loses = (self.circle, 0.0, 1 - self.circle), (1 - self.circle, 0.0, self.circle)
            # The pairs of teams 0 and 1, 0 and 2, 1 and 2.
            chances[0], chances[1], chances[self.teams - 1] = beats, loses, beats
        games = draw.poisson(self.games * draw.uniform(0, 2, len(half))) if self.is_random else np.full(len(half), self.games)
        met = games > 0
        results = draw.multinomial(games, chances).astype(np.float64)
        names = tuple(f"t{number:02}" for number in range(self.teams))
        return PairCounts(names, one[met], other[met], results[met])


TRUE_MODELS = (
    Truth(teams=8, games=10),
    Truth(teams=8, games=10, spread=400, tie=1.0),
    Truth(teams=20, games=10),
    Truth(teams=20, games=20, tie=1.0),
    Truth(teams=8, games=10, is_random=True),
    Truth(teams=20, games=10, is_random=True),
)
CIRCLES = (
    Truth(teams=20, games=20, circle=0.8),
    Truth(teams=20, games=30, circle=0.8),
    Truth(teams=20, games=20, circle=0.9),
    Truth(teams=20, games=10, circle=1.0),
)


def false_alarms(truth: Truth, seasons: int, seed: int = 1) -> dict[FitVerdict, int]:
    """How often each thing was said of seasons in which one number is true."""
    draw = np.random.default_rng(seed)
    verdicts = [fitted_or_not(truth.season(draw)).verdict for _ in range(seasons)]
    return {verdict: verdicts.count(verdict) for verdict in FitVerdict}


def detections(truth: Truth, seasons: int, seed: int = 2) -> tuple[int, int]:
    """In how many seasons something beyond one number was said, and in how many the circle was named."""
    draw = np.random.default_rng(seed)
    tests = [fitted_or_not(truth.season(draw)) for _ in range(seasons)]
    alarms = sum(test.verdict in (FitVerdict.CYCLE, FitVerdict.PAIR) for test in tests)
    return alarms, sum(test.verdict is FitVerdict.CYCLE and test.cycle in PLANTED for test in tests)


@dataclass(frozen=True, slots=True, kw_only=True)
class MapTruth:
    """What is true of seasons."""

    teams: int
    seats: int
    seeds: int
    """Games of the same teams in the same seats."""
    worth: float = 0.0
    """Of seat 1 on the first map, in Elo points."""
    spread: float = 200.0
    """Standard deviation of strengths, in Elo points."""

    def season(self, draw: np.random.Generator) -> list[Outcome]:
        """One season."""
        teams = [f"t{number}" for number in range(self.teams)]
        strengths = dict(zip(teams, draw.normal(0, self.spread / ELO, self.teams), strict=True))
        outcomes = []
        for number, group in product(range(MAPS), groups_of(teams, self.seats)):
            for seated, seed in product(seatings(group), range(self.seeds)):
                points = np.array([strengths[team] for team in seated]) + draw.gumbel(size=self.seats)
                points[0] += self.worth / ELO if number == 0 else 0.0
                ranks = tuple(int((points > own).sum()) + 1 for own in points)
                name, digest = f"m{number}", f"{draw.random()}"
                outcomes.append(Outcome(teams=seated, ranks=ranks, winner=ranks.index(1) + 1, seed=seed, map=name, digest=digest))
        return outcomes


MAP_TRUTHS = (
    MapTruth(teams=4, seats=2, seeds=2),
    MapTruth(teams=4, seats=2, seeds=10),
    MapTruth(teams=6, seats=2, seeds=4, spread=400),
    MapTruth(teams=6, seats=4, seeds=4),
    MapTruth(teams=4, seats=2, seeds=10, worth=100),
    MapTruth(teams=6, seats=2, seeds=4, worth=100),
    MapTruth(teams=6, seats=2, seeds=4, worth=200),
    MapTruth(teams=6, seats=4, seeds=4, worth=100),
)


def map_alarms(truth: MapTruth, seasons: int, seed: int = 1) -> tuple[int, int]:
    """In how many seasons the unfair map was called unfair, and in how many a fair one was."""
    draw = np.random.default_rng(seed)
    unfair = int(truth.worth > 0)
    right = wrong = 0
    for _ in range(seasons):
        verdicts = [each.verdict is SeatVerdict.UNFAIR for each in fairness_of(truth.season(draw))]
        right += any(verdicts[:unfair])
        wrong += any(verdicts[unfair:])
    return right, wrong


def show_cycles(seasons: int = 100) -> None:
    """Print a line for each truth."""
    rows: list[tuple[str | float, ...]] = []
    for truth in TRUE_MODELS:
        begun = time.process_time()
        counts = false_alarms(truth, seasons)
        cost = f"{1000 * (time.process_time() - begun) / seasons:.1f} ms"
        alarms = counts[FitVerdict.CYCLE] + counts[FitVerdict.PAIR]
        rows.append((truth.name, f"{100 * alarms / seasons:.1f} %", counts[FitVerdict.FEW], cost))
    print(render((f"{seasons} seasons in which one number is true", "false alarms", "too few games", "CPU a test"), rows))
    print()
    rows = []
    for truth in CIRCLES:
        alarms, names = detections(truth, seasons)
        name = f"{truth.teams} teams, {truth.games} games a pair, each of three beats the next in {100 * truth.circle:g} %"
        rows.append((name, f"{100 * alarms / seasons:.1f} %", f"{100 * names / seasons:.1f} %"))
    print(render((f"{seasons} seasons with a planted circle", "found", "named"), rows))


def show_maps(seasons: int = 100) -> None:
    """Print a line for each truth."""
    rows: list[tuple[str, ...]] = []
    for truth in MAP_TRUTHS:
        begun = time.process_time()
        right, wrong = map_alarms(truth, seasons)
        cost = f"{1000 * (time.process_time() - begun) / seasons:.0f} ms"
        seat = f"{truth.worth:g} Elo" if truth.worth else "nothing"
        seen = f"{100 * right / seasons:.1f} %" if truth.worth else ""
        name = f"{truth.teams} teams in {truth.seats} seats, {truth.seeds} games each, seat 1 is worth {seat}"
        rows.append((name, f"{100 * wrong / seasons:.1f} %", seen, cost))
    print(render((f"{seasons} seasons on {MAPS} maps", "false alarms", "unfair map found", "CPU a season"), rows))


if __name__ == "__main__":
    run(__doc__, cycles=show_cycles, maps=show_maps)
