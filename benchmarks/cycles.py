"""How often the sentence under the ratings is right: false alarms where one number is true, and planted circles that are named.

    OMP_NUM_THREADS=1 nice -n 19 .venv/bin/python benchmarks/cycles.py [SEASONS]

Seasons are drawn from Davidson's model, strengths anew for each. In the first part nothing else is true, so whatever is said to be
beyond one number is a false alarm: at most 5 % may be. In the second part, three of 20 teams of equal strength beat each other in a
circle in a share of their games; the rest is as the model says. A circle is named if the sentence has these three in this order.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from measuring import command_line

from tiltyard_cycles.fit_test import FitVerdict, fitted_or_not
from tiltyard_cycles.pair_counts import PairCounts
from tiltyard_simulator.output.tables import render
from tiltyard_tournaments.ratings.model import ELO

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


def main() -> None:
    """Print a line for each truth."""
    parser = command_line(__doc__)
    parser.add_argument("seasons", type=int, nargs="?", default=200)
    seasons: int = parser.parse_args().seasons
    rows: list[tuple[str | float, ...]] = []
    for truth in TRUE_MODELS:
        begin = time.process_time()
        counts = false_alarms(truth, seasons)
        cost = f"{1000 * (time.process_time() - begin) / seasons:.1f} ms"
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


if __name__ == "__main__":
    main()
