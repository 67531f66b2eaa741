"""Advance's champion against level 7, the course's reference: how often it wins, and how long it thinks.

    python3 dev.py compile
    PYTHONPATH=.compiled .venv/bin/python benchmarks/advance_champion.py [--games 100] [--plies 6] [--against 7]

Every opening of legal moves by chance is played twice, with both colours. The reference chooses by chance among the moves that it
holds for equally good. Times are CPU milliseconds a move.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from time import process_time

from measuring import command_line, told_times, wilson

from tiltyard_advance import search
from tiltyard_advance.algorithms import CHAMPION, STRENGTHS, OwnPlayer
from tiltyard_advance.manager import AdvanceGameManager, AdvanceSeat
from tiltyard_advance.map_files import AdvanceMap, generate_opening
from tiltyard_advance.positions import AdvancePosition, Turn
from tiltyard_engine import GameResult, Match, TurnAlgorithm, TurnTeam
from tiltyard_engine.seat_kinds.inline import InlineTurnSeat


class Timed(TurnAlgorithm[AdvancePosition, Turn]):
    """An algorithm whose moves are timed."""

    def __init__(self, strength: str, times: list[float], seat: int) -> None:
        self._player = OwnPlayer(strength, seat)
        self._times = times

    def choose(self, position: AdvancePosition) -> Turn:
        begun = process_time()
        turn = self._player.choose(position)
        self._times.append(1000 * (process_time() - begun))
        return turn


def play(opening: str, strengths: tuple[str, str], times: dict[str, list[float]], seed: int) -> GameResult:
    """One match."""
    seats: list[AdvanceSeat] = []
    for number, strength in enumerate(strengths, start=1):
        team = TurnTeam(strength, "advance", partial(Timed, strength, times[strength]))
        seats.append(InlineTurnSeat(number, team, Turn))
    result = AdvanceGameManager().run(Match(map=AdvanceMap(opening), map_name="opening", seats=seats, seed=seed))
    for seat in seats:
        if seat.fault is not None:
            raise SystemExit(f"{seat.name} failed: {seat.fault}")
    return result


def main() -> None:
    """Play all games and print what came of them."""
    parser = command_line(__doc__)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--plies", type=int, default=6, help="of each opening")
    parser.add_argument("--against", default="7", choices=[name for name in STRENGTHS if name != CHAMPION])
    parser.add_argument("--seed", type=int, default=1, help="of the first opening")
    options = parser.parse_args()
    times: dict[str, list[float]] = {CHAMPION: [], options.against: []}
    counts: Counter[str] = Counter()
    ends: Counter[str] = Counter()
    print(f"rules and search: {'compiled' if search.__file__.endswith(('.so', '.pyd')) else 'pure'}")
    for game in range(options.games):
        seed = options.seed + game // 2
        champion = 1 + game % 2
        strengths = (CHAMPION, options.against) if champion == 1 else (options.against, CHAMPION)
        result = play(generate_opening(options.plies, seed), strengths, times, seed)
        outcome = "tied" if result.winner == 0 else "won" if result.winner == champion else "lost"
        counts[outcome] += 1
        counts[f"{outcome} as {('white', 'black')[champion - 1]}"] += 1
        ends[f"{outcome} by {result.reason}"] += 1
        score = result.scores if champion == 1 else result.scores[::-1]
        print(
            f"{game + 1:4} {outcome:5} {result.reason:9} {result.rounds:4} plies, material {score[0]:g} : {score[1]:g}", flush=True
        )
    low, high = wilson(counts["won"], options.games)
    print(f"won {counts['won']} of {options.games}; 95 % interval {low:.0f} to {high:.0f} %")
    for table in (counts, ends):
        print(", ".join(f"{name} {number}" for name, number in sorted(table.items())))
    for name, spent in times.items():
        print(f"{name}: {len(spent)} moves, {told_times(spent)}")


if __name__ == "__main__":
    main()
