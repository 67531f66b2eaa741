"""What Filler's referee costs a turn without robots: CPU time, on the subject's three maps.

    python3 dev.py compile
    .venv/bin/python benchmarks/filler_referee.py

"engine" is what game_engine does for a turn but for its robots: board and piece as text, the answer read and judged, everything
printed to /dev/null. "quiet" prints nothing. "match" is the GameManager of tournaments over seats that answer at once. The answers
come from games played before. Baseline of the same run: a replica written straight from the rules, which makes its text anew every
turn ("replica"); for orientation the table also has what the subject's own engine was measured to use.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib import resources
from pathlib import Path
from random import Random

from measuring import COMPILED, command_line
from tabulate import tabulate

from tiltyard_engine import Match, Recorder, SeatFault, Termination, TurnSeat
from tiltyard_engine.replay import NullRecorder
from tiltyard_filler import rules
from tiltyard_filler.anfield import write_placement
from tiltyard_filler.answers import Answer, Listener
from tiltyard_filler.engine import Engine, Robot, Settings
from tiltyard_filler.manager import FillerGameManager
from tiltyard_filler.map_files import FillerMap, read_board
from tiltyard_filler.pieces import PieceGenerator
from tiltyard_filler.positions import FillerPosition, Placement

ROOT = Path(__file__).resolve().parent.parent
MAPS = {"map00": ("0.15", "0.15"), "map01": ("0.20", "0.20"), "map02": ("1.30", "0.75")}
"""By map: milliseconds a turn of the subject's engine, printing and quiet."""
SEED = 1
TURNS = 4000
"""Work a measurement; the best of REPEATS counts, as anything else is the machine's noise."""
REPEATS = 5

Turns = list[tuple[int, Placement]]


class ReadySeat(TurnSeat[FillerPosition, Placement]):
    """Answers at once from a list."""

    def __init__(self, index: int, answers: list[Placement]) -> None:
        self.index, self.name, self.fault = index, f"player {index}", None
        self._answers = iter(answers)

    def start(self, position: FillerPosition) -> None:
        """Nothing to prepare."""

    def choose(self, position: FillerPosition) -> Placement:
        """The next answer."""
        return next(self._answers)

    def charge(self, termination: Termination, message: str) -> SeatFault:
        """Never: nobody fails here."""
        raise NotImplementedError(message)


class RandomSeat(ReadySeat):
    """Any legal placement; keeps what it said."""

    def __init__(self, index: int, said: Turns) -> None:
        super().__init__(index, [])
        self._said = said
        self._lots = Random(index)

    def choose(self, position: FillerPosition) -> Placement:
        """One of all legal ones."""
        offsets = position.piece.offsets
        legal = rules.legal_placements(position.board, position.width, position.height, position.player, offsets)
        answer = Placement(*self._lots.choice(legal)) if legal else Placement(0, 0)
        self._said.append((self.index, answer))
        return answer


class ReadyRobot(Robot):
    """Answers at once from a list, through the engine's own reading of answers."""

    def __init__(self, player: int, answers: list[Placement]) -> None:
        self.path = f"robots/{player}"
        self._answers = [write_placement(answer) for answer in reversed(answers)]
        self._listener = Listener(self, 10.0)

    def start(self, hello: bytes) -> None:
        """Nothing to start."""

    def ask(self, turn: bytes) -> Answer:
        """As a started robot does."""
        return self._listener.ask(turn)

    def begin(self, seconds: float, doing: str) -> None:
        """No clock."""

    def write(self, data: bytes) -> None:
        """Nobody reads."""

    def read(self, limit: int) -> bytes:
        """The next answer."""
        return self._answers.pop()


def record(board: FillerMap) -> Turns:
    """A game between two random players."""
    said: Turns = []
    run_match(board, [RandomSeat(player, said) for player in (1, 2)])
    return said


def run_match(board: FillerMap, seats: list[ReadySeat]) -> None:
    """A match of tournaments, unrecorded."""
    recorder: Recorder = NullRecorder()
    FillerGameManager().run(Match(map=board, map_name="map", seats=list(seats), seed=SEED, recorder=recorder))


def answers_of(turns: Turns, player: int) -> list[Placement]:
    """A player's part."""
    return [answer for each, answer in turns if each == player]


def run_engine(board: FillerMap, turns: Turns, is_quiet: bool, sink: int) -> None:
    """A game of the engine."""
    robots = [ReadyRobot(player, answers_of(turns, player)) for player in (1, 2)]
    Engine(board, robots, Settings(SEED, is_quiet), lambda data: os.write(sink, data), print).run()


def run_replica(board: FillerMap, turns: Turns, sink: int) -> None:
    """The same game by the rules as they are written down: lists of characters, the text joined anew every turn."""
    rows = [list(row) for row in board.rows]
    generator = PieceGenerator(SEED, board.width, board.height)
    marks = {1: ("@", "a"), 2: ("$", "s")}
    for player, answer in turns:
        piece = generator.draw()
        lines = [f"Anfield {board.width} {board.height}:", "    " + "".join(str(x % 10) for x in range(board.width))]
        lines += [f"{y % 1000:03d} {''.join(row)}" for y, row in enumerate(rows)]
        lines += [f"Piece {piece.width} {piece.height}:", *piece.rows]
        lines += [f"-> Answer ({marks[player][0]}): {answer.x} {answer.y}", *[""] * (board.height // 5 + 2 - piece.height)]
        os.write(sink, ("\n".join(lines) + "\n").encode())
        plain, last = marks[player]
        for row in rows:
            for x, cell in enumerate(row):
                if cell == last:
                    row[x] = plain
        cells = [(answer.x + x, answer.y + y) for y, row in enumerate(piece.rows) for x, cell in enumerate(row) if cell == "O"]
        inside = all(0 <= x < board.width and 0 <= y < board.height for x, y in cells)
        under = [rows[y][x] for x, y in cells] if inside else []
        if inside and sum(cell in (plain, last) for cell in under) == 1 and under.count(".") == len(under) - 1:
            for x, y in cells:
                rows[y][x] = last


def best(run: Callable[[], None], turns: int) -> float:
    """Milliseconds of CPU time a turn."""
    times = []
    for _ in range(REPEATS):
        count = max(1, TURNS // turns)
        started = time.process_time()
        for _ in range(count):
            run()
        times.append((time.process_time() - started) / (count * turns) * 1000)
    return min(times)


def measure() -> Iterator[dict[str, object]]:
    """All maps, in this process's build."""
    folder = resources.files("tiltyard_filler").joinpath("shipped_maps")
    sink = os.open(os.devnull, os.O_WRONLY)
    for name in MAPS:
        board = read_board(name, folder.joinpath(name).read_bytes())
        turns = record(board)

        def match(board: FillerMap = board, turns: Turns = turns) -> None:
            run_match(board, [ReadySeat(player, answers_of(turns, player)) for player in (1, 2)])

        def engine(is_quiet: bool, board: FillerMap = board, turns: Turns = turns) -> None:
            run_engine(board, turns, is_quiet, sink)

        def replica(board: FillerMap = board, turns: Turns = turns) -> None:
            run_replica(board, turns, sink)

        yield {
            "turns": len(turns),
            "engine": best(lambda engine=engine: engine(False), len(turns)),  # type: ignore[misc]
            "quiet": best(lambda engine=engine: engine(True), len(turns)),  # type: ignore[misc]
            "match": best(match, len(turns)),
            "replica": best(replica, len(turns)),
        }


def in_build(folder: Path | None) -> list[dict[str, float]]:
    """The measurements of another process, which imports the compiled build from ``folder``."""
    environment = os.environ | ({"PYTHONPATH": str(folder)} if folder else {})
    output = subprocess.run([sys.executable, __file__, "--measure"], env=environment, check=True, capture_output=True).stdout
    found: list[dict[str, float]] = json.loads(output)
    return found


def main() -> None:
    """Measure both builds and print the table."""
    parser = command_line(__doc__)
    parser.add_argument("--measure", action="store_true", help="measure this process's build and print JSON")
    if parser.parse_args().measure:
        print(json.dumps(list(measure())))
        return
    compiled = COMPILED
    builds = [("pure", in_build(None)), *([("compiled", in_build(compiled))] if compiled.is_dir() else [])]
    table = []
    for place, (name, (printing, quiet)) in enumerate(MAPS.items()):
        for build, found in builds:
            cells = found[place]
            numbers = [f"{cells[what]:.4f}" for what in ("engine", "quiet", "match", "replica")]
            table.append((name, build, cells["turns"], *numbers, f"{cells['replica'] / cells['engine']:.1f}", printing, quiet))
    headers = ("map", "build", "turns", "engine", "quiet", "match", "replica", "replica/engine", "subject's", "subject's -q")
    print("CPU milliseconds a turn, without robots\n")
    print(tabulate(table, headers, disable_numparse=True, colalign=("left", "left", *["right"] * 8)))
    if len(builds) == 1:
        print("\nno compiled build: python3 dev.py compile makes one")


if __name__ == "__main__":
    main()
