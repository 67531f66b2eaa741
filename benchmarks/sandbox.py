"""What a sandbox costs a match, beside the same matches inline in the same run, and where its time goes.

    .venv/bin/python benchmarks/sandbox.py [--matches 200] [--games 420] [--runs 5]
    .venv/bin/python benchmarks/sandbox.py breakdown [--matches 200]
    .venv/bin/python benchmarks/sandbox.py processes [--matches 200]
    .venv/bin/python benchmarks/sandbox.py floor

Short matches of the sample teams, and games of compiled files, which can also play together in one sandbox. One worker, its start
included. Wall time is what a user waits for; CPU time, of all processes, is the better measure on a busy machine.

``breakdown`` shows the parts of sandboxed matches instead: of Python teams, compiled files and programs. Below the line is what no
sandbox with a process for each team could save on this machine: the match itself, as it is inline, and what the kernel takes for
messages and processes. The rest is ours.

``processes`` adds up the CPU time of short matches of Python teams by the processes that take it, and a cell's by what it does. It
says how much of what the kernel counted for all processes that is.

``floor`` prints these two prices of the machine alone. A message is one between two bare Python processes that do nothing but write
and read messages as small as those of a match, on one core. A process is one of a cell's size that is forked, writes to as many
pages as a cell does, and ends. Neither is confined, and neither runs anybody's code, so a match can't take less.
"""

from __future__ import annotations

import argparse
import os
import select
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeAlias
from unittest.mock import patch

from measuring import command_line, with_cpu_seconds, words_with_part
from native import SHIPPED, competition, read_maps, runner, specs_of
from programs import build
from workers import play as play_matches
from workers import schedule

from tiltyard_engine.registry import Registry, Selection
from tiltyard_engine.registry.lookup import choose
from tiltyard_engine.registry.registry import ALGORITHM, GAME, MANAGER
from tiltyard_simulator.guard.cell_pool import TEMPLATES_VARIABLE, CellPool
from tiltyard_simulator.guard.cells.cell_client import CellClient
from tiltyard_simulator.guard.cells.cell_port import CellPort
from tiltyard_simulator.guard.cells.messages import Exited
from tiltyard_simulator.guard.cells.team_client import TeamClient
from tiltyard_simulator.guard.cells.zygote import PRELOADED, Zygote
from tiltyard_simulator.guard.confinement.kernel.process_status import cpu_clock, cpu_seconds
from tiltyard_simulator.guard.native_hosts import NativeHosts
from tiltyard_simulator.guard.programs.program_cell import ProgramCell
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.own_distributions import OWN_DISTRIBUTIONS
from tiltyard_simulator.match.spec import Holding, MatchInput, MatchSpec
from tiltyard_simulator.output.tables import render
from tiltyard_simulator.play import attempt
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
    ("the GameManager's run", attempt, "run_manager"),
    ("one sandbox's match", NativeHosts, "play"),
    ("the next match's cells begun", CellPool, "prepare_next"),
    ("cells ended", CellPool, "end_match"),
    (FORKED, Zygote, "begin_fork"),
)
"""What is timed: a name for people, and the function. A part that calls another one contains it: the GameManager's run contains the
questions, and the first question the wait for its cell."""

RUNNER, TEMPLATES, CLERK, ZYGOTE = "the runner, with the GameManager", "templates, which fork cells", "the clerk", "the zygote"
ENDED: Final = "cells, ending"
CELL_PHASES: Final = ("cells, until they are ready", "cells, until their team is loaded", "cells, answering", ENDED)

Work: TypeAlias = Callable[[], object]
FLOOR_ROUNDS: Final = 5
EXCHANGES: Final = 20_000
FORKS: Final = 50
QUESTION: Final = b"q" * 120
ANSWER: Final = b"a" * 30
"""Typical sizes, in bytes, of what a tank is shown and answers."""
PAGES: Final = 480
"""How many pages the kernel copied or mapped for a cell of the sample teams: its minor page faults."""
IMPORTED: Final = ("tiltyard_simulator.guard.zygote_main", *PRELOADED, "tiltyard_tanks.plugin")
"""What a zygote has imported."""
FORKING: Final = """
import ctypes, gc, importlib, mmap, os, sys
pages, forks, *names = sys.argv[1:]
for name in names:
    importlib.import_module(name)
touched = range(0, int(pages) * mmap.PAGESIZE, mmap.PAGESIZE)
memory = mmap.mmap(-1, max(len(touched), 1) * mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
for place in touched:
    memory[place] = 1
gc.collect()
gc.freeze()
library = ctypes.PyDLL(None)
for _ in range(int(forks)):
    if library.fork() == 0:
        for place in touched:
            memory[place] = 2
        os._exit(0)
    os.wait()
"""


@dataclass(frozen=True)
class Floor:
    """CPU seconds of all processes."""

    exchange: float
    """A question and its answer."""
    cell: float
    """A process: forked, its pages touched, ended."""


def measure_floor() -> Floor:
    """The least of some rounds: other processes can only add to it."""
    exchange = min(_more(_exchange, EXCHANGES) for _ in range(FLOOR_ROUNDS))
    return Floor(exchange, min(_more(_fork, FORKS) for _ in range(FLOOR_ROUNDS)))


def _more(work: Callable[[int], None], count: int) -> float:
    """What doing something ``count`` times takes each time, without what beginning takes."""
    _, none = with_cpu_seconds(lambda: work(0))
    _, all_of_them = with_cpu_seconds(lambda: work(count))
    return (all_of_them - none) / count


def _exchange(count: int) -> None:
    """As a host and a cell do it, without anything around it."""
    with suppress(OSError):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    (questions, ask), (answers, answer) = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ask)
        while os.read(questions, 4096):
            os.write(answer, ANSWER)
        os._exit(0)
    os.close(questions)
    poller = select.poll()
    poller.register(answers, select.POLLIN)
    for _ in range(count):
        os.write(ask, QUESTION)
        poller.poll(1000)
        os.read(answers, 4096)
    os.close(ask)
    os.waitpid(child, 0)


def _fork(count: int) -> None:
    subprocess.run([sys.executable, "-c", FORKING, str(PAGES), str(count), *IMPORTED], check=True)


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


@contextmanager
def cells_watched(phases: dict[str, float]) -> Iterator[None]:
    """Add up the CPU seconds of each phase of the cells that end meanwhile."""
    clocks: dict[int, list[float]] = defaultdict(list)
    wait_until_ready, begin, kill, report = TeamClient.wait_until_ready, CellPort.begin, TeamClient.kill, Zygote._report

    def note(cell: CellClient) -> None:
        with suppress(OSError):
            clocks[cell.process.number].append(time.clock_gettime(cell._clock))

    def waiting(cell: TeamClient) -> None:
        is_new = not cell._clock
        wait_until_ready(cell)
        if is_new:
            note(cell)

    def beginning(port: CellPort, request: Any) -> None:
        begin(port, request)
        note(port.cell)

    def killing(cell: CellClient, cores: Collection[int] = ()) -> None:
        if len(clocks[cell.process.number]) == CELL_PHASES.index(ENDED) - 1:
            note(cell)
        kill(cell, cores)

    def reporting(zygote: Zygote, seconds: float) -> Any:
        heard = report(zygote, seconds)
        if isinstance(heard, Exited) and (times := clocks.pop(heard.cell, None)):
            for name, before, after in zip(CELL_PHASES, [0.0, *times], [*times, heard.cpu_seconds]):
                phases[name] += after - before
        return heard

    with (
        patch.object(TeamClient, "wait_until_ready", waiting),
        patch.object(CellPort, "begin", beginning),
        patch.object(TeamClient, "kill", killing),
        patch.object(Zygote, "_report", reporting),
    ):
        yield


def guards() -> dict[int, str]:
    """The processes that this one's cells are forked from, by what they do."""
    below = children_of(os.getpid())
    for process in below:
        below += children_of(process)
    zygote = max(below, key=lambda process: len(children_of(process)))
    clerk, *templates = children_of(zygote)
    return {zygote: ZYGOTE, clerk: CLERK, **dict.fromkeys(templates, TEMPLATES)}


def children_of(process: int) -> list[int]:
    """The oldest first; none of a process that has ended."""
    with suppress(FileNotFoundError, ProcessLookupError):
        return [int(word) for word in Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii").split()]
    return []


def by_process(specs: Sequence[MatchSpec]) -> dict[str, float]:
    """CPU milliseconds a match of each kind of process, and of all as the kernel counts them."""

    def play(count: int) -> dict[str, float]:
        spent: dict[str, float] = defaultdict(float)
        with Arena(max(os.sched_getaffinity(0))) as played:
            for spec in specs[:WARM_UP]:
                played.play(spec)
            processes = guards()
            before = {process: cpu_seconds(cpu_clock(process)) or 0.0 for process in processes}
            own = time.process_time()
            with cells_watched(spent):
                for number in range(count):
                    played.play(specs[number % len(specs)])
            spent[RUNNER] = time.process_time() - own
            for process, name in processes.items():
                spent[name] += (cpu_seconds(cpu_clock(process)) or before[process]) - before[process]
        return spent

    play(0)
    _, before = with_cpu_seconds(lambda: play(0))
    spent, cpu = with_cpu_seconds(lambda: play(len(specs)))
    return {name: 1000 * value / len(specs) for name, value in {**spent, ALL_CPU: cpu - before}.items()}


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
    program = build(folder, "robot", ROBOT) / "bot"
    registry = Registry.installed(Selection(only=frozenset(["filler"])), own=OWN_DISTRIBUTIONS)
    game = registry.find(GAME, "filler").reference
    team = choose(str(program), ALGORITHM, registry, "filler")
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


def show_floor(options: argparse.Namespace) -> None:
    """Print the machine's own prices."""
    floor = measure_floor()
    rows = [("a question and its answer", f"{1e6 * floor.exchange:.1f}"), ("a process of a cell's size", f"{1e6 * floor.cell:.1f}")]
    print(f"CPU time of all processes; the least of {FLOOR_ROUNDS} rounds\n")
    print(render(("what the machine asks", "microseconds"), rows, align=("left", "right")))


def show_breakdown(options: argparse.Namespace) -> None:
    """Print what each kind of match spends where."""
    with tempfile.TemporaryDirectory() as folder:
        _show_breakdown(options.matches, Files(Path(folder), Path(folder)))


def _show_breakdown(matches: int, files: Files) -> None:
    algorithms = [files.algorithm(f"script_{number}") for number in (1, 2, 3)]
    compiled = competition(files.manager("good"), algorithms, read_maps(SHIPPED), matches)
    python = schedule(matches, Isolation.SANDBOX)
    floor = measure_floor()
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
    print(render(("part", *found), rows, align=("left", *["right"] * len(found))))


def show_processes(options: argparse.Namespace) -> None:
    """Print which processes take the CPU time of sandboxed matches."""
    found = by_process(schedule(options.matches, Isolation.SANDBOX))
    names = [RUNNER, *CELL_PHASES, TEMPLATES, CLERK, ZYGOTE]
    known = sum(found[name] for name in names)
    rows = [(name, f"{found[name]:.2f}", f"{found[name] / known:.0%}") for name in names]
    print(f"{options.matches} short matches of Python teams, one worker, after {WARM_UP} others\n")
    print(render(("process", "CPU milliseconds a match", "share"), rows, align=("left", "right", "right")))
    print(f"\ntogether {known:.2f}; the kernel counted {found[ALL_CPU]:.2f} for all processes: {known / found[ALL_CPU]:.0%}")


def show_matches(options: argparse.Namespace) -> None:
    """Print what each kind of work takes inline and in a sandbox."""
    with tempfile.TemporaryDirectory() as folder:
        files = Files(Path(folder), Path(folder))
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
    print(render(("work", "inline s", "sandbox s", "ratio", "ratio of CPU time"), rows))


def main() -> None:
    """Measure one part and print it."""
    parser = command_line(__doc__)
    parts = parser.add_subparsers(required=True)
    matches = parts.add_parser("matches", help="whole runs")
    matches.add_argument("--games", type=int, default=420, help="of compiled files (420)")
    matches.add_argument("--runs", type=int, default=5, help="of each kind of work (5)")
    matches.set_defaults(show=show_matches)
    breakdown_part = parts.add_parser("breakdown", help="where the time of a match goes")
    breakdown_part.set_defaults(show=show_breakdown)
    processes_part = parts.add_parser("processes", help="which processes take the CPU time of Python teams' matches")
    processes_part.set_defaults(show=show_processes)
    for part in (matches, breakdown_part, processes_part):
        part.add_argument("--matches", type=int, default=200, help="of each kind (200)")
    parts.add_parser("floor", help="what the machine asks for messages and processes").set_defaults(show=show_floor)
    options = parser.parse_args(words_with_part(parts.choices, "matches"))
    options.show(options)


if __name__ == "__main__":
    main()
