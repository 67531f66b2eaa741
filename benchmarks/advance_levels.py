"""How long Advance's levels and the champion take for a move, compiled against pure.

    python3 dev.py compile
    .venv/bin/python benchmarks/advance_levels.py [FILE ...]

Positions come from games that level 6 plays against itself from openings by chance, or from FILEs in either form that
``python -m tiltyard_advance.conformance`` takes; of files with levels only those of level 7. Times are CPU milliseconds a move.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from time import process_time

from measuring import COMPILED, command_line

from tiltyard_advance import levels
from tiltyard_advance.algorithms import STRENGTHS, choose_board
from tiltyard_advance.map_files import generate_opening
from tiltyard_advance.positions import SIDES, START
from tiltyard_advance.rules import Board, perft
from tiltyard_kit.conformance import read_json

GAMES = 8
EVERY = 12
CHILD = "TILTYARD_MEASURE_THIS_BUILD"


def own_positions() -> list[tuple[str, int]]:
    """Boards of games, with the side to move."""
    positions: list[tuple[str, int]] = []
    for game in range(GAMES):
        board, chance = Board(generate_opening(6, game)), Random(game)
        for ply in range(200):
            moves = levels.best_moves(board, ply % 2, 6)
            if not moves:
                break
            if ply % EVERY == game % EVERY:
                positions.append((board.text(), ply % 2))
            board.make(chance.choice(moves))
    return positions


def positions_of(path: Path) -> list[tuple[str, int]]:
    """Boards of a file."""
    tables = read_json(path)
    tests = tables["positions"] if isinstance(tables, dict) else tables
    assert isinstance(tests, list)
    return [("".join(test["board"]), SIDES.index(test["side"])) for test in tests if test.get("level", 7) == 7]


def measure(paths: list[str]) -> dict[str, list[float]]:
    """Milliseconds a move for each strength, and for perft to three plies."""
    positions = [position for path in paths for position in positions_of(Path(path))] or own_positions()
    times: dict[str, list[float]] = {}
    for strength in STRENGTHS:
        times[strength] = []
        for text, side in positions:
            begun = process_time()
            choose_board(text, side, strength, Random(1))
            times[strength].append(1000 * (process_time() - begun))
    begun = process_time()
    assert perft(Board(START), 0, 3) == 80482
    times["perft 3"] = [1000 * (process_time() - begun)]
    return times


def run_build(path: str, paths: Sequence[str]) -> dict[str, list[float]]:
    """Measure in a process of its own, with ``path`` first on Python's path."""
    environment = {**os.environ, "PYTHONPATH": path, CHILD: "1"}
    done = subprocess.run([sys.executable, __file__, *paths], env=environment, stdout=subprocess.PIPE, check=True)
    times: dict[str, list[float]] = json.loads(done.stdout)
    return times


def main() -> None:
    """Print the table."""
    parser = command_line(__doc__)
    parser.add_argument("files", nargs="*", metavar="FILE")
    paths: list[str] = parser.parse_args().files
    if CHILD in os.environ:
        print(json.dumps(measure(paths)))
        return
    builds = {"pure": ""}
    if (COMPILED / "tiltyard_advance").is_dir():
        builds["compiled"] = str(COMPILED)
    else:
        print("no compiled build; make one with: python3 dev.py compile")
    measured = {name: run_build(path, paths) for name, path in builds.items()}
    print(f"{len(measured['pure'][STRENGTHS[0]])} positions; CPU milliseconds a move")
    print(f"{'':12}" + "".join(f"{build + ' median':>18}{'most':>10}" for build in builds))
    for strength in measured["pure"]:
        cells = ""
        for times in measured.values():
            ordered = sorted(times[strength])
            cells += f"{ordered[len(ordered) // 2]:18.2f}{ordered[-1]:10.2f}"
        print(f"{strength:12}{cells}")


if __name__ == "__main__":
    main()
