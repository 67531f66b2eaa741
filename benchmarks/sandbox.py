"""What a sandbox costs a match, beside the same matches inline in the same run, and where its time goes.

    .venv/bin/python benchmarks/sandbox.py [--matches 200] [--runs 5] [--breakdown]

Short matches of the sample teams, and games of compiled files, which can also play together in one sandbox. One worker, its start
included. Wall time is what a user waits for; CPU time, of all processes, is the better measure on a busy machine. ``--breakdown``
shows the parts of sandboxed matches instead: of Python teams, compiled files and programs. Below the line is what no sandbox with
a process for each team could save on this machine: the match itself, as it is inline, and what the kernel takes for messages and
processes (``floor.py``). The rest is ours.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias
from unittest.mock import patch

from floor import Floor, measure
from measuring import command_line, with_cpu_seconds
from native import SHIPPED, competition, read_maps, runner, specs_of
from tabulate import tabulate
from workers import play as play_matches
from workers import schedule

from tiltyard_engine.registry import Registry, Selection
from tiltyard_engine.registry.lookup import choose
from tiltyard_engine.registry.registry import ALGORITHM, GAME, MANAGER
from tiltyard_simulator.guard.cell_pool import TEMPLATES_VARIABLE, CellPool
from tiltyard_simulator.guard.cells.team_client import TeamClient
from tiltyard_simulator.guard.cells.zygote import Zygote
from tiltyard_simulator.guard.native_hosts import NativeHosts
from tiltyard_simulator.guard.programs.program_cell import ProgramCell
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.own_distributions import OWN_DISTRIBUTIONS
from tiltyard_simulator.match.spec import Holding, MatchInput, MatchSpec
from tiltyard_simulator.play import arena
from tiltyard_simulator.play.arena import Arena
from tiltyard_simulator.registry.finder import Finder
from tiltyard_tanks.maps import TankMap

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.plugins.tanks_native.compiled import Files

WARM_UP = 12
ALL_CPU = "CPU time of all processes"
INLINE = "- the same match inline"
MESSAGES = "- messages, at the machine's own price"
PROCESSES = "- processes, likewise"
OURS = "- the rest"
LONG_GAMES = 60
LONG_STEPS = 1000
ROBOT = """\
#include <stdio.h>
int main(void) {
    char line[4096];
    setvbuf(stdout, 0, _IONBF, 0);
    while (fgets(line, sizeof line, stdin))
        if (sscanf(line, "Piece %*d %d", &(int){0}) == 1) puts("0 0");
}
"""
"""Answers each piece with a place that is not allowed, so that a game is short."""
QUESTIONS = "questions and answers of cells"
FORKED = "processes asked for"
PARTS = (
    ("cells ordered", CellPool, "order"),
    ("cells waited for", TeamClient, "wait_until_ready"),
    (QUESTIONS, TeamClient, "exchange"),
    ("waiting for programs", ProgramCell, "wait"),
    ("the GameManager's run", arena, "run_manager"),
    ("one sandbox's match", NativeHosts, "play"),
    ("the next match's cells begun", CellPool, "prepare_next"),
    ("cells ended", CellPool, "end_match"),
    (FORKED, Zygote, "begin_fork"),
)
"""What is timed: a name for people, and the function. A part that calls another one contains it: the GameManager's run contains the
questions, and the first question the wait for its cell."""


Work: TypeAlias = Callable[[], object]


def python_matches(count: int) -> tuple[Work, Work]:
    """Short matches of the sample teams: inline, and each in a cell."""
    inline, sandbox = schedule(count, Isolation.INLINE), schedule(count, Isolation.SANDBOX)
    return lambda: play_matches(inline, 1), lambda: play_matches(sandbox, 1)


def compiled_matches(count: int, files: Files, maps: Sequence[TankMap], *, together: bool = False) -> tuple[Work, Work]:
    """Games of compiled files: inline, and in cells or together in one."""
    algorithms = [files.algorithm(f"script_{number}") for number in (1, 2, 3)]
    played = competition(files.manager("good"), algorithms, maps, count)
    return lambda: runner(played, Isolation.INLINE, 1), lambda: runner(played, Isolation.SANDBOX, 1, together=together)


def compare(works: tuple[Work, Work], runs: int) -> tuple[float, float, float, float]:
    """Medians of inline's and the sandbox's wall seconds, and of the ratios of wall and of CPU time; taken in turns."""
    pairs = []
    for _ in range(runs):
        taken = []
        for work in works:
            begun = time.perf_counter()
            _, cpu = with_cpu_seconds(work)
            taken.append((time.perf_counter() - begun, cpu))
        pairs.append(taken)
    wall = statistics.median(sandbox[0] / inline[0] for inline, sandbox in pairs)
    cpu = statistics.median(sandbox[1] / inline[1] for inline, sandbox in pairs)
    return statistics.median(each[0][0] for each in pairs), statistics.median(each[1][0] for each in pairs), wall, cpu


@contextmanager
def timed(spent: dict[str, float], calls: dict[str, int]) -> Iterator[None]:
    """Add up the time that each of PARTS takes in this process, and count the calls."""

    def wrap(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def timing(*arguments: Any, **options: Any) -> Any:
            begun = time.perf_counter()
            try:
                return call(*arguments, **options)
            finally:
                spent[name] += time.perf_counter() - begun
                calls[name] += 1

        return timing

    patches = [patch.object(owner, function, wrap(name, getattr(owner, function))) for name, owner, function in PARTS]
    for each in patches:
        each.start()
    try:
        yield
    finally:
        for each in patches:
            each.stop()


def breakdown(specs: Sequence[MatchSpec], floor: Floor, inline: float | None, *, templates: bool = True) -> dict[str, float]:
    """Milliseconds a match of each part.

    Args:
        specs: the matches.
        floor: what the machine asks for messages and processes.
        inline: CPU milliseconds of the same match inline, if it can be played so.
        templates: whether there are any.
    """
    calls: dict[str, int] = defaultdict(int)

    def play(count: int) -> dict[str, float]:
        spent: dict[str, float] = defaultdict(float)
        with (
            patch.dict(os.environ, {TEMPLATES_VARIABLE: "on" if templates else "off"}),
            Arena(max(os.sched_getaffinity(0))) as played,
        ):
            for spec in specs[:WARM_UP]:
                played.play(spec)
            own = time.process_time()
            begun = time.perf_counter()
            with timed(spent, calls):
                for number in range(count):
                    played.play(specs[number % len(specs)])
            spent["a whole match"] = time.perf_counter() - begun
            spent["CPU time of the runner itself"] = time.process_time() - own
            spent[MESSAGES] = calls[QUESTIONS] * floor.exchange
            spent[PROCESSES] = calls[FORKED] * floor.cell
        return spent

    # Once for what is done only once, such as compiling.
    play(0)
    _, before = with_cpu_seconds(lambda: play(0))
    spent, cpu = with_cpu_seconds(lambda: play(len(specs)))
    found = {name: 1000 * value / len(specs) for name, value in {**spent, ALL_CPU: cpu - before}.items()}
    if inline is not None:
        found[INLINE] = inline
        found[OURS] = found[ALL_CPU] - inline - found[MESSAGES] - found[PROCESSES]
    return found


def inline_milliseconds(specs: Sequence[MatchSpec]) -> float:
    """CPU time of a match inline."""

    def play(count: int) -> None:
        with Arena(max(os.sched_getaffinity(0))) as played:
            for spec in (*specs[:WARM_UP], *specs[:count]):
                played.play(spec)

    play(0)
    _, before = with_cpu_seconds(lambda: play(0))
    _, cpu = with_cpu_seconds(lambda: play(len(specs)))
    return 1000 * (cpu - before) / len(specs)


def program_matches(count: int, folder: Path) -> list[MatchSpec]:
    """Short matches of two robots that play Filler."""
    (folder / "robot.c").write_text(ROBOT)
    subprocess.run([shutil.which("cc") or "cc", "-w", str(folder / "robot.c"), "-o", str(folder / "robot")], check=True)
    registry = Registry.installed(Selection(only=frozenset(["filler"])), own=OWN_DISTRIBUTIONS)
    game = registry.find(GAME, "filler").reference
    team = choose(str(folder / "robot"), ALGORITHM, registry, "filler")
    spec = MatchSpec(
        MatchInput(
            game=game,
            manager=next(entry.reference for entry in registry.all(MANAGER, "filler")),
            map=Finder(registry).map("map00", "filler"),
            teams=(team, team),
        ),
        holding=Holding(isolations=(Isolation.SANDBOX, Isolation.SANDBOX)),
    )
    return [spec] * count


def show_breakdown(matches: int, files: Files) -> None:
    """Print what each kind of match spends where."""
    algorithms = [files.algorithm(f"script_{number}") for number in (1, 2, 3)]
    compiled = competition(files.manager("good"), algorithms, read_maps(SHIPPED), matches)
    python = schedule(matches, Isolation.SANDBOX)
    floor = measure()
    inline = inline_milliseconds(schedule(matches, Isolation.INLINE))
    natively = inline_milliseconds(specs_of(compiled, Isolation.INLINE))
    found = {
        "Python": breakdown(python, floor, inline),
        "without templates": breakdown(python, floor, inline, templates=False),
        "compiled": breakdown(specs_of(compiled, Isolation.SANDBOX), floor, natively),
        "together": breakdown(specs_of(compiled, Isolation.SANDBOX, together=True), floor, natively),
        "programs": breakdown(program_matches(matches, files.folder), floor, None),
    }
    parts_named = [name for name, *_ in PARTS if name != FORKED]
    names = ["a whole match", *parts_named, "CPU time of the runner itself", ALL_CPU, INLINE, MESSAGES, PROCESSES, OURS]
    rows = [(name, *(f"{parts[name]:.2f}" if name in parts else "" for parts in found.values())) for name in names]
    print(f"{matches} matches of each kind, one worker, after {WARM_UP} others; milliseconds a match")
    prices = f"a message and its answer {1e6 * floor.exchange:.1f} µs of CPU time, a process {1e3 * floor.cell:.2f} ms"
    print(f"the machine's own prices: {prices}\n")
    print(tabulate(rows, ("part", *found), disable_numparse=True, colalign=("left", *["right"] * len(found))))


def main() -> None:
    """Measure and print."""
    parser = command_line(__doc__)
    parser.add_argument("--matches", type=int, default=200)
    parser.add_argument("--games", type=int, default=420, help="of compiled files")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--breakdown", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = Files(Path(folder), Path(folder))
        if options.breakdown:
            show_breakdown(options.matches, files)
            return
        maps = read_maps(SHIPPED)
        long = [replace(each, max_steps=LONG_STEPS, num_shells=LONG_STEPS) for each in maps]
        rows = []
        for name, works in (
            (f"{options.matches} short matches of Python teams", python_matches(options.matches)),
            (f"{options.games} trivial compiled games", compiled_matches(options.games, files, maps)),
            (f"{options.games} trivial compiled games, together", compiled_matches(options.games, files, maps, together=True)),
            (f"{LONG_GAMES} longer compiled games", compiled_matches(LONG_GAMES, files, long)),
            (f"{LONG_GAMES} longer compiled games, together", compiled_matches(LONG_GAMES, files, long, together=True)),
        ):
            inline, sandbox, wall, cpu = compare(works, options.runs)
            rows.append((name, f"{inline:.2f}", f"{sandbox:.2f}", f"{wall:.2f}", f"{cpu:.2f}"))
    print(f"one worker, its start included; the median of {options.runs} runs\n")
    print(tabulate(rows, ("work", "inline s", "sandbox s", "ratio", "ratio of CPU time"), disable_numparse=True))


if __name__ == "__main__":
    main()
