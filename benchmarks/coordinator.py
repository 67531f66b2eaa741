"""What the coordinator of a run spends on a match, however many matches there are.

    .venv/bin/python benchmarks/coordinator.py [MATCHES ...] [--cores 1000] [--seconds 1] [--through cluster]

It runs ``tiltyard run`` itself, with its schedule, store, event log, display and standings, over a cluster that isn't there:
matches take virtual time, and what comes of them was played before. The table has the coordinator's CPU time for a match and what
it was spent on, all in milliseconds, and its largest memory; at the given cores and match times the coordinator keeps up if
``matches a CPU second`` is more than cores / seconds. Each number is measured in a process of its own; the ratio is that of the
time for a match to the first number's.
"""

from __future__ import annotations

import argparse
import cProfile
import io
import pstats
import resource
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, cast
from unittest import mock

from measuring import command_line, with_cpu_seconds
from simulated_cluster import SIMULATION, Cores, SimulatedCluster, SimulatedWorkers, Stopwatch

from tiltyard_engine.formats import Field, Fixture
from tiltyard_engine.lifecycle import Observer, Publication, TournamentObserver
from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.registry import Reference, Registry
from tiltyard_engine.registry.registry import ALGORITHM, GAME, MANAGER
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import MatchInput, MatchSpec, Recording
from tiltyard_simulator.output.tables import render
from tiltyard_simulator.play.arena import Arena
from tiltyard_simulator.play.executor import Executor
from tiltyard_simulator.registry.finder import Finder
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_tournaments.cli.play import run as run_module
from tiltyard_tournaments.cli.tournament_options import TournamentOptions
from tiltyard_tournaments.formats.conditions import OneBatchFormat
from tiltyard_tournaments.formats.round_robin import RoundRobin, RoundRobinOptions
from tiltyard_tournaments.running.events.reporting import Reporter
from tiltyard_tournaments.running.schedule import Schedule
from tiltyard_tournaments.running.tournament import ConfiguredPlugin, Tournament
from tiltyard_tournaments.store import Store

MATCHES: Final = (10_000, 100_000)
MAPS: Final = ("back-yard", "narrow-pass", "open-field")
SAMPLES: Final = ("acorn", "bramble", "coyote")
PARTS: Final = ("schedule", "message", "store", "events", "tables", "rest")
_WORK: Final = {
    "schedule": ((Schedule, ("next_batch", "end_batch")),),
    "store": ((Store, ("add", "add_void", "add_incident", "ended_as", "keys", "set_fact")),),
    "events": ((Reporter, ("__call__",)),),
}
"""What is measured apart: the methods of the coordinator's parts."""


class FirstOf(OneBatchFormat):
    """The first fixtures of a round robin that has more."""

    def __init__(self, whole: RoundRobin, count: int) -> None:
        self._whole = whole
        self._count = count

    def fixtures(self) -> Iterator[Fixture]:
        return islice(self._whole.fixtures(), self._count)


class Terminal(io.StringIO):
    """Looks like a terminal, and keeps nothing."""

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        return len(text)


@dataclass(frozen=True)
class Figures:
    """What a run took."""

    matches: int
    cpu: float
    """Seconds, without the simulation's."""
    parts: dict[str, float]
    """The same by what it was spent on, as far as the main thread spent it."""
    megabytes: float
    """The most memory that the process had, and what it had before the run."""
    before: float
    virtual: float
    """Virtual seconds from the first match to the last."""
    used: float
    """The part of that in which cores were playing."""
    chunks: int


def tournament_of(count: int, teams: int, folder: Path, replays: bool, publication: Publication | None = None) -> Tournament:
    """A round robin of so many matches, of the sample team acorn under many names."""
    registry = Registry.installed()
    acorn = registry.find(ALGORITHM, SAMPLES[0]).reference
    names = tuple(f"team{number:04}" for number in range(teams))
    maps = tuple(Finder(registry).map(name, "tanks") for name in MAPS)
    games = -(-count // (teams * (teams - 1) * len(maps)))
    field = Field(teams=names, maps=MAPS, games=games)
    return Tournament(
        title="Simulated cup",
        game=registry.find(GAME, "tanks").reference,
        manager=registry.find(MANAGER, "reference").reference,
        teams=tuple(Reference(kind=acorn.kind, name=name, game=acorn.game, source=acorn.source) for name in names),
        maps=maps,
        format=FirstOf(RoundRobin(field, RoundRobinOptions()), count),
        format_name="round-robin",
        field=field,
        folder=folder,
        isolation_policy=IsolationPolicy(Isolation.INLINE),
        replays=replays,
        publication=publication or Publication(),
    )


def real_matches(tournament: Tournament) -> list[MatchRecord]:
    """Matches of the sample teams on each of the maps, really played."""
    registry = Registry.installed()
    teams = [registry.find(ALGORITHM, name).reference for name in SAMPLES]
    pairs = [(one, other) for one in teams for other in teams if one is not other]
    with Arena() as arena:
        return [
            arena.play(
                MatchSpec(
                    MatchInput(game=tournament.game, manager=tournament.manager, map=source, teams=pair),
                    recording=Recording(replay=True),
                )
            )
            for source in tournament.maps
            for pair in pairs
        ]


@contextmanager
def watched(watch: Stopwatch) -> Iterator[None]:
    """The coordinator's parts are measured inside."""
    patches = [
        mock.patch.object(owner, name, _plain_method(watch, what, getattr(owner, name)))
        for what, owners in _WORK.items()
        for owner, names in owners
        for name in names
    ]
    patches.append(mock.patch.object(run_module, "_show", watch.timed("tables", run_module._show)))
    for patch in patches:
        patch.start()
    try:
        yield
    finally:
        for patch in patches:
            patch.stop()


def _plain_method(watch: Stopwatch, what: str, method: Any) -> Any:
    def measured(self: Any, *arguments: Any, **named: Any) -> Any:
        watch.begin(what)
        try:
            return method(self, *arguments, **named)
        finally:
            watch.end()

    return measured


@dataclass(frozen=True)
class Simulation:
    """What is simulated."""

    matches: int
    teams: int
    cores: int
    seconds: float
    """Of a match."""
    through: str
    """``workers`` or ``cluster``: how matches are sent."""
    replays: bool
    terminal: bool
    profile: Path | None

    def run(self) -> Figures:
        """Run the command in this process."""
        with tempfile.TemporaryDirectory(prefix="tiltyard-coordinator-") as folder:
            tournament = tournament_of(self.matches, self.teams, Path(folder, "cup"), self.replays)
            observer = SimpleNamespace(name="nobody", load_as=lambda kind: Observer("nobody", lambda options: TournamentObserver()))
            tournament = replace(tournament, observers=(ConfiguredPlugin(cast(Reference, observer), None),))
            cores = Cores(count=self.cores, seconds=self.seconds, played=real_matches(tournament))
            before = most_megabytes()
            watch = Stopwatch()
            executor = SimulatedCluster(cores, watch) if self.through == "cluster" else SimulatedWorkers(cores, watch)
            profiler = cProfile.Profile() if self.profile else None
            started = time.process_time()
            with watched(watch), profiler or nullcontext():
                self._command(tournament, executor, Path(folder, "cup.jsonl"))
            spent = time.process_time() - started
            watch.begin("rest")
            if profiler is not None and self.profile is not None:
                profiler.dump_stats(self.profile)
                pstats.Stats(profiler).sort_stats("tottime").print_stats(45)
            simulation = watch.seconds.pop(SIMULATION)
            parts = {part: watch.seconds[part] for part in PARTS}
            parts["other threads"] = max(0.0, spent - simulation - sum(parts.values()))
            machines = getattr(executor, "machines", None)
            return Figures(
                matches=self.matches,
                cpu=spent - simulation,
                parts=parts,
                megabytes=most_megabytes(),
                before=before,
                virtual=cores.now,
                used=cores.busy / (cores.now * self.cores) if cores.now else 0.0,
                chunks=machines.asked if machines is not None else self.matches,
            )

    def _command(self, tournament: Tournament, executor: Executor, log: Path) -> None:
        """``tiltyard run``, given the tournament and what plays."""
        resolved = SimpleNamespace(tournament=tournament)
        options = cast(TournamentOptions, SimpleNamespace(resolve=lambda **options: resolved, file=Path("cup.yaml"), stage=None))
        shown = Terminal() if self.terminal else io.StringIO()
        with (
            mock.patch.object(run_module, "executor_for", return_value=nullcontext(executor)),
            redirect_stdout(io.StringIO()),
            redirect_stderr(shown),
        ):
            run_module.play_file(options, log=log)


def most_megabytes() -> float:
    """The most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def show_matches(options: argparse.Namespace) -> None:
    """Print what the coordinator spends on matches."""
    rows: list[tuple[str | int, ...]] = []
    base = 0.0
    for count in options.numbers or MATCHES:
        simulation = Simulation(
            matches=count,
            teams=options.teams,
            cores=options.cores,
            seconds=options.seconds,
            through=options.through,
            replays=not options.no_replays,
            terminal=options.terminal,
            profile=options.profile,
        )
        figures, _ = with_cpu_seconds(simulation.run)
        base = base or figures.cpu / count
        parts = [f"{1000 * seconds / count:.3f}" for seconds in figures.parts.values()]
        rows.append(
            (
                count,
                f"{1000 * figures.cpu / count:.3f}",
                f"{figures.cpu / count / base:.2f}",
                *parts,
                f"{count / figures.cpu:.0f}",
                f"{figures.megabytes:.0f}",
                f"{count / figures.chunks:.1f}",
                f"{100 * figures.used:.0f} %",
            )
        )
    print(f"{options.cores} cores, matches of {options.seconds:g} s, sent through {options.through}; CPU milliseconds a match\n")
    headers = ("matches", "all", "ratio", *PARTS, "threads", "matches a CPU second", "MB", "a message", "cores busy")
    print(render(headers, rows))


def main() -> None:
    """Measure and print."""
    parser = command_line(__doc__)
    parser.add_argument("numbers", type=int, nargs="*", metavar="NUMBER", help=f"numbers of matches (default: {MATCHES})")
    parser.add_argument("--teams", type=int, default=60, help="how many teams play them (60)")
    parser.add_argument("--cores", type=int, default=1000, help="how many matches are played at once (1000)")
    parser.add_argument("--seconds", type=float, default=1.0, help="what a match takes on average (1)")
    parser.add_argument("--through", choices=("workers", "cluster"), default="cluster", help="how matches are sent (cluster)")
    parser.add_argument("--no-replays", action="store_true", help="matches record no replay")
    parser.add_argument("--terminal", action="store_true", help="the screen is a terminal with a live table")
    parser.add_argument("--profile", type=Path, metavar="FILE", help="print what takes longest, and write all of it to FILE")
    show_matches(parser.parse_args())


if __name__ == "__main__":
    main()
