"""What holding teams and GameManagers in cells costs, beside inline ones in the same run.

    .venv/bin/python benchmarks/cells.py                # teams
    .venv/bin/python benchmarks/cells.py managers

The manager and the cells share one core. Targets: asked at once at most 60 µs a team a round over inline, tank by tank at most
12 µs a call more; both cells of a match ready in 2 ms from a reserve, fresh in 10 ms (level A: 20 ms), the import of the team's own
code apart. Medians; run it on a quiet machine.

With ``managers``, teams are in cells both times. A manager in a cell costs one more message and its answer for each ask, so a round
that asks a team costs about twice what it did; asked tank by tank likewise. The fastest of several matches counts.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from measuring import command_line, words_with_part

from tiltyard_engine.registry import Reference, Registry, Selection
from tiltyard_engine.registry.registry import ALGORITHM, GAME, MANAGER
from tiltyard_engine.seats import TankSeat
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.guard.cells.cell_port import SeatSpec
from tiltyard_simulator.guard.seats import TANKS
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import Limits
from tiltyard_simulator.match.spec import Holding, MapSource, MatchInput, MatchSpec
from tiltyard_simulator.output.tables import render
from tiltyard_simulator.play.arena import Arena

TEAM: Final = """
from tiltyard_engine import ActionRequest, BattleInfo, Player, TankAlgorithm, TankTeam, hookimpl

class Spinner(TankAlgorithm):
    def __init__(self, player_index, tank_index):
        self.step = 0
    def get_action(self):
        self.step += 1
        return ActionRequest.ROTATE_LEFT_45 if self.step & 1 else ActionRequest.ROTATE_RIGHT_45
    def update_battle_info(self, info):
        pass

class Silent(Player):
    def update_tank_with_battle_info(self, tank, satellite_view):
        pass

@hookimpl
def algorithms():
    yield TankTeam("spinner", player=Silent, tank=Spinner)
"""
TANK_COUNTS: Final = (1, 2, 4, 10, 25, 50, 100)
BOARD: Final = (200, 200, 100_000, 5)
LIMITS: Final = Limits(match_seconds=10_000)
CELLS: Final = (Isolation.PROCESS, Isolation.SANDBOX)
MANAGERS: Final = {"reference": "at once", "info-at-once": "tank by tank"}
MANAGER_TANKS: Final = (1, 4, 20)
"""A player."""
SHORT: Final = 10
LONG: Final = 1010
"""Rounds of two matches whose difference is free of what it costs to begin one."""


def open_seat(cells: CellPool, index: int, team: Reference, isolation: Isolation) -> TankSeat:
    """A seat of the benchmark's team."""
    spec = SeatSpec(index=index, team=team, setting=BOARD, on_fault="raise", limits=LIMITS, isolation=isolation)
    seat = cells.open_seat(TANKS, spec)
    assert isinstance(seat, TankSeat)
    return seat


def median_us(call: Callable[[], object], samples: int, repeats: int) -> float:
    """Median over ``samples`` of the mean of ``repeats`` calls."""
    found = []
    for _ in range(samples):
        started = time.perf_counter()
        for _ in range(repeats):
            call()
        found.append((time.perf_counter() - started) / repeats)
    return 1e6 * statistics.median(found)


def ask(seat: TankSeat, tanks: int) -> tuple[float, float]:
    """Microseconds of asking all at once, and of one call tank by tank."""
    handles = [seat.create_tank(index) for index in range(tanks)]

    def one_by_one() -> None:
        for handle in handles:
            handle.get_action()

    at_once = median_us(lambda: seat.get_actions(handles), 41, 50)
    return at_once, median_us(one_by_one, 41, max(1, 50 // tanks)) / tanks


def asking(cells: CellPool, team: Reference) -> list[tuple[str | int, ...]]:
    """A row for each number of tanks and way of holding them."""
    rows: list[tuple[str | int, ...]] = []
    for tanks in TANK_COUNTS:
        inline = (0.0, 0.0)
        for isolation in Isolation:
            seat = open_seat(cells, 1, team, isolation)
            at_once, single = ask(seat, tanks)
            if isolation is Isolation.INLINE:
                inline = at_once, single
            over = (f"{at_once - inline[0]:.1f}", f"{at_once / inline[0]:.1f}", f"{single - inline[1]:.1f}")
            rows.append((tanks, isolation.value, f"{at_once:.1f}", *over[:2], f"{single:.2f}", over[2]))
            cells.end_match()
    return rows


def ready(cells: CellPool, team: Reference, isolation: Isolation, from_reserve: bool, matches: int) -> tuple[float, float, float]:
    """Milliseconds until both cells of a match are confined, until both teams are loaded, and for killing both."""

    def fill_up() -> None:
        """Cells that the end of a match ordered get ready in this time."""
        if from_reserve:
            time.sleep(0.03)

    waits, loads, ends = [], [], []
    for _ in range(matches):
        fill_up()
        started = time.perf_counter()
        held = [cells.take(team.source, LIMITS, isolation) for _ in range(2)]
        for cell in held:
            cell.wait_until_ready()
        waits.append(time.perf_counter() - started)
        cells.end_match()
        fill_up()
        started = time.perf_counter()
        for seat in (1, 2):
            open_seat(cells, seat, team, isolation)
        loads.append(time.perf_counter() - started)
        started = time.perf_counter()
        cells.end_match()
        ends.append(time.perf_counter() - started)
    return 1000 * statistics.median(waits), 1000 * statistics.median(loads), 1000 * statistics.median(ends)


def a_map(tanks: int, rounds: int) -> MapSource:
    """Tanks in two columns, which only turn."""
    rows = "\n".join(" 1   2 " for _ in range(tanks))
    text = f"turning\nMaxSteps = {rounds}\nNumShells = 5\nRows = {tanks}\nCols = 7\n{rows}\n"
    return MapSource(f"turning{tanks}", text.encode())


def seconds(arena: Arena, spec: MatchSpec, matches: int) -> float:
    """Of the fastest of several matches: what else the machine does only ever adds."""
    arena.play(spec)
    outcomes = [arena.play(spec) for _ in range(matches)]
    for outcome in outcomes:
        if outcome.outcome.faults:
            raise SystemExit(f"{spec.input.manager.name}: {outcome.outcome.message}")
    return min(outcome.outcome.seconds for outcome in outcomes)


def spinner(folder: str) -> Reference:
    """The benchmark's team."""
    path = Path(folder) / "spinner.py"
    path.write_text(TEAM, encoding="utf-8")
    return Registry.from_paths([path]).find(ALGORITHM, "spinner").reference


def show_teams(matches: int, core: int) -> None:
    """Print what asking teams costs, and how soon their cells are ready."""
    with tempfile.TemporaryDirectory() as folder:
        team = spinner(folder)
        rows = []
        for isolation in CELLS:
            for reserve in (1, 0):
                with CellPool(core=core, reserve=reserve) as cells:
                    open_seat(cells, 1, team, isolation)
                    cells.end_match()
                    times = ready(cells, team, isolation, bool(reserve), matches)
                rows.append((isolation.value, "reserve" if reserve else "fresh", *(f"{value:.2f}" for value in times)))
        with CellPool(core=core) as cells:
            table = asking(cells, team)
            level = cells.confinement.level.value
    print(f"sandbox: level {level}; Python {sys.version.split()[0]}; one core\n")
    headers = ("tanks", "held", "at once µs", "over inline", "ratio", "one call µs", "over inline")
    print(render(headers, table, align=("right", "left", *["right"] * 5)))
    print()
    print(render(("held", "from", "2 ready ms", "2 loaded ms", "2 killed ms"), rows))


def show_managers(matches: int, core: int) -> None:
    """Print what a round costs with managers of either kind in each place."""
    os.sched_setaffinity(0, {core})
    registry = Registry.installed(Selection())
    game = registry.find(GAME, "tanks").reference
    rows: list[tuple[str | int, ...]] = []
    with tempfile.TemporaryDirectory() as folder, Arena() as arena:
        team = spinner(folder)
        for name, asked in MANAGERS.items():
            manager = registry.find(MANAGER, name).reference
            for tanks in MANAGER_TANKS:
                match = MatchInput(game=game, manager=manager, map=a_map(tanks, LONG), teams=(team, team))
                holding = Holding(isolations=(Isolation.SANDBOX,) * 2, limits=(LIMITS,) * 2, manager_limits=LIMITS)
                inline = 0.0
                for isolation in Isolation:
                    long, short = (
                        seconds(
                            arena,
                            MatchSpec(replace(match, map=a_map(tanks, rounds)), replace(holding, manager_isolation=isolation)),
                            matches,
                        )
                        for rounds in (LONG, SHORT)
                    )
                    microseconds = 1e6 * (long - short) / (LONG - SHORT)
                    inline = microseconds if isolation is Isolation.INLINE else inline
                    over = (microseconds - inline) / (2 if asked == "at once" else 2 * tanks)
                    figures = (f"{microseconds:.0f}", f"{microseconds / inline:.2f}", f"{over:.1f}", f"{1000 * short:.1f}")
                    rows.append((asked, tanks, isolation.value, *figures))
    print(f"Python {sys.version.split()[0]}; one core; two teams in sandboxes\n")
    headers = ("asked", "tanks", "manager", "µs a round", "ratio", "µs an ask over inline", f"match of {SHORT} rounds, ms")
    print(render(headers, rows, align=("left", "right", "left", *["right"] * 4)))


def main() -> None:
    """Measure one part and print it."""
    parser = command_line(__doc__)
    parts = parser.add_subparsers(required=True)
    for name, show, matches in (("teams", show_teams, 40), ("managers", show_managers, 15)):
        part = parts.add_parser(name, help=f"{name} in cells")
        part.add_argument("--matches", type=int, default=matches, help=f"of each kind ({matches})")
        part.set_defaults(show=show)
    options: argparse.Namespace = parser.parse_args(words_with_part(parts.choices, "teams"))
    options.show(options.matches, max(os.sched_getaffinity(0)))


if __name__ == "__main__":
    main()
