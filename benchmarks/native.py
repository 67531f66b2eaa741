"""What a competition of compiled files costs, beside the plainest C++ simulator that could play the same games.

    .venv/bin/python benchmarks/native.py [--manager GM.so] [--algorithms A.so B.so C.so] [--maps FOLDER] [--games 420]

Without files it compiles those of the tests, whose games are far shorter than those of real teams: what a match costs beside its
game is then nearly all there is. Games are those of a competition: every map gets as many as there are algorithms. Run it on a
quiet machine.
"""

from __future__ import annotations

import argparse
import itertools
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from measuring import with_cpu_seconds

from tiltyard_engine.registry import Registry, Selection
from tiltyard_engine.registry.lookup import choose
from tiltyard_engine.registry.registry import ALGORITHM, GAME, MANAGER
from tiltyard_engine.seat_kinds.native_matches import NativeMatch
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.own_distributions import OWN_DISTRIBUTIONS
from tiltyard_simulator.match.spec import MapSource, MatchInput, MatchSpec
from tiltyard_simulator.output.tables import render
from tiltyard_simulator.play.local_matches import run_matches
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_tanks import maps as tank_maps
from tiltyard_tanks.maps import TankMap, write_map
from tiltyard_tanks_native.builds import SHARED, SOURCES, find_compiler
from tiltyard_tanks_native.files import examine_file
from tiltyard_tanks_native.host import CompiledHost

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.plugins.tanks_native.compiled import Files

SHIPPED = Path(tank_maps.__file__).parent / "shipped_maps"
MOST_SQUARES = 15 * 20
"""Of a map: as large as those of the course."""


@dataclass(frozen=True)
class Competition:
    """Files and the games between them: indexes of algorithms, and the map."""

    manager: Path
    algorithms: Sequence[Path]
    games: Sequence[tuple[int, int, TankMap]]


@dataclass(frozen=True)
class Taken:
    """What a way of playing took."""

    seconds: float
    cpu_seconds: float
    """Of all processes, cells included: on a busy machine the better measure."""
    rounds: int
    """Of all games: the same for all ways, unless a file is not deterministic."""


def read_maps(folder: Path) -> list[TankMap]:
    """The maps of two players that are not too large."""
    found = [tank_maps.read_map(str(path), path.read_bytes()) for path in sorted(folder.iterdir()) if path.is_file()]
    return [tank_map for tank_map in found if tank_map.width * tank_map.height <= MOST_SQUARES]


def competition(manager: Path, algorithms: Sequence[Path], maps: Sequence[TankMap], games: int) -> Competition:
    """So many games, by the rule of the course's competition."""
    count = len(algorithms)
    rule = (
        (first, (first + 1 + number % (count - 1)) % count, tank_map)
        for number, tank_map in enumerate(itertools.cycle(maps))
        for first in range(count)
    )
    return Competition(manager, algorithms, list(itertools.islice(rule, games)))


def loop(played: Competition, program: Path) -> Taken:
    """The plain C++ loop; its output is thrown away."""
    lines = [str(played.manager), str(len(played.algorithms)), *map(str, played.algorithms), str(len(played.games))]
    for first, second, tank_map in played.games:
        lines.append(f"{first} {second} {tank_map.width} {tank_map.height} {tank_map.max_steps} {tank_map.num_shells}")
        lines += ["." + row for row in tank_map.grid]
    with tempfile.TemporaryDirectory() as folder:
        given = "\n".join(lines) + "\n"
        done = subprocess.run(
            [program],
            input=given,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            check=True,
            cwd=folder,
        )
    rounds, seconds, cpu_seconds = done.stderr.split()[-3:]
    return Taken(float(seconds), float(cpu_seconds), int(rounds))


def host(played: Competition) -> Taken:
    """The host program, a forked process a match; the first match of each file, which loads it, included."""

    def play() -> tuple[float, int]:
        rounds = 0
        with tempfile.TemporaryDirectory() as folder, closing(CompiledHost()) as program:
            started = time.perf_counter()
            for first, second, tank_map in played.games:
                outcome = program.play(
                    NativeMatch(
                        manager=played.manager,
                        algorithms=(played.algorithms[first], played.algorithms[second]),
                        board=tank_map,
                        map_name="map",
                        names=("one", "two"),
                        folder=Path(folder),
                    )
                )
                if outcome.claim is None or outcome.faults:
                    print(outcome.faults, file=sys.stderr)
                rounds += outcome.claim.rounds if outcome.claim is not None else 0
            return time.perf_counter() - started, rounds

    (seconds, rounds), cpu_seconds = with_cpu_seconds(play)
    return Taken(seconds, cpu_seconds, rounds)


def specs_of(played: Competition, isolation: Isolation, *, together: bool = False) -> list[MatchSpec]:
    """The games as matches of the runner."""
    registry = Registry.installed(Selection(only=frozenset(["tanks"])), own=OWN_DISTRIBUTIONS)
    game = registry.find(GAME, "tanks").reference
    manager = choose(str(played.manager), MANAGER, registry, "tanks")
    teams = [choose(str(path), ALGORITHM, registry, "tanks") for path in played.algorithms]
    held = IsolationPolicy(isolation, unconfined=True, together=together)
    return [
        held.apply(
            MatchSpec(
                MatchInput(
                    game=game,
                    manager=manager,
                    map=MapSource("map", write_map(tank_map).encode()),
                    teams=(teams[first], teams[second]),
                )
            )
        )
        for first, second, tank_map in played.games
    ]


def runner(played: Competition, isolation: Isolation, workers: int, *, together: bool = False) -> Taken:
    """The simulator's own runner, the start of its match workers included."""
    specs = specs_of(played, isolation, together=together)

    def play() -> tuple[float, int]:
        started = time.perf_counter()
        records = run_matches(specs, workers)
        seconds = time.perf_counter() - started
        for record in records:
            if record.faults:
                print(record.message, file=sys.stderr)
        return seconds, sum(record.claim.rounds for record in records)

    (seconds, rounds), cpu_seconds = with_cpu_seconds(play)
    return Taken(seconds, cpu_seconds, rounds)


def build_loop(folder: Path) -> Path:
    """Compile the plain loop."""
    program = folder / "loop"
    sources = [str(Path(__file__).with_name("native_loop.cpp")), *(str(SOURCES / name) for name in SHARED)]
    exports = f"-Wl,--dynamic-list={SOURCES / 'host.list'}"
    subprocess.run(
        [*find_compiler(), "-std=c++20", "-O2", f"-I{SOURCES}", *sources, exports, "-ldl", "-o", str(program)], check=True
    )
    return program


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--manager", type=Path)
    parser.add_argument("--algorithms", type=Path, nargs="+", default=[])
    parser.add_argument("--maps", type=Path, default=SHIPPED)
    parser.add_argument("--games", type=int, default=420)
    parser.add_argument("--times", type=int, default=3, help="how often each way is measured; the fastest counts")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        samples = Files(folder, folder)
        manager = given.manager or samples.manager("good")
        algorithms = given.algorithms or [samples.algorithm(f"script_{number}") for number in (1, 2, 3)]
        for path in (manager, *algorithms):
            examine_file(path)
        played = competition(manager.absolute(), [path.absolute() for path in algorithms], read_maps(given.maps), given.games)
        program = build_loop(folder)
        ways: list[tuple[str, Callable[[], Taken]]] = [
            ("plain C++ loop, one process", lambda: loop(played, program)),
            ("host program, a process a match", lambda: host(played)),
            ("runner, inline, one worker", lambda: runner(played, Isolation.INLINE, 1)),
            ("runner, inline, two workers", lambda: runner(played, Isolation.INLINE, 2)),
            ("runner, sandbox, one worker", lambda: runner(played, Isolation.SANDBOX, 1)),
            ("runner, sandbox, two workers", lambda: runner(played, Isolation.SANDBOX, 2)),
        ]
        best: dict[str, Taken] = {}
        for _, (title, way) in itertools.product(range(given.times), ways):
            taken = way()
            if title not in best or taken.seconds < best[title].seconds:
                best[title] = taken
    base = best[ways[0][0]]
    count = len(played.games)
    table = [
        (
            title,
            taken.rounds,
            f"{taken.seconds:.3f}",
            f"{taken.seconds / base.seconds:.2f}",
            f"{taken.cpu_seconds:.3f}",
            f"{taken.cpu_seconds / base.cpu_seconds:.2f}",
            f"{(taken.cpu_seconds - base.cpu_seconds) / count * 1e6:.0f}",
        )
        for title, taken in best.items()
    ]
    headers = ["", "rounds", "seconds", "times", "CPU s", "times", "CPU µs more a game"]
    print(render(headers, table))


if __name__ == "__main__":
    main()
