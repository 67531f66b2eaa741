"""Rounds and tank-turns a second of the reference GameManager with trivial algorithms, pure and compiled.

    python3 dev.py compile
    .venv/bin/python benchmarks/rounds.py

Asked through the public inline interface, the log off. Baselines of the same run: asking the same tanks in a bare
loop without any rules ("asking alone"), and the pure build. For orientation the table also has what C++ GameManagers
of the same rules were measured to make on a machine of this kind (rotations, one core).
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from measuring import COMPILED, command_line
from tabulate import tabulate

from tiltyard_engine import ActionRequest, BattleInfo, Match, Player, SatelliteView, TankAlgorithm, TankSeat, TankTeam
from tiltyard_engine.seat_kinds.inline import InlineTankSeat
from tiltyard_tanks import battle
from tiltyard_tanks.manager import TanksGameManager
from tiltyard_tanks.maps import TankMap, player_arguments

ROOT = Path(__file__).resolve().parent.parent
BOARDS = ((8, 12, 4, 620_000), (15, 20, 8, 220_000), (50, 80, 20, 58_000), (200, 200, 100, 4_000))
"""Rows, columns, tanks, rounds a second of C++ GameManagers (rotations)."""
TANK_TURNS = 400_000
"""Work a measurement; the best of REPEATS counts, as anything else is the machine's noise."""
REPEATS = 9

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


def measure(tank_map: TankMap, tank: type[Rotating]) -> tuple[float, str]:
    """Rounds a second, and a checksum of the result."""
    best, checksum = 0.0, ""
    for _ in range(REPEATS):
        match: Match[TankMap, TankSeat] = Match(map=tank_map, map_name=tank_map.title, seats=seats_for(tank_map, tank))
        started = time.perf_counter()
        result = TanksGameManager().run(match)
        best = max(best, result.rounds / (time.perf_counter() - started))
        checksum = hashlib.sha256("\n".join([result.message, *result.final_state]).encode()).hexdigest()[:12]
    return best, checksum


def measure_asking(tank_map: TankMap, tank: type[Rotating], tanks: int) -> float:
    """Rounds a second of asking alone."""
    best = 0.0
    for _ in range(REPEATS):
        seats = seats_for(tank_map, tank)
        handles = [[seat.create_tank(index) for index in range(tanks // 2)] for seat in seats]
        started = time.perf_counter()
        for _ in range(tank_map.max_steps):
            for seat, own in zip(seats, handles):
                seat.get_actions(own)
        best = max(best, tank_map.max_steps / (time.perf_counter() - started))
    return best


def measure_all() -> list[dict[str, object]]:
    """All boards, in this process's build."""
    found: list[dict[str, object]] = []
    for rows, columns, tanks, _ in BOARDS:
        tank_map = board(rows, columns, tanks, TANK_TURNS // tanks)
        for name, tank in (("rotations", Rotating), ("with shots", Shooting)):
            rate, checksum = measure(tank_map, tank)
            asking = measure_asking(tank_map, tank, tanks)
            found.append({"what": name, "rate": rate, "checksum": checksum, "asking": asking})
    return found


def in_build(folder: Path | None) -> list[dict[str, object]]:
    """The measurements of another process, which imports the compiled build from ``folder``."""
    environment = os.environ | ({"PYTHONPATH": str(folder)} if folder else {})
    command = [sys.executable, __file__, "--measure"]
    output = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
    found: list[dict[str, object]] = json.loads(output)
    return found


def main() -> None:
    """Measure both builds and print the table."""
    parser = command_line(__doc__)
    parser.add_argument("--measure", action="store_true", help="measure this process's build and print JSON")
    if parser.parse_args().measure:
        compiled = not battle.__file__.endswith(".py")
        print(json.dumps([{**found, "compiled": compiled} for found in measure_all()]))
        return
    compiled_folder = COMPILED
    builds = [("pure", in_build(None))]
    if compiled_folder.is_dir():
        builds.append(("compiled", in_build(compiled_folder)))
    table = []
    for place, (rows, columns, tanks, native) in enumerate(BOARDS):
        for kind in (0, 1):
            cells = [found[2 * place + kind] for _, found in builds]
            if len({cell["checksum"] for cell in cells}) != 1:
                sys.exit(f"the builds differ on {rows}x{columns}: {cells}")
            pure = float(str(cells[0]["rate"]))
            for (build, _), cell in zip(builds, cells):
                rate, asking = float(str(cell["rate"])), float(str(cell["asking"]))
                ratio = f"{rate / native:.2f}" if kind == 0 else ""
                numbers = (f"{rate:,.0f}", f"{rate * tanks:,.0f}", f"{rate / asking:.2f}", f"{rate / pure:.2f}", ratio)
                table.append((f"{rows}x{columns}, {tanks}", cell["what"], build, *numbers, cell["checksum"]))
    headers = ("board, tanks", "script", "build", "rounds/s", "tank-turns/s", "of asking alone", "of pure", "of C++", "checksum")
    print(tabulate(table, headers, colalign=("left", "left", "left", *["right"] * 5, "left"), disable_numparse=True))
    if len(builds) == 1:
        print("\nno compiled build: python3 dev.py compile makes one")


if __name__ == "__main__":
    main()
