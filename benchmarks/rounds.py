"""What a referee costs: rounds of tanks with trivial algorithms, and turns of Filler without robots, pure and compiled.

    python3 dev.py compile
    .venv/bin/python benchmarks/rounds.py             # rounds and tank-turns a second of the reference GameManager
    .venv/bin/python benchmarks/rounds.py filler      # CPU milliseconds a turn, on the subject's three maps

Tanks are asked through the public inline interface, the log off. Baselines of the same run: asking the same tanks in a bare loop
without any rules ("asking alone"), and the pure build. For orientation the table also has what C++ GameManagers of the same rules
were measured to make on a machine of this kind (rotations, one core).

Of Filler, "engine" is what game_engine does for a turn but for its robots: board and piece as text, the answer read and judged,
everything printed to /dev/null. "quiet" prints nothing. "match" is the GameManager of tournaments over seats that answer at once.
The answers come from games played before. Baseline of the same run: a replica written straight from the rules, which makes its text
anew every turn; for orientation the table also has what the subject's own engine was measured to use.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from random import Random
from typing import Any, Final

from measuring import command_line, in_both_builds, words_with_part

from tiltyard_engine import (
    ActionRequest,
    BattleInfo,
    Match,
    Player,
    SatelliteView,
    SeatFault,
    TankAlgorithm,
    TankSeat,
    TankTeam,
    Termination,
    TurnSeat,
)
from tiltyard_engine.replay import NullRecorder
from tiltyard_engine.seat_kinds.inline import InlineTankSeat
from tiltyard_filler import rules
from tiltyard_filler.anfield import write_placement
from tiltyard_filler.answers import Answer, Listener
from tiltyard_filler.engine import Engine, Robot, Settings
from tiltyard_filler.manager import FillerGameManager
from tiltyard_filler.map_files import FillerMap, read_board, shipped_maps
from tiltyard_filler.pieces import PieceGenerator
from tiltyard_filler.positions import FillerPosition, Placement
from tiltyard_simulator.output.tables import render
from tiltyard_tanks.manager import TanksGameManager
from tiltyard_tanks.maps import TankMap, player_arguments

BOARDS: Final = ((8, 12, 4, 620_000), (15, 20, 8, 220_000), (50, 80, 20, 58_000), (200, 200, 100, 4_000))
"""Rows, columns, tanks, rounds a second of C++ GameManagers (rotations)."""
TANK_TURNS: Final = 400_000
"""Work a measurement; the best of TANK_REPEATS counts, as anything else is the machine's noise."""
TANK_REPEATS: Final = 9
FILLER_MAPS: Final = {"map00": ("0.15", "0.15"), "map01": ("0.20", "0.20"), "map02": ("1.30", "0.75")}
"""By map: milliseconds a turn of the subject's engine, printing and quiet."""
SEED: Final = 1
TURNS: Final = 4000
"""Work a measurement, of which the best of FILLER_REPEATS counts."""
FILLER_REPEATS: Final = 5

Turns = list[tuple[int, Placement]]

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
    for _ in range(TANK_REPEATS):
        match: Match[TankMap, TankSeat] = Match(map=tank_map, map_name=tank_map.title, seats=seats_for(tank_map, tank))
        started = time.perf_counter()
        result = TanksGameManager().run(match)
        best = max(best, result.rounds / (time.perf_counter() - started))
        checksum = hashlib.sha256("\n".join([result.message, *result.final_state]).encode()).hexdigest()[:12]
    return best, checksum


def measure_asking(tank_map: TankMap, tank: type[Rotating], tanks: int) -> float:
    """Rounds a second of asking alone."""
    best = 0.0
    for _ in range(TANK_REPEATS):
        seats = seats_for(tank_map, tank)
        handles = [[seat.create_tank(index) for index in range(tanks // 2)] for seat in seats]
        started = time.perf_counter()
        for _ in range(tank_map.max_steps):
            for seat, own in zip(seats, handles):
                seat.get_actions(own)
        best = max(best, tank_map.max_steps / (time.perf_counter() - started))
    return best


def measure_tanks() -> list[dict[str, object]]:
    """All boards, in this process's build."""
    found: list[dict[str, object]] = []
    for rows, columns, tanks, _ in BOARDS:
        tank_map = board(rows, columns, tanks, TANK_TURNS // tanks)
        for name, tank in (("rotations", Rotating), ("with shots", Shooting)):
            rate, checksum = measure(tank_map, tank)
            asking = measure_asking(tank_map, tank, tanks)
            found.append({"what": name, "rate": rate, "checksum": checksum, "asking": asking})
    return found


class ReadySeat(TurnSeat[FillerPosition, Placement]):
    """Answers at once from a list."""

    def __init__(self, index: int, turns: Turns) -> None:
        self.index, self.name, self.fault = index, f"player {index}", None
        self._answers = iter(answers_of(turns, index))

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


def run_ready_match(board: FillerMap, turns: Turns) -> None:
    """A match of tournaments whose seats answer at once."""
    run_match(board, [ReadySeat(player, turns) for player in (1, 2)])


class ReadyRobot(Robot):
    """Answers at once from a list, through the engine's own reading of answers."""

    def __init__(self, player: int, turns: Turns) -> None:
        self.path = f"robots/{player}"
        self._answers = [write_placement(answer) for answer in reversed(answers_of(turns, player))]
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
    FillerGameManager().run(Match(map=board, map_name="map", seats=list(seats), seed=SEED, recorder=NullRecorder()))


def answers_of(turns: Turns, player: int) -> list[Placement]:
    """A player's part."""
    return [answer for each, answer in turns if each == player]


def run_engine(board: FillerMap, turns: Turns, is_quiet: bool, sink: int) -> None:
    """A game of the engine."""
    robots = [ReadyRobot(player, turns) for player in (1, 2)]
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
    count = max(1, TURNS // turns)
    for _ in range(FILLER_REPEATS):
        started = time.process_time()
        for _ in range(count):
            run()
        times.append((time.process_time() - started) / (count * turns) * 1000)
    return min(times)


def measure_filler() -> list[dict[str, float]]:
    """All of the subject's maps, in this process's build."""
    files, sink = shipped_maps(), os.open(os.devnull, os.O_WRONLY)
    found = []
    for name in FILLER_MAPS:
        board = read_board(name, files[name].read_bytes())
        turns = record(board)
        ways: dict[str, Callable[[], None]] = {
            "engine": partial(run_engine, board, turns, False, sink),
            "quiet": partial(run_engine, board, turns, True, sink),
            "match": partial(run_ready_match, board, turns),
            "replica": partial(run_replica, board, turns, sink),
        }
        found.append({"turns": len(turns), **{way: best(run, len(turns)) for way, run in ways.items()}})
    return found


def show_tanks(builds: Mapping[str, Any]) -> None:
    """Print a row for each board, kind of work and build."""
    table = []
    kinds = [(*board, kind) for board in BOARDS for kind in (0, 1)]
    for place, (rows, columns, tanks, native, kind) in enumerate(kinds):
        cells = {build: found[place] for build, found in builds.items()}
        if len({cell["checksum"] for cell in cells.values()}) != 1:
            sys.exit(f"the builds differ on {rows}x{columns}: {cells}")
        for build, cell in cells.items():
            rate = cell["rate"]
            of_pure = f"{rate / cells['pure']['rate']:.2f}"
            of_native = f"{rate / native:.2f}" if kind == 0 else ""
            numbers = (f"{rate:,.0f}", f"{rate * tanks:,.0f}", f"{rate / cell['asking']:.2f}", of_pure, of_native)
            table.append((f"{rows}x{columns}, {tanks}", cell["what"], build, *numbers, cell["checksum"]))
    headers = ("board, tanks", "script", "build", "rounds/s", "tank-turns/s", "of asking alone", "of pure", "of C++", "checksum")
    print(render(headers, table, align=("left", "left", "left", *["right"] * 5, "left")))


def show_filler(builds: Mapping[str, Any]) -> None:
    """Print a row for each map and build."""
    table = []
    for place, (name, subject) in enumerate(FILLER_MAPS.items()):
        for build, found in builds.items():
            cells = found[place]
            numbers = [f"{cells[what]:.4f}" for what in ("engine", "quiet", "match", "replica")]
            table.append((name, build, cells["turns"], *numbers, f"{cells['replica'] / cells['engine']:.1f}", *subject))
    headers = ("map", "build", "turns", "engine", "quiet", "match", "replica", "replica/engine", "subject's", "subject's -q")
    print("CPU milliseconds a turn, without robots\n")
    print(render(headers, table, align=("left", "left", *["right"] * 8)))


PARTS: Final[Mapping[str, tuple[Callable[[], Any], Callable[[Mapping[str, Any]], None]]]] = {
    "tanks": (measure_tanks, show_tanks),
    "filler": (measure_filler, show_filler),
}


def main() -> None:
    """Measure both builds and print the table."""
    parser = command_line(__doc__)
    parser.add_argument("part", choices=list(PARTS), help="whose referee (tanks)")
    parser.add_argument("--measure", action="store_true", help="measure this process's build and print JSON")
    options = parser.parse_args(words_with_part(PARTS, "tanks"))
    measure, show = PARTS[options.part]
    if options.measure:
        print(json.dumps(measure()))
    else:
        show(in_both_builds(__file__, options.part, "--measure"))


if __name__ == "__main__":
    main()
