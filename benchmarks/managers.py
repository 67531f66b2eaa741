"""What holding the GameManager in a cell costs, beside the same match with an inline one in the same run.

    .venv/bin/python benchmarks/managers.py

Teams are in cells both times, all on one core. A manager in a cell costs one more message and its answer for each ask,
so a round that asks a team costs about twice what it did; asked tank by tank likewise. Run it on a quiet machine.
"""

from __future__ import annotations

import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from measuring import command_line
from tabulate import tabulate

from tiltyard_engine.registry import Registry, Selection
from tiltyard_engine.registry.registry import ALGORITHM, GAME, MANAGER
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import Limits
from tiltyard_simulator.match.spec import MapSource, MatchInput, MatchSpec
from tiltyard_simulator.play.arena import Arena

TEAM = """
from tiltyard_engine import ActionRequest, Player, TankAlgorithm, TankTeam, hookimpl

class Spinner(TankAlgorithm):
    def __init__(self, player_index, tank_index):
        pass
    def get_action(self):
        return ActionRequest.ROTATE_LEFT_45
    def update_battle_info(self, info):
        pass

class Silent(Player):
    def update_tank_with_battle_info(self, tank, satellite_view):
        pass

@hookimpl
def algorithms():
    yield TankTeam("spinner", player=Silent, tank=Spinner)
"""
MANAGERS = {"reference": "at once", "info-at-once": "tank by tank"}
TANKS = (1, 4, 20)
"""A player."""
SHORT, LONG = 10, 1010
"""Rounds of two matches whose difference is free of what it costs to begin one."""
LIMITS = Limits(match_seconds=10_000)


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


def main() -> None:
    """Measure and print the table."""
    parser = command_line(__doc__)
    parser.add_argument("--matches", type=int, default=15)
    matches = parser.parse_args().matches
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    registry = Registry.installed(Selection())
    game = registry.find(GAME, "tanks").reference
    rows: list[tuple[object, ...]] = []
    with tempfile.TemporaryDirectory() as folder, Arena() as arena:
        path = Path(folder) / "spinner.py"
        path.write_text(TEAM, encoding="utf-8")
        team = Registry.from_paths([path]).find(ALGORITHM, "spinner").reference
        for name, asked in MANAGERS.items():
            manager = registry.find(MANAGER, name).reference
            for tanks in TANKS:
                spec = MatchSpec(MatchInput(game=game, manager=manager, map=a_map(tanks, LONG), teams=(team, team)))
                spec = replace(
                    spec,
                    holding=replace(spec.holding, isolations=(Isolation.SANDBOX,) * 2, limits=(LIMITS,) * 2, manager_limits=LIMITS),
                )
                microseconds: dict[Isolation, float] = {}
                for isolation in Isolation:
                    long, short = (
                        seconds(
                            arena,
                            replace(
                                spec,
                                holding=replace(spec.holding, manager_isolation=isolation),
                                input=replace(spec.input, map=a_map(tanks, rounds)),
                            ),
                            matches,
                        )
                        for rounds in (LONG, SHORT)
                    )
                    microseconds[isolation] = 1e6 * (long - short) / (LONG - SHORT)
                    asks = 2 if asked == "at once" else 2 * tanks
                    over = microseconds[isolation] - microseconds[Isolation.INLINE]
                    ratio = microseconds[isolation] / microseconds[Isolation.INLINE]
                    found = (f"{microseconds[isolation]:.0f}", f"{ratio:.2f}", f"{over / asks:.1f}", f"{1000 * short:.1f}")
                    rows.append((asked, tanks, isolation.value, *found))
    print(f"Python {sys.version.split()[0]}; one core; two teams in sandboxes\n")
    headers = ("asked", "tanks", "manager", "µs a round", "ratio", "µs an ask over inline", f"match of {SHORT} rounds, ms")
    print(tabulate(rows, headers, disable_numparse=True, colalign=("left", "right", "left", *["right"] * 4)))


if __name__ == "__main__":
    main()
