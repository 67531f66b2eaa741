"""What the coordinator of a run spends on a match, however many matches there are.

    .venv/bin/python benchmarks/coordinator.py [MATCHES ...] [--cores 1000] [--seconds 1] [--through cluster]

It runs ``tiltyard run`` itself, with its schedule, store, event log, display and standings, over a cluster that isn't there:
matches take virtual time, and what comes of them was played before. The table has the coordinator's CPU time for a match and what
it was spent on, all in milliseconds, and its largest memory; at the given cores and match times the coordinator keeps up if
``matches a CPU second`` is more than cores / seconds. Each number is measured in a process of its own; the ratio is that of the
time for a match to the first number's.
"""

from __future__ import annotations

import cProfile
import io
import pstats
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack, nullcontext, redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, Literal, NamedTuple
from unittest import mock

from measuring import most_megabytes, run, with_cpu_seconds
from simulated_cluster import SIMULATION, Cores, SimulatedCluster, SimulatedWorkers, Stopwatch, real_matches, tournament_of

from tiltyard_simulator.output.tables import render
from tiltyard_tournaments.cli import run as run_module
from tiltyard_tournaments.running.events.reporting import Reporter
from tiltyard_tournaments.running.schedule import Schedule
from tiltyard_tournaments.store import Store

Executors = Literal["workers", "cluster"]
PARTS: Final = ("schedule", "message", "store", "events", "tables", "rest", "threads")
WORK: Final[Sequence[tuple[str, Any, str]]] = (
    *(("schedule", Schedule, name) for name in ("next_batch", "end_batch")),
    *(("store", Store, name) for name in ("add", "add_void", "add_incident", "ended_as", "keys", "set_fact")),
    ("events", Reporter, "__call__"),
    ("tables", run_module, "_show"),
)
"""What is measured apart: the functions of the coordinator's parts."""


class Simulation(NamedTuple):
    """What is simulated."""

    matches: int
    teams: int
    cores: int
    """How many matches are played at once."""
    seconds: float
    """What a match takes on average."""
    through: Executors
    """How matches are sent."""
    profile: str
    """A file that is written with what takes longest; empty: none."""


def simulate(options: Simulation) -> dict[str, float]:
    """Run the command in this process: CPU seconds of each part without the simulation's, its memory, and how busy cores were."""
    with tempfile.TemporaryDirectory(prefix="tiltyard-coordinator-") as folder, ExitStack() as inside:
        tournament = tournament_of(options.matches, options.teams, Path(folder, "cup"))
        cores = Cores(count=options.cores, seconds=options.seconds, played=real_matches(tournament))
        watch = Stopwatch()
        executor = SimulatedCluster(cores, watch) if options.through == "cluster" else SimulatedWorkers(cores, watch)
        resolved = SimpleNamespace(tournament=tournament)
        given: Any = SimpleNamespace(resolve=lambda **named: resolved, file=Path("cup.yaml"), stage=None)
        inside.enter_context(mock.patch.object(run_module, "executor_for", return_value=nullcontext(executor)))
        for what, owner, name in WORK:
            inside.enter_context(mock.patch.object(owner, name, watch.timed(what, getattr(owner, name))))
        for redirect in (redirect_stdout, redirect_stderr):
            inside.enter_context(redirect(io.StringIO()))
        profiler = inside.enter_context(cProfile.Profile()) if options.profile else None
        started = time.process_time()
        run_module.play_file(given, log=Path(folder, "cup.jsonl"))
        spent = time.process_time() - started
        watch.charge()
    if profiler is not None:
        profiler.dump_stats(options.profile)
        pstats.Stats(profiler).sort_stats("tottime").print_stats(45)
    spent -= watch.seconds.pop(SIMULATION)
    watch.seconds["threads"] = max(0.0, spent - sum(watch.seconds.values()))
    chunks = executor.machines.asked if isinstance(executor, SimulatedCluster) else options.matches
    busy = cores.busy / (cores.now * cores.count)
    return {**watch.seconds, "all": spent, "megabytes": most_megabytes(), "busy": busy, "chunks": chunks}


def main(
    numbers: tuple[int, ...] = (10_000, 100_000),
    *,
    teams: int = 60,
    cores: int = 1000,
    seconds: float = 1.0,
    through: Executors = "cluster",
    profile: str = "",
) -> None:
    """Measure and print."""
    rows: list[tuple[str | int, ...]] = []
    base = 0.0
    for count in numbers:
        simulation = Simulation(count, teams, cores, seconds, through, profile)
        figures, _ = with_cpu_seconds(partial(simulate, simulation))
        base = base or figures["all"] / count
        parts = [f"{1000 * figures[part] / count:.3f}" for part in ("all", *PARTS)]
        parts.insert(1, f"{figures['all'] / count / base:.2f}")
        others = (f"{count / figures['all']:.0f}", f"{figures['megabytes']:.0f}", f"{count / figures['chunks']:.1f}")
        rows.append((count, *parts, *others, f"{figures['busy']:.0%}"))
    print(f"{cores} cores, matches of {seconds:g} s, sent through {through}; CPU milliseconds a match\n")
    headers = ("matches", "all", "ratio", *PARTS, "matches a CPU second", "MB", "a message", "cores busy")
    print(render(headers, rows))


if __name__ == "__main__":
    run(__doc__, main=main)
