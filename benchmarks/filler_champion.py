"""How often Filler's champion beats the other robots on the subject's maps, from both seats, and how long its moves take.

    .venv/bin/python benchmarks/filler_champion.py [--games 20] [--maps map00,map01,map02] [--opponents nearest,heat,voronoi]

Games come in pairs with the same pieces and swapped seats. The share of points, a draw is half of one, stands with Wilson's 95 %
interval. Targets against heat: 18 of 20 on map00 and on map01, 4 of 5 on map02; no move takes more than 1 s, half of them less
than 0.1 s. Wall time counts what else the machine does; CPU time does not. On map02 a game takes a minute or more.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, field
from functools import partial

from tabulate import tabulate

from tiltyard_engine.match import Match
from tiltyard_engine.records import TurnTeam
from tiltyard_engine.seat_kinds.inline import InlineTurnSeat
from tiltyard_engine.turns import TurnAlgorithm
from tiltyard_filler.manager import FillerGameManager, FillerSeat
from tiltyard_filler.map_files import FillerMap, read_map
from tiltyard_filler.plugin import algorithms, maps
from tiltyard_filler.positions import FillerPosition, Placement
from tiltyard_tournaments.ratings.shares import share_interval

CHAMPION = "champion"
TEAMS = {team.name: team for team in algorithms()}
MAPS = {file.name: file for file in maps()}
SEED_STEP = 7_368_787
"""Seeds that follow each other give pieces that do, too: a piece uses some of them."""


@dataclass
class Series:
    """What came of the games on a map against an opponent."""

    wins: list[int] = field(default_factory=lambda: [0, 0])
    """By seat, as the ties and losses."""
    ties: list[int] = field(default_factory=lambda: [0, 0])
    losses: list[int] = field(default_factory=lambda: [0, 0])
    margin: float = 0.0
    """Cells, summed up."""
    times: list[tuple[float, float]] = field(default_factory=list)
    """Wall and CPU seconds of the champion's moves."""


class Timed(TurnAlgorithm[FillerPosition, Placement]):
    """An algorithm with a clock."""

    def __init__(self, team: TurnTeam, times: list[tuple[float, float]], seat: int) -> None:
        self._algorithm: TurnAlgorithm[FillerPosition, Placement] = team.create(seat)
        self._times = times

    def start(self, position: FillerPosition) -> None:
        """See the first position."""
        self._algorithm.start(position)

    def choose(self, position: FillerPosition) -> Placement:
        """Choose, and note how long it took."""
        begun, begun_cpu = time.perf_counter(), time.process_time()
        answer = self._algorithm.choose(position)
        self._times.append((time.perf_counter() - begun, time.process_time() - begun_cpu))
        return answer


def play(board: FillerMap, name: str, opponent: str, seat: int, seed: int, *, series: Series) -> None:
    """One game, the champion in a seat (0 or 1)."""
    champion = TurnTeam(CHAMPION, "filler", partial(Timed, TEAMS[CHAMPION], series.times))
    order = (champion, TEAMS[opponent]) if seat == 0 else (TEAMS[opponent], champion)
    seats: list[FillerSeat] = [InlineTurnSeat(index, team, Placement) for index, team in enumerate(order, start=1)]
    result = FillerGameManager().run(Match(map=board, map_name=name, seats=seats, seed=seed))
    if result.faults:
        raise SystemExit(f"a robot failed: {result.faults[0]}")
    series.margin += result.scores[seat] - result.scores[1 - seat]
    counts = series.ties if result.winner == 0 else series.wins if result.winner == seat + 1 else series.losses
    counts[seat] += 1


def row(name: str, opponent: str, series: Series) -> list[object]:
    """Of the table."""
    totals = (sum(series.wins), sum(series.ties), sum(series.losses))
    low, high = share_interval(*totals)
    seats = [f"{series.wins[seat]} {series.ties[seat]} {series.losses[seat]}" for seat in (0, 1)]
    share = (totals[0] + totals[1] / 2) / sum(totals)
    interval = f"{100 * low:.0f} - {100 * high:.0f}"
    return [name, opponent, *seats, *totals, f"{100 * share:.0f}", interval, f"{series.margin / sum(totals):+.0f}"]


def times_row(name: str, times: list[tuple[float, float]]) -> list[object]:
    """Median, 99 % and worst, wall and CPU time, in milliseconds."""
    found: list[object] = [name, len(times)]
    for seconds in (sorted(column) for column in zip(*times)):
        found += [
            f"{1000 * seconds[min(at, len(seconds) - 1)]:.1f}" for at in (len(times) // 2, len(times) * 99 // 100, len(times))
        ]
    return found


def names(known: dict[str, object], text: str) -> list[str]:
    """The names in a list with commas."""
    wanted = [name for name in text.split(",") if name]
    unknown = [name for name in wanted if name not in known]
    if unknown or not wanted:
        raise argparse.ArgumentTypeError(f"expected names out of {', '.join(known)}, found {text!r}")
    return wanted


def at_least_one(text: str) -> int:
    """A number of games."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number above 0, found {text!r}")
    return int(text)


def main() -> None:
    """Play all games and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=at_least_one, default=20, help="on each map against each opponent")
    parser.add_argument("--maps", type=partial(names, dict[str, object](MAPS)), default=["map00", "map01", "map02"])
    others: dict[str, object] = {name: team for name, team in TEAMS.items() if name != CHAMPION}
    parser.add_argument("--opponents", type=partial(names, others), default=["nearest", "heat", "voronoi"])
    parser.add_argument("--seed", type=int, default=1, help="of the first pair of games")
    options = parser.parse_args()
    rows: list[list[object]] = []
    times: dict[str, list[tuple[float, float]]] = {}
    for name in options.maps:
        board = read_map(name, MAPS[name].data)
        for opponent in options.opponents:
            series = Series()
            for game in range(options.games):
                play(board, name, opponent, game % 2, options.seed + game // 2 * SEED_STEP, series=series)
            rows.append(row(name, opponent, series))
            times.setdefault(name, []).extend(series.times)
            print(f"{name} against {opponent}: {sum(series.wins)} of {options.games} won", flush=True)
    heads = ["map", "opponent", "seat 1, + = -", "seat 2, + = -", "wins", "ties", "losses", "points, %", "interval", "cells a game"]
    print(f"\n{tabulate(rows, heads)}\n")
    clocks = [f"{clock}, {what}" for clock in ("ms", "CPU ms") for what in ("median", "99 %", "worst")]
    print(tabulate([times_row(name, of_map) for name, of_map in times.items()], ["map", "moves", *clocks]))


if __name__ == "__main__":
    main()
