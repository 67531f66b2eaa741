"""What the rules of tanks cost: rounds of trivial algorithms a second, pure and compiled.

    python3 dev.py compile
    .venv/bin/python benchmarks/rounds.py

Tanks are asked by the reference GameManager through the public inline interface, the log off. Baselines of the same run: asking the
same tanks in a bare loop without any rules ("asking alone"), and the pure build. For orientation the table also has what C++
GameManagers of the same rules were measured to make on a machine of this kind (rotations, one core).
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from measuring import run, wall_seconds

from tiltyard_engine import ActionRequest, BattleInfo, Match, Player, SatelliteView, TankAlgorithm, TankSeat, TankTeam
from tiltyard_engine.seat_kinds.inline import InlineTankSeat
from tiltyard_simulator.output.tables import render
from tiltyard_tanks.manager import TanksGameManager
from tiltyard_tanks.maps import TankMap, player_arguments

COMPILED: Final = Path(__file__).resolve().parent.parent / ".compiled"
"""The compiled build of ``python3 dev.py compile``."""
BOARDS: Final = ((8, 12, 4, 620_000), (15, 20, 8, 220_000), (50, 80, 20, 58_000), (200, 200, 100, 4_000))
"""Rows, columns, tanks, rounds a second of C++ GameManagers (rotations)."""
TANK_TURNS: Final = 400_000
"""Work a measurement; the best of REPEATS counts, as anything else is the machine's noise."""
REPEATS: Final = 9

ROTATIONS = (
    ActionRequest.ROTATE_LEFT_45,
    ActionRequest.ROTATE_RIGHT_90,
    ActionRequest.ROTATE_LEFT_90,
    ActionRequest.ROTATE_RIGHT_45,
)
SHOTS = (ActionRequest.SHOOT, *ROTATIONS[1:])


class Rotating(TankAlgorithm):
    """Plays ROTATIONS for ever."""

    script: Sequence[ActionRequest] = ROTATIONS

    def __init__(self, player_index: int, tank_index: int) -> None:
        self.step = -1

    def get_action(self) -> ActionRequest:
        """The next one."""
        self.step += 1
        return self.script[self.step & 3]

    def update_battle_info(self, info: BattleInfo) -> None:
        """Never asked for."""


class Shooting(Rotating):
    """Plays SHOTS for ever."""

    script = SHOTS


class Silent(Player):
    """Never asked."""

    def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None:
        """Nothing to say."""


def board(rows: int, columns: int, tanks: int, rounds: int) -> TankMap:
    """Tanks spread evenly, and walls so that shots end."""
    grid = [["#" if (x + 3 * y) % 11 == 0 else " " for x in range(columns)] for y in range(rows)]
    for tank in range(tanks):
        square = (2 * tank + 1) * rows * columns // (2 * tanks)
        grid[square // columns][square % columns] = "12"[tank % 2]
    return TankMap(title="benchmark", max_steps=rounds, num_shells=10**9, grid=tuple("".join(row) for row in grid))


def seats_for(tank_map: TankMap, tank: type[Rotating]) -> list[InlineTankSeat]:
    """Both seats with the same team."""
    team = TankTeam("benchmark", Silent, tank)
    return [InlineTankSeat(index, team, player_arguments(tank_map), "raise") for index in (1, 2)]


def ask(tank_map: TankMap, seats: Sequence[InlineTankSeat], tanks: Sequence[Sequence[TankAlgorithm]]) -> None:
    """Ask all tanks in each round of a match, without any rules."""
    for _ in range(tank_map.max_steps):
        for seat, own in zip(seats, tanks):
            seat.get_actions(own)


def measured(tank_map: TankMap, tank: type[Rotating], tanks: int) -> dict[str, object]:
    """Rounds a second of the GameManager and of asking alone, and a checksum of the result."""
    rate, asking, checksum = 0.0, 0.0, ""
    for _ in range(REPEATS):
        match: Match[TankMap, TankSeat] = Match(map=tank_map, map_name=tank_map.title, seats=seats_for(tank_map, tank))
        begun = time.perf_counter()
        result = TanksGameManager().run(match)
        rate = max(rate, result.rounds / (time.perf_counter() - begun))
        checksum = hashlib.sha256("\n".join([result.message, *result.final_state]).encode()).hexdigest()[:12]
        seats = seats_for(tank_map, tank)
        handles = [[seat.create_tank(index) for index in range(tanks // 2)] for seat in seats]
        asking = max(asking, tank_map.max_steps / wall_seconds(partial(ask, tank_map, seats, handles)))
    return {"rate": rate, "asking": asking, "checksum": checksum}


def measure_all(turns: int) -> list[dict[str, object]]:
    """All boards, in this process's build."""
    return [
        measured(board(rows, columns, tanks, turns // tanks), tank, tanks)
        for rows, columns, tanks, _ in BOARDS
        for tank in (Rotating, Shooting)
    ]


def in_both_builds(turns: int) -> dict[str, list[dict[str, Any]]]:
    """What a process with the pure rules measures, and one with the compiled rules where these were built."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    builds = {"pure": environment}
    if COMPILED.is_dir():
        builds["compiled"] = {**environment, "PYTHONPATH": str(COMPILED)}
    else:
        print("no compiled build: python3 dev.py compile makes one")
    words = [sys.executable, __file__, "--measure", "--turns", str(turns)]
    return {
        name: json.loads(subprocess.run(words, env=build, stdout=subprocess.PIPE, check=True).stdout)
        for name, build in builds.items()
    }


def main(*, turns: int = TANK_TURNS, measure: bool = False) -> None:
    """Measure both builds, and print a row for each board, kind of work and build; or measure this process's, and print JSON."""
    if measure:
        print(json.dumps(measure_all(turns)))
        return
    builds, table = in_both_builds(turns), []
    kinds = [(*size, script) for size in BOARDS for script in ("rotations", "with shots")]
    for place, (rows, columns, tanks, native, script) in enumerate(kinds):
        cells = {build: figures[place] for build, figures in builds.items()}
        if len({cell["checksum"] for cell in cells.values()}) != 1:
            sys.exit(f"the builds differ on {rows}x{columns}: {cells}")
        for build, cell in cells.items():
            rate = cell["rate"]
            ratios = [f"{rate / other:.2f}" for other in (cell["asking"], cells["pure"]["rate"], native)]
            numbers = (f"{rate:,.0f}", f"{rate * tanks:,.0f}", *ratios[:2], ratios[2] if script == "rotations" else "")
            table.append((f"{rows}x{columns}, {tanks}", script, build, *numbers, cell["checksum"]))
    headers = ("board, tanks", "script", "build", "rounds/s", "tank-turns/s", "of asking alone", "of pure", "of C++", "checksum")
    print(render(headers, table, align=("left", "left", "left", *["right"] * 5, "left")))


if __name__ == "__main__":
    run(__doc__, main=main)
