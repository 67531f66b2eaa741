"""How often a map is called unfair: false alarms where no seat is worth anything, and unfair maps that are found.

    nice -n 19 .venv/bin/python benchmarks/fair_maps.py [SEASONS]

Each season has games on ten maps, as ``tiltyard check-game --fair`` plays them: copies of each team, and different teams that go
round the seats. Results follow from strengths, drawn anew for each season, and from what seat 1 is worth on the first map. A false
alarm is a season in which a fair map is called unfair: at most 5 % may be.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from measuring import command_line

from tiltyard_engine.match_record import Outcome
from tiltyard_fairness.map_fairness import SeatVerdict, fairness_of
from tiltyard_fairness.measuring import groups_of, seatings
from tiltyard_simulator.output.tables import render
from tiltyard_tournaments.ratings.model import ELO

MAPS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
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
        for number in range(MAPS):
            for group in groups_of(teams, self.seats):
                for seated in seatings(group):
                    for seed in range(self.seeds):
                        points = np.array([strengths[team] for team in seated]) + draw.gumbel(size=self.seats)
                        points[0] += self.worth / ELO if number == 0 else 0.0
                        ranks = tuple(int((points > own).sum()) + 1 for own in points)
                        winner, digest = ranks.index(1) + 1, f"{draw.random()}"
                        outcomes.append(
                            Outcome(teams=seated, ranks=ranks, winner=winner, seed=seed, map=f"m{number}", digest=digest)
                        )
        return outcomes


TRUTHS = (
    Truth(teams=4, seats=2, seeds=2),
    Truth(teams=4, seats=2, seeds=10),
    Truth(teams=6, seats=2, seeds=4, spread=400),
    Truth(teams=6, seats=4, seeds=4),
    Truth(teams=4, seats=2, seeds=10, worth=100),
    Truth(teams=6, seats=2, seeds=4, worth=100),
    Truth(teams=6, seats=2, seeds=4, worth=200),
    Truth(teams=6, seats=4, seeds=4, worth=100),
)


def alarms(truth: Truth, seasons: int, seed: int = 1) -> tuple[int, int]:
    """In how many seasons the unfair map was called unfair, and in how many a fair one was."""
    draw = np.random.default_rng(seed)
    unfair = int(truth.worth > 0)
    right = wrong = 0
    for _ in range(seasons):
        verdicts = [each.verdict is SeatVerdict.UNFAIR for each in fairness_of(truth.season(draw))]
        right += any(verdicts[:unfair])
        wrong += any(verdicts[unfair:])
    return right, wrong


def main() -> None:
    """Print a line for each truth."""
    parser = command_line(__doc__)
    parser.add_argument("seasons", type=int, nargs="?", default=100)
    seasons: int = parser.parse_args().seasons
    rows: list[tuple[str, ...]] = []
    for truth in TRUTHS:
        begin = time.process_time()
        right, wrong = alarms(truth, seasons)
        cost = f"{1000 * (time.process_time() - begin) / seasons:.0f} ms"
        seat = f"{truth.worth:g} Elo" if truth.worth else "nothing"
        seen = f"{100 * right / seasons:.1f} %" if truth.worth else ""
        name = f"{truth.teams} teams in {truth.seats} seats, {truth.seeds} games each, seat 1 is worth {seat}"
        rows.append((name, f"{100 * wrong / seasons:.1f} %", seen, cost))
    print(render((f"{seasons} seasons on {MAPS} maps", "false alarms", "unfair map found", "CPU a season"), rows))


if __name__ == "__main__":
    main()
