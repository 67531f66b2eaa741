"""What a sandbox costs a match, beside the same matches inline in the same run, and where its time goes.

    .venv/bin/python benchmarks/sandbox.py [--matches 200] [--games 420] [--runs 5]
    .venv/bin/python benchmarks/sandbox.py breakdown [--matches 200]
    .venv/bin/python benchmarks/sandbox.py processes [--matches 200]
    .venv/bin/python benchmarks/sandbox.py asking [--matches 15]

Short matches of the sample teams, and games of compiled files, which can also play together in one sandbox. One worker, its start
included. Wall time is what a user waits for; CPU time, of all processes, is the better measure on a busy machine.

``breakdown`` shows the parts of sandboxed matches instead: of Python teams, compiled files and programs. Below the line is what no
sandbox with a process for each team could save on this machine: the match itself, as it is inline, and what the kernel takes for
messages and processes. The rest is ours. A message is one between two bare Python processes that do nothing but write and read
messages as small as those of a match, on one core. A process is one of a cell's size that is forked, writes to as many pages as a
cell does, and ends. Neither is confined, and neither runs anybody's code, so a match can't take less.

``processes`` adds up the CPU time of short matches of Python teams by the processes that take it, and a cell's by what it does. It
says how much of what the kernel counted for all processes that is.

``asking`` shows what a round costs with teams and with the GameManager in cells, all at once or tank by tank, and what an ask takes
over an inline one. A manager in a cell costs one more message and its answer for each ask. The last column is a match that has
hardly any rounds: its cells.
"""

from __future__ import annotations

import itertools
import os
import select
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from measuring import children_of, medians_and_ratio, run, wall_seconds, with_cpu_seconds
from short_matches import all_plugins, build, compiled_matches, held, python_matches

from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.guard.cells.cell_client import CellClient
from tiltyard_simulator.guard.cells.cell_port import CellPort
from tiltyard_simulator.guard.cells.messages import Exited
from tiltyard_simulator.guard.cells.team_client import TeamClient
from tiltyard_simulator.guard.cells.zygote import PRELOADED, Zygote
from tiltyard_simulator.guard.confinement.kernel.process_status import cpu_clock, cpu_seconds
from tiltyard_simulator.guard.native_hosts import NativeHosts
from tiltyard_simulator.guard.programs.program_cell import ProgramCell
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import Limits
from tiltyard_simulator.match.spec import Holding, MapSource, MatchSpec
from tiltyard_simulator.output.tables import render
from tiltyard_simulator.play import attempt
from tiltyard_simulator.play.arena import Arena
from tiltyard_simulator.play.local_matches import run_matches

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.conftest import map_text
from tests.intake.making import TANK_PLUGIN
from tests.plugins.tanks_native.compiled import Files

WARM_UP = 12
ALL_CPU = "CPU time of all processes"
INLINE = "- the same match inline"
MESSAGES = "- messages, at the machine's own price"
PROCESSES = "- processes, at that price"
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

WHOLE = "a whole match"
RUNNER, TEMPLATES, CLERK, ZYGOTE = "the runner, with the GameManager", "templates, which fork cells", "the clerk", "the zygote"
ENDED: Final = "cells, ending"
CELL_PHASES: Final = ("cells, until they are ready", "cells, until their team is loaded", "cells, answering", ENDED)

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


LIMITS: Final = Limits(match_seconds=10_000)
MANAGERS: Final = {"reference": "at once", "info-at-once": "tank by tank"}
TANKS: Final = (1, 4, 20)
"""A player."""
SHORT, LONG = 10, 1010
"""Rounds of two matches whose difference is free of what it costs to begin one."""


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


Watch = Callable[[dict[str, float]], AbstractContextManager[None]]
"""Adds up seconds by what they were spent on, as long as matches are played inside."""


def milliseconds(specs: Sequence[MatchSpec], watch: Watch) -> dict[str, float]:
    """Milliseconds a match: what is watched, the whole match by the clock, and CPU time of the runner and of all processes."""

    def play(count: int) -> dict[str, float]:
        spent: dict[str, float] = defaultdict(float)
        with Arena(max(os.sched_getaffinity(0))) as arena:
            for spec in specs[:WARM_UP]:
                arena.play(spec)
            own, begun = time.process_time(), time.perf_counter()
            with watch(spent):
                for spec in specs[:count]:
                    arena.play(spec)
            spent[WHOLE], spent[RUNNER] = time.perf_counter() - begun, time.process_time() - own
        return spent

    # Once for what is done only once, such as compiling.
    play(0)
    _, before = with_cpu_seconds(lambda: play(0))
    spent, cpu = with_cpu_seconds(lambda: play(len(specs)))
    return {name: 1000 * value / len(specs) for name, value in {**spent, ALL_CPU: cpu - before}.items()}


@contextmanager
def parts_timed(floor: Floor, spent: dict[str, float]) -> Iterator[None]:
    """Add up the time that each of PARTS takes in this process, and what the machine asks for their messages and processes."""
    calls: dict[str, int] = defaultdict(int)

    def timed(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def timing(*arguments: Any, **options: Any) -> Any:
            begun = time.perf_counter()
            try:
                return call(*arguments, **options)
            finally:
                spent[name] += time.perf_counter() - begun
                calls[name] += 1

        return timing

    with ExitStack() as patches:
        for name, owner, function in PARTS:
            patches.enter_context(patch.object(owner, function, timed(name, getattr(owner, function))))
        yield
    spent[MESSAGES] = calls[QUESTIONS] * floor.exchange
    spent[PROCESSES] = calls[FORKED] * floor.cell


def breakdown(specs: Sequence[MatchSpec], floor: Floor, inline: Sequence[MatchSpec]) -> dict[str, float]:
    """Milliseconds a match of each part, beside the same matches inline, if they can be played so."""
    parts = milliseconds(specs, partial(parts_timed, floor))
    if inline:
        parts[INLINE] = milliseconds(inline, lambda spent: nullcontext())[ALL_CPU]
        parts[OURS] = parts[ALL_CPU] - parts[INLINE] - parts[MESSAGES] - parts[PROCESSES]
    return parts


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


@contextmanager
def processes_watched(spent: dict[str, float]) -> Iterator[None]:
    """Add up the CPU seconds of the processes that cells are forked from, and of each phase of the cells."""
    processes = guards()
    before = {process: cpu_seconds(cpu_clock(process)) or 0.0 for process in processes}
    with cells_watched(spent):
        yield
    for process, name in processes.items():
        spent[name] += (cpu_seconds(cpu_clock(process)) or before[process]) - before[process]


def program_matches(count: int, folder: Path) -> list[MatchSpec]:
    """Short matches of two robots that play Filler."""
    robot = str(build(folder, "robot", ROBOT) / "bot")
    return [held(all_plugins().match([robot, robot], "map00", None, "filler"), Isolation.SANDBOX)] * count


def show_breakdown(*, matches: int = 200) -> None:
    """Print what each kind of match spends where."""
    count, floor = matches, measure_floor()
    with tempfile.TemporaryDirectory() as folder:
        files = Files(Path(folder), Path(folder))
        natively = compiled_matches(count, files, Isolation.INLINE)
        kinds = {
            "Python": (python_matches(count, Isolation.SANDBOX), python_matches(count, Isolation.INLINE)),
            "compiled": (compiled_matches(count, files, Isolation.SANDBOX), natively),
            "together": (compiled_matches(count, files, Isolation.SANDBOX, together=True), natively),
            "programs": (program_matches(count, Path(folder)), []),
        }
        columns = {name: breakdown(specs, floor, inline) for name, (specs, inline) in kinds.items()}
    names = [WHOLE, *(name for name, *_ in PARTS if name != FORKED), RUNNER, ALL_CPU, INLINE, MESSAGES, PROCESSES, OURS]
    rows = [(name, *(f"{parts[name]:.2f}" if name in parts else "" for parts in columns.values())) for name in names]
    print(f"{count} matches of each kind, one worker, after {WARM_UP} others; milliseconds a match")
    prices = f"a message and its answer {1e6 * floor.exchange:.1f} µs of CPU time, a process {1e3 * floor.cell:.2f} ms"
    print(f"the machine's own prices: {prices}\n")
    print(render(("part", *columns), rows, align=("left", *["right"] * len(columns))))


def show_processes(*, matches: int = 200) -> None:
    """Print which processes take the CPU time of sandboxed matches."""
    spent = milliseconds(python_matches(matches, Isolation.SANDBOX), processes_watched)
    names = [RUNNER, *CELL_PHASES, TEMPLATES, CLERK, ZYGOTE]
    total = sum(spent[name] for name in names)
    rows = [(name, f"{spent[name]:.2f}", f"{spent[name] / total:.0%}") for name in names]
    print(f"{matches} short matches of Python teams, one worker, after {WARM_UP} others\n")
    print(render(("process", "CPU milliseconds a match", "share"), rows, align=("left", "right", "right")))
    print(f"\ntogether {total:.2f}; the kernel counted {spent[ALL_CPU]:.2f} for all processes: {total / spent[ALL_CPU]:.0%}")


def show_matches(*, matches: int = 200, games: int = 420, runs: int = 5) -> None:
    """Print what each kind of work takes inline and in a sandbox."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        compiled = partial(compiled_matches, files=Files(Path(folder), Path(folder)))
        kinds: dict[str, tuple[int, Callable[..., list[MatchSpec]], dict[str, bool]]] = {}
        kinds[f"{matches} short matches of Python teams"] = matches, python_matches, {}
        for name, number, steps in (("trivial", games, None), ("longer", LONG_GAMES, LONG_STEPS)):
            for words, together in (("", {}), (", together", {"together": True})):
                kinds[f"{number} {name} compiled games{words}"] = number, partial(compiled, steps=steps), together
        for name, (number, made, together) in kinds.items():
            inline, sandbox = made(number, isolation=Isolation.INLINE), made(number, isolation=Isolation.SANDBOX, **together)
            pairs = [(seconds(inline), seconds(sandbox)) for _ in range(runs)]
            one, other, wall = medians_and_ratio([(sandboxed[0], bare[0]) for bare, sandboxed in pairs])
            *_, cpu = medians_and_ratio([(sandboxed[1], bare[1]) for bare, sandboxed in pairs])
            rows.append((name, *(f"{value:.2f}" for value in (other, one, wall, cpu))))
    print(f"one worker, its start included; the median of {runs} runs\n")
    print(render(("work", "inline s", "sandbox s", "ratio", "ratio of CPU time"), rows))


def seconds(specs: Sequence[MatchSpec]) -> tuple[float, float]:
    """Seconds on the clock and of CPU time of all processes for playing matches, by the runner's own process."""
    return with_cpu_seconds(lambda: wall_seconds(lambda: run_matches(specs, 1)))


def show_asking(*, matches: int = 15) -> None:
    """Print what a round costs with teams and GameManagers in each place."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    holdings = [Holding(isolations=(place,) * 2, limits=(LIMITS,) * 2) for place in Isolation]
    holdings.append(replace(holdings[-1], manager_isolation=Isolation.SANDBOX, manager_limits=LIMITS))
    rows: list[tuple[str | int, ...]] = []
    with tempfile.TemporaryDirectory() as folder, Arena() as arena:
        team = Path(folder, "idle.py")
        team.write_text(TANK_PLUGIN.replace("NAME", "idle").replace("ActionRequest.SHOOT", "ActionRequest.DO_NOTHING"))
        for (manager, asked), tanks in itertools.product(MANAGERS.items(), TANKS):
            spec = all_plugins().match([str(team)] * 2, "back-yard", manager, "tanks")
            base = 0.0
            for holding in holdings:
                short, long = (fastest(arena, field(spec, tanks, rounds), holding, matches) for rounds in (SHORT, LONG))
                microseconds = 1e6 * (long - short) / (LONG - SHORT)
                base = base or microseconds
                over = (microseconds - base) / (2 if asked == "at once" else 2 * tanks)
                figures = (f"{microseconds:.0f}", f"{microseconds / base:.2f}", f"{over:.1f}", f"{1000 * short:.1f}")
                rows.append((asked, tanks, holding.isolations[0].value, holding.manager_isolation.value, *figures))
    headers = ("asked", "tanks", "teams", "manager", "µs a round", "ratio", "µs an ask over inline", f"match of {SHORT} rounds, ms")
    print(render(headers, rows, align=("left", "right", "left", "left", *["right"] * 4)))


def field(spec: MatchSpec, tanks: int, rounds: int) -> MatchSpec:
    """The match on a board with two columns of tanks."""
    board = map_text([" 1   2 "] * tanks, rounds, 5)
    return replace(spec, input=replace(spec.input, map=MapSource("field", board.encode())))


def fastest(arena: Arena, spec: MatchSpec, holding: Holding, matches: int) -> float:
    """Seconds of the fastest of several matches after a first one: what else the machine does only ever adds."""
    outcomes = [arena.play(replace(spec, holding=holding)).outcome for _ in range(1 + matches)][1:]
    for outcome in outcomes:
        if outcome.faults:
            raise SystemExit(outcome.message)
    return min(outcome.seconds for outcome in outcomes)


if __name__ == "__main__":
    run(__doc__, matches=show_matches, breakdown=show_breakdown, processes=show_processes, asking=show_asking)
