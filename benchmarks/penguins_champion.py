"""How often the champion of Penguins beats an opponent on generated boards, from both seats, and how long its moves take.

    .venv/bin/python benchmarks/penguins_champion.py [--games 100] [--penguins 3] [--opponent penguins-greedy]

Each board, 14 to 20 squares a side, is played twice with swapped seats. Targets: 90 of 100 games won against penguins-greedy, and
no move takes more than 0.5 s. Wall time counts what else the machine does; CPU time does not.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

from tiltyard_engine.match import Match
from tiltyard_engine.records import TurnTeam
from tiltyard_engine.seat_kinds.inline import InlineTurnSeat
from tiltyard_engine.turns import TurnAlgorithm
from tiltyard_penguins.map_generator import MapOptions, generate_board
from tiltyard_penguins.plugin import algorithms
from tiltyard_penguins.positions import Move, PenguinsPosition
from tiltyard_penguins.referee import PenguinsGameManager, PenguinsSeat

CHAMPION = "penguins-champion"
GREEDY = "penguins-greedy"


class Timed(TurnAlgorithm[PenguinsPosition, Move]):
    """An algorithm with a clock."""

    def __init__(self, algorithm: TurnAlgorithm[PenguinsPosition, Move], times: list[tuple[float, float]]) -> None:
        self._algorithm, self._times = algorithm, times

    def start(self, position: PenguinsPosition) -> None:
        """See the first position."""
        self._algorithm.start(position)

    def choose(self, position: PenguinsPosition) -> Move:
        """Choose, and note how long it took."""
        begun, begun_cpu = time.perf_counter(), time.process_time()
        move = self._algorithm.choose(position)
        self._times.append((time.perf_counter() - begun, time.process_time() - begun_cpu))
        return move


def timed(create: Callable[[int], TurnAlgorithm[PenguinsPosition, Move]], times: list[tuple[float, float]]) -> TurnTeam:
    """A team that is timed."""
    return TurnTeam(CHAMPION, "penguins", lambda seat: Timed(create(seat), times))


def main() -> None:
    """Play all games and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--penguins", type=int, default=3)
    parser.add_argument("--opponent", default=GREEDY)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    teams = {team.name: team for team in algorithms()}
    times: list[tuple[float, float]] = []
    champion, opponent = timed(teams[CHAMPION].create, times), teams[options.opponent]
    wins, ties, losses, margin = [0, 0], [0, 0], [0, 0], 0.0
    for game in range(options.games):
        seat = game % 2
        board = generate_board(MapOptions(penguins=options.penguins), options.seed + game // 2, 2)
        order = (champion, opponent) if seat == 0 else (opponent, champion)
        seats: list[PenguinsSeat] = [InlineTurnSeat(index, team, Move) for index, team in enumerate(order, start=1)]
        result = PenguinsGameManager().run(Match(map=board, map_name="generated", seats=seats))
        if result.faults:
            raise SystemExit(f"a player failed: {result.faults[0]}")
        margin += result.scores[seat] - result.scores[1 - seat]
        counts = ties if result.winner == 0 else wins if result.winner == seat + 1 else losses
        counts[seat] += 1
    print(f"{CHAMPION} against {options.opponent}; {options.penguins} penguins each, boards from seed {options.seed}")
    print(f"{'seat':6}{'wins':>6}{'ties':>6}{'losses':>8}")
    for seat in (0, 1):
        print(f"{seat + 1:<6}{wins[seat]:6}{ties[seat]:6}{losses[seat]:8}")
    print(f"{'both':6}{sum(wins):6}{sum(ties):6}{sum(losses):8}   {margin / options.games:+.1f} fish a game")
    for kind, seconds in zip(("wall", "CPU"), (sorted(column) for column in zip(*times))):
        median, late = seconds[len(seconds) // 2], seconds[len(seconds) * 99 // 100]
        print(f"{len(times)} moves, {kind} time: median {median:.3f} s, p99 {late:.3f} s, max {seconds[-1]:.3f} s")


if __name__ == "__main__":
    main()
