"""How often a game's champion beats other teams, from both seats, and how long it thinks beside them.

    .venv/bin/python benchmarks/champions.py tanks [--against acorn bramble coyote]    # dragoon, on all shipped maps for two
    .venv/bin/python benchmarks/champions.py filler [--games 20] [--maps map00 map01 map02]
    .venv/bin/python benchmarks/champions.py penguins [--games 100]
    PYTHONPATH=.compiled .venv/bin/python benchmarks/champions.py advance [--games 100]
    .venv/bin/python benchmarks/champions.py levels [FILE ...]     # Advance's moves, compiled against pure

Games come in pairs with the same board and seed, and swapped seats. A draw is half a point; the share of points stands with
Wilson's 95 % interval. The ratio is that of the champion's mean CPU time for a move to the other team's in the same games.
Targets: 18 of 20 against Filler's heat on map00 and map01, 90 of 100 against penguins-greedy, no move of Filler over 1 s or of
Penguins over 0.5 s. A game of Filler on map02 takes a minute or more.

``levels`` asks each level of Advance, and the champion, for a move in positions of level 6's games from random openings, or in
those of FILEs that ``python -m tiltyard_advance.conformance`` takes; of files with levels only those of level 7.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from random import Random
from time import perf_counter, process_time
from typing import Any, Final, TypeVar

from measuring import command_line, in_both_builds, told_times

from tiltyard_advance import levels, search
from tiltyard_advance.algorithms import STRENGTHS, choose_board
from tiltyard_advance.map_files import generate_opening
from tiltyard_advance.positions import SIDES, START
from tiltyard_advance.rules import Board, perft
from tiltyard_engine import ActionRequest, BattleInfo, Player, SatelliteView, TankAlgorithm, TankTeam, TurnAlgorithm, TurnTeam
from tiltyard_engine.match import Match
from tiltyard_engine.records import Game, Manager, TankInterface, TurnInterface
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import ALGORITHM, MANAGER, MAP
from tiltyard_engine.seat_kinds.inline import InlineTankSeat, InlineTurnSeat
from tiltyard_kit.conformance import read_json
from tiltyard_simulator.output.tables import render
from tiltyard_tournaments.ratings.shares import share_interval

T = TypeVar("T")
GENERATED: Final = "generated"
SEED_STEP: Final = 7_368_787
"""Seeds that follow each other give Filler's pieces that do, too: a piece uses some of them."""
LEVEL_GAMES: Final = 8
LEVEL_EVERY: Final = 12
"""One position in so many of a game is used."""


@dataclass(frozen=True)
class Field:
    """Who plays, and where."""

    champion: str
    opponents: tuple[str, ...]
    games: int
    """On each board against each opponent."""
    maps: tuple[str, ...]
    """Names of shipped maps; none: all that are for two players."""


FIELDS: Final = {
    "tanks": Field("dragoon", ("acorn", "bramble", "coyote"), 2, ()),
    "filler": Field("champion", ("nearest", "heat", "voronoi"), 20, ("map00", "map01", "map02")),
    "penguins": Field("penguins-champion", ("penguins-greedy",), 100, (GENERATED,)),
    "advance": Field("advance-champion", ("advance-level-7",), 100, (GENERATED,)),
}


@dataclass
class Clock:
    """Milliseconds of a team's moves, by the clock and of CPU time."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def time(self, work: Callable[[], T]) -> T:
        """Do a piece of work and note how long it took."""
        begun, begun_cpu = perf_counter(), process_time()
        result = work()
        self.cpu.append(1000 * (process_time() - begun_cpu))
        self.wall.append(1000 * (perf_counter() - begun))
        return result


class TimedAlgorithm(TurnAlgorithm[Any, Any]):
    """An algorithm with a clock."""

    def __init__(self, team: TurnTeam, clock: Clock, seat: int) -> None:
        self._inner: TurnAlgorithm[Any, Any] = team.create(seat)
        self._clock = clock

    def start(self, position: Any) -> None:
        """See the first position."""
        self._inner.start(position)

    def choose(self, position: Any) -> Any:
        """Choose, and note how long it took."""
        return self._clock.time(lambda: self._inner.choose(position))


def timed_tanks(team: TankTeam, clock: Clock) -> TankTeam:
    """A team of tanks whose clock notes what each tank spends in each round, and what its Player spends on it."""

    class TimedTank(TankAlgorithm):
        def __init__(self, player_index: int, tank_index: int) -> None:
            self.inner = team.tank(player_index, tank_index)

        def get_action(self) -> ActionRequest:
            return clock.time(self.inner.get_action)

        def update_battle_info(self, info: BattleInfo) -> None:
            self.inner.update_battle_info(info)

    class TimedPlayer(Player):
        def __init__(self, player_index: int, x: int, y: int, max_steps: int, num_shells: int) -> None:
            self.inner = team.player(player_index, x, y, max_steps, num_shells)

        def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None:
            clock.time(lambda: self.inner.update_tank_with_battle_info(tank, satellite_view))

    return replace(team, player=TimedPlayer, tank=TimedTank)


@dataclass
class Series:
    """The champion's games on a board against one opponent."""

    points: list[int] = field(default_factory=lambda: [0, 0, 0])
    """Wins, ties and losses."""
    by_seat: list[list[int]] = field(default_factory=lambda: [[0, 0, 0], [0, 0, 0]])
    margin: float = 0.0
    """Of the scores, summed up."""
    clocks: tuple[Clock, Clock] = field(default_factory=lambda: (Clock(), Clock()))
    """The champion's, and the other team's."""

    def row(self, board: str, opponent: str) -> tuple[str | int, ...]:
        """A line of the table."""
        low, high = share_interval(*self.points)
        seats = [" ".join(map(str, counts)) for counts in self.by_seat]
        games = sum(self.points)
        points = f"{100 * (self.points[0] + self.points[1] / 2) / games:.0f}"
        ratio = statistics.fmean(self.clocks[0].cpu) / statistics.fmean(self.clocks[1].cpu)
        return board, opponent, *seats, points, f"{100 * low:.0f} - {100 * high:.0f}", f"{self.margin / games:+.1f}", f"{ratio:.1f}"


def seat_of(game: Game[Any], board: Any, number: int, team: Any, clock: Clock) -> Any:
    """A seat in this process, with a clock."""
    if isinstance(game.interface, TankInterface):
        return InlineTankSeat(number, timed_tanks(team, clock), game.interface.player_arguments(board), "raise")
    assert isinstance(game.interface, TurnInterface)
    assert game.interface.answer_type is not None
    return InlineTurnSeat(number, replace(team, create=partial(TimedAlgorithm, team, clock)), game.interface.answer_type)


def play_series(registry: Registry, game: Game[Any], map_name: str, teams: Sequence[Any], games: int, *, seed: int) -> Series:
    """Play pairs of games with swapped seats; a team that fails spoils the measurement, so it stops it."""
    manager = registry.find(MANAGER, game.default_manager, game.name).reference.load_as(Manager)
    series = Series()
    for number in range(games):
        seat, pair = number % 2, number // 2
        if map_name == GENERATED:
            assert game.maps.generate is not None
            data = game.maps.generate(game.maps.options(), seed + pair, 2)
        else:
            data = registry.find(MAP, map_name, game.name).contribution.data
        board = game.maps.read(map_name, data, 2)
        players = list(zip(teams, series.clocks))[:: -1 if seat else 1]
        seats = [seat_of(game, board, place, team, clock) for place, (team, clock) in enumerate(players, start=1)]
        result = manager.create().run(Match(map=board, map_name=map_name, seats=seats, seed=seed + pair * SEED_STEP))
        for each in seats:
            if each.fault is not None:
                raise SystemExit(f"{each.name} failed on {map_name}: {each.fault}")
        place = 1 if result.winner == 0 else 0 if result.winner == seat + 1 else 2
        series.points[place] += 1
        series.by_seat[seat][place] += 1
        if result.scores:
            series.margin += result.scores[seat] - result.scores[1 - seat]
    return series


def show_champion(game_name: str, options: argparse.Namespace) -> None:
    """Play all games of a champion and print the tables."""
    contest, registry = FIELDS[game_name], Registry.installed()
    game = registry.game(game_name)
    maps = options.maps or contest.maps or [entry.name for entry in registry.all(MAP, game_name) if entry.contribution.seats == 2]
    teams = {entry.name: entry.reference.load() for entry in registry.all(ALGORITHM, game_name)}
    rows, clocks = [], {contest.champion: Clock()}
    for opponent in options.against or contest.opponents:
        clocks[opponent] = Clock()
        for name in maps:
            pair = teams[contest.champion], teams[opponent]
            series = play_series(registry, game, name, pair, options.games or contest.games, seed=options.seed)
            rows.append(series.row(name, opponent))
            print(
                f"{name} against {opponent}: {series.points[0]} won, {series.points[1]} tied, {series.points[2]} lost", flush=True
            )
            for team, clock in zip((contest.champion, opponent), series.clocks):
                clocks[team].wall += clock.wall
                clocks[team].cpu += clock.cpu
    print(f"\n{contest.champion}; + = - are games won, tied and lost")
    heads = ("board", "against", "seat 1, + = -", "seat 2, + = -", "points, %", "interval", "margin a game", "its CPU time, ratio")
    print(render(heads, rows), end="\n\n")
    for team, clock in clocks.items():
        print(f"{team}: {len(clock.cpu)} moves; CPU time {told_times(clock.cpu)}; on the clock {told_times(clock.wall)}")
    if game_name == "advance":
        print(f"rules and search: {'compiled' if search.__file__.endswith(('.so', '.pyd')) else 'pure'}")


def level_positions(paths: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Boards with the side to move, of files or of games that level 6 plays against itself."""
    for path in paths:
        tables: Any = read_json(Path(path))
        tests = tables["positions"] if isinstance(tables, dict) else tables
        yield from (("".join(test["board"]), SIDES.index(test["side"])) for test in tests if test.get("level", 7) == 7)
    for game in range(0 if paths else LEVEL_GAMES):
        board, chance = Board(generate_opening(6, game)), Random(game)
        for ply in range(200):
            moves = levels.best_moves(board, ply % 2, 6)
            if not moves:
                break
            if ply % LEVEL_EVERY == game % LEVEL_EVERY:
                yield board.text(), ply % 2
            board.make(chance.choice(moves))


def measure_levels(paths: Sequence[str]) -> dict[str, list[float]]:
    """CPU milliseconds of moves by each strength, and of perft to three plies, in this process's build."""
    positions = list(level_positions(paths))
    times: dict[str, list[float]] = {}
    for strength in STRENGTHS:
        clock = Clock()
        for text, side in positions:
            clock.time(partial(choose_board, text, side, strength, Random(1)))
        times[strength] = clock.cpu
    clock = Clock()
    assert clock.time(lambda: perft(Board(START), 0, 3)) == 80482
    return {**times, "perft 3": clock.cpu}


def show_levels(options: argparse.Namespace) -> None:
    """Print how long each of Advance's levels takes for a move."""
    if options.measure:
        print(json.dumps(measure_levels(options.files)))
        return
    builds = in_both_builds(__file__, "levels", "--measure", *options.files)
    rows = []
    for strength, times in builds["pure"].items():
        pure = statistics.median(times)
        for build, found in builds.items():
            median = statistics.median(found[strength])
            rows.append((strength, build, f"{median:.2f}", f"{max(found[strength]):.2f}", f"{pure / median:.1f}"))
    print(f"{len(builds['pure'][STRENGTHS[0]])} positions; CPU milliseconds a move")
    print(render(("strength", "build", "median", "most", "times as fast as pure"), rows))


def main() -> None:
    """Measure one part and print it."""
    parser = command_line(__doc__)
    parts = parser.add_subparsers(dest="part", required=True)
    for name, contest in FIELDS.items():
        part = parts.add_parser(name, help=f"how often {contest.champion} wins")
        part.add_argument("--games", type=int, help=f"on each board against each team ({contest.games})")
        part.add_argument("--against", nargs="+", metavar="TEAM", help=f"other teams ({' '.join(contest.opponents)})")
        part.add_argument("--maps", nargs="+", metavar="MAP", help="shipped maps, or 'generated'")
        part.add_argument("--seed", type=int, default=1, help="of the first pair of games")
        part.set_defaults(show=partial(show_champion, name))
    part = parts.add_parser("levels", help="how long Advance's levels take for a move")
    part.add_argument("files", nargs="*", metavar="FILE")
    part.add_argument("--measure", action="store_true", help="measure this process's build and print JSON")
    part.set_defaults(show=show_levels)
    options = parser.parse_args()
    options.show(options)


if __name__ == "__main__":
    main()
