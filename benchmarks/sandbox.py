"""What a sandbox costs a match, beside the same matches inline in the same run, and where its time goes.

    .venv/bin/python benchmarks/sandbox.py [--matches 200] [--runs 5] [--breakdown]

Two kinds of matches: short ones of the sample teams, and trivial games of compiled files. One worker, its start included. Wall
time is what a user waits for; CPU time, of all processes, is the better measure on a busy machine. ``--breakdown`` shows the parts
of one sandboxed match instead, with templates and without.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from measuring import command_line, with_cpu_seconds
from native import SHIPPED, competition, read_maps, runner
from tabulate import tabulate
from workers import play as play_matches
from workers import schedule

from tiltyard_simulator.guard.cell_pool import TEMPLATES_VARIABLE, CellPool
from tiltyard_simulator.guard.cells.held_cell import HeldCell
from tiltyard_simulator.guard.cells.zygote import Zygote
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.play import arena
from tiltyard_simulator.play.arena import Arena

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.plugins.tanks_native.compiled import Files

WARM_UP = 12
PARTS = (
    ("cells taken", CellPool, "take"),
    ("cells forked", Zygote, "finish_fork"),
    ("cells ready", HeldCell, "wait_until_ready"),
    ("questions and answers", HeldCell, "exchange"),
    ("the GameManager's run, all of these included", arena, "run_manager"),
    ("cells ended, and the next ones ordered", CellPool, "end_match"),
)
"""What is timed: a name for people, and the function. A part that calls another one contains it."""


def python_matches(count: int) -> Callable[[Isolation], object]:
    """Short matches of the sample teams."""
    return lambda isolation: play_matches(schedule(count, isolation), 1).wall


def compiled_matches(count: int, files: Files) -> Callable[[Isolation], object]:
    """Trivial games of compiled files."""
    algorithms = [files.algorithm(f"script_{number}") for number in (1, 2, 3)]
    played = competition(files.manager("good"), algorithms, read_maps(SHIPPED), count)
    return lambda isolation: runner(played, isolation, 1)


def compare(play: Callable[[Isolation], object], runs: int) -> tuple[float, float, float, float]:
    """Medians of inline's and the sandbox's wall seconds, and of the ratios of wall and of CPU time; taken in turns."""
    pairs = []
    for _ in range(runs):
        taken = []
        for isolation in (Isolation.INLINE, Isolation.SANDBOX):
            begun = time.perf_counter()
            _, cpu = with_cpu_seconds(lambda held=isolation: play(held))  # type: ignore[misc]
            taken.append((time.perf_counter() - begun, cpu))
        pairs.append(taken)
    wall = statistics.median(sandbox[0] / inline[0] for inline, sandbox in pairs)
    cpu = statistics.median(sandbox[1] / inline[1] for inline, sandbox in pairs)
    return statistics.median(each[0][0] for each in pairs), statistics.median(each[1][0] for each in pairs), wall, cpu


@contextmanager
def timed(spent: dict[str, float]) -> Iterator[None]:
    """Add up the time that each of PARTS takes in this process."""

    def wrap(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def timing(*arguments: Any, **options: Any) -> Any:
            begun = time.perf_counter()
            try:
                return call(*arguments, **options)
            finally:
                spent[name] += time.perf_counter() - begun

        return timing

    patches = [patch.object(owner, function, wrap(name, getattr(owner, function))) for name, owner, function in PARTS]
    for each in patches:
        each.start()
    try:
        yield
    finally:
        for each in patches:
            each.stop()


def breakdown(specs: Sequence[MatchSpec], templates: bool) -> dict[str, float]:
    """Milliseconds a match of each part."""
    spent: dict[str, float] = defaultdict(float)
    with patch.dict(os.environ, {TEMPLATES_VARIABLE: "on" if templates else "off"}), Arena() as played:
        for spec in specs[:WARM_UP]:
            played.play(spec)
        own = time.process_time()
        begun = time.perf_counter()
        with timed(spent):
            for spec in specs:
                played.play(spec)
        spent["a whole match"] = time.perf_counter() - begun
        spent["CPU time of the runner itself"] = time.process_time() - own
    return {name: 1000 * value / len(specs) for name, value in spent.items()}


def main() -> None:
    """Measure and print."""
    parser = command_line(__doc__)
    parser.add_argument("--matches", type=int, default=200)
    parser.add_argument("--games", type=int, default=420, help="of compiled files")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--breakdown", action="store_true")
    options = parser.parse_args()
    if options.breakdown:
        specs = schedule(options.matches, Isolation.SANDBOX)
        found = [breakdown(specs, templates) for templates in (True, False)]
        rows = [(name, *(f"{each.get(name, 0.0):.2f}" for each in found)) for name in sorted({*found[0], *found[1]})]
        print(f"{options.matches} matches of the sample teams, one worker; milliseconds a match\n")
        print(tabulate(rows, ("part", "templates", "without"), disable_numparse=True, colalign=("left", "right", "right")))
        return
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        files = Files(Path(folder), Path(folder))
        for name, play in (
            (f"{options.matches} short matches of Python teams", python_matches(options.matches)),
            (f"{options.games} trivial compiled games", compiled_matches(options.games, files)),
        ):
            inline, sandbox, wall, cpu = compare(play, options.runs)
            rows.append((name, f"{inline:.2f}", f"{sandbox:.2f}", f"{wall:.2f}", f"{cpu:.2f}"))
    print(f"one worker, its start included; the median of {options.runs} runs\n")
    print(tabulate(rows, ("work", "inline s", "sandbox s", "ratio", "ratio of CPU time"), disable_numparse=True))


if __name__ == "__main__":
    main()
