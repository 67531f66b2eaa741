"""What the coordinator of a run spends on a match, and on its site, however many matches there are.

    .venv/bin/python benchmarks/coordinator.py [MATCHES ...] [--cores 1000] [--seconds 1] [--through cluster]
    .venv/bin/python benchmarks/coordinator.py sites [GAMES ...] [--teams 150] [--turns 200]

The first runs ``tiltyard run`` itself, with its schedule, store, event log, display and standings, over a cluster that isn't
there: matches take virtual time, and what comes of them was played before. The table has the coordinator's CPU time for a match and
what it was spent on, all in milliseconds, and its largest memory; at the given cores and match times the coordinator keeps up if
``matches a CPU second`` is more than cores / seconds.

``sites`` plays such a tournament, publishes it twice, and makes its pages as ``tiltyard serve`` does: how these grow with the
number of games, how large the first page is, and how large the site is beside the store. With ``--turns`` the replays are of made
games with so many turns, a board, notes and a panel. Times are CPU seconds. Each number is measured in a process of its own; the
ratio is that of the time for a match to the first number's.
"""

from __future__ import annotations

import argparse
import cProfile
import io
import pstats
import random
import re
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, cast
from unittest import mock

from measuring import command_line, with_cpu_seconds, words_with_part
from simulated_cluster import SIMULATION, Cores, SimulatedCluster, SimulatedWorkers, Stopwatch

from tiltyard_engine.formats import Field, Fixture
from tiltyard_engine.lifecycle import Observer, Publication, TournamentObserver
from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.registry import Reference, Registry
from tiltyard_engine.registry.registry import ALGORITHM, GAME, MANAGER
from tiltyard_engine.replay import Frame, Replay
from tiltyard_engine.replay.panels import TextPanel
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import MatchInput, MatchSpec, Recording
from tiltyard_simulator.output.tables import render
from tiltyard_simulator.play.arena import Arena
from tiltyard_simulator.play.executor import Executor
from tiltyard_simulator.registry.finder import Finder
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_simulator.replays.files import pack
from tiltyard_site.live.live_site import LiveSite
from tiltyard_site.publication.publisher import publish_site
from tiltyard_tournaments.cli.play import run as run_module
from tiltyard_tournaments.cli.tournament_options import TournamentOptions
from tiltyard_tournaments.formats.conditions import OneBatchFormat
from tiltyard_tournaments.formats.round_robin import RoundRobin, RoundRobinOptions
from tiltyard_tournaments.publishers.results import tournament_results
from tiltyard_tournaments.running.events.reporting import Reporter
from tiltyard_tournaments.running.run import run_tournament
from tiltyard_tournaments.running.schedule import Schedule, follow
from tiltyard_tournaments.running.tournament import ConfiguredPlugin, Tournament, open_store, store_for_run
from tiltyard_tournaments.store import Store

MATCHES: Final = (10_000, 100_000)
GAMES: Final = (1_000, 10_000)
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


def made_replay(number: int, turns: int, side: int = 20) -> Replay:
    """A game in which two players paint the squares that they walk over; each of its turns has notes and a panel."""
    chance = random.Random(number)
    seats = ("team 01", "team 02")
    replay = Replay(game="paint", width=side, height=side, squares=(" ",) * side**2, seats=seats, title="a field")
    steps = {"right": 1, "left": -1, "down": side, "up": -side}
    places, scores = [0, side**2 - 1], [0, 0]
    for turn in range(1, turns + 1):
        changes: dict[int, str] = {}
        actions, notes = [], []
        for seat in (0, 1):
            action = chance.choice(list(steps))
            changes[places[seat]] = "ab"[seat]
            places[seat] = (places[seat] + steps[action]) % side**2
            changes[places[seat]] = "AB"[seat]
            scores[seat] += chance.random() < 0.3
            actions.append(action)
            notes.append(f"player {seat + 1} goes {action} to {places[seat]} and has {scores[seat]} points")
        lines = [f"{name}  {score:4} points  {turn:4} turns" for name, score in zip(seats, scores, strict=True)]
        frame = Frame(
            tuple(sorted(changes.items())), tuple(actions), tuple(map(float, scores)), tuple(notes), (TextPanel("Table", lines),)
        )
        replay.frames.append(frame)
    return replay


def with_made_replays(records: list[MatchRecord], turns: int) -> list[MatchRecord]:
    """Many records with replays of so many turns, so that hardly two games of a site have the same."""
    return [
        replace(record, evidence=replace(record.evidence, replay=pack(made_replay(number, turns))))
        for number, record in enumerate(records * 10)
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
        options = cast(TournamentOptions, SimpleNamespace(resolve=lambda quiet: resolved, file=Path("cup.yaml")))
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


@dataclass(frozen=True)
class SiteFigures:
    """What a site takes, in CPU seconds and bytes."""

    published: float
    again: float
    live: float
    """The first edition of a live site."""
    news: float
    """To hear of one more game."""
    games_page: float
    """To make the list of games with it, where somebody looks at that."""
    first_page: float
    """To make the first page with it."""
    index: int
    nodes: int
    """Elements of the first page."""
    largest: tuple[int, str]
    size: int
    """Of all its files."""
    files: int
    store: int
    """Bytes of the store."""
    megabytes: float


def _seconds(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def _publish(tournament: Tournament) -> None:
    with open_store(tournament) as store, redirect_stdout(io.StringIO()):
        publish_site(tournament_results(tournament, follow(tournament, store.ended_as), lambda: nullcontext(store)))


def measure_site(games: int, teams: int, turns: int) -> SiteFigures:
    """Play, publish and serve in this process."""
    with tempfile.TemporaryDirectory(prefix="tiltyard-site-") as folder:
        tournament = tournament_of(games, teams, Path(folder), replays=True, publication=Publication(folder=Path("site")))
        played = real_matches(tournament)
        played = with_made_replays(played, turns) if turns else played
        executor = SimulatedWorkers(Cores(count=100, seconds=1.0, played=played), Stopwatch())
        with store_for_run(tournament) as store:
            schedule = run_tournament(tournament, store, executor, lambda event: None)
            published, again = (_seconds(partial(_publish, tournament)) for _ in range(2))
            last = schedule.matches[-1]
            stored = store.match(last.place.key)
            assert stored is not None
            store.remove(last.place.key)
            live_site: list[LiveSite] = []
            live = _seconds(lambda: live_site.append(LiveSite(lambda: tournament)))
            store.add(last.place.key, stored.spec, stored.record)
            site = live_site[0]
            news = _seconds(site.bring_up_to_date)
            # Pages would hear of it after the edition before has rested.
            site._edition = site._newest
            games_page = _seconds(lambda: site.file("data/games.js"))
            first_page = _seconds(lambda: site.file("index.html"))
        sizes = [path.stat().st_size for path in Path(folder, "site").rglob("*") if path.is_file()]
        store_size = sum(path.stat().st_size for path in Path(folder).glob("*") if path.is_file())
        pages = {path.name: path.stat().st_size for path in Path(folder, "site").glob("*.html")}
        page = Path(folder, "site", "index.html").read_text(encoding="utf-8")
        nodes = len(re.findall(r"<[a-z]", page))
        largest = max((size, name) for name, size in pages.items())
        seconds = (published, again, live, news, games_page, first_page)
        return SiteFigures(*seconds, pages["index.html"], nodes, largest, sum(sizes), len(sizes), store_size, most_megabytes())


def show_sites(options: argparse.Namespace) -> None:
    """Print what sites take."""
    rows: list[tuple[str | int, ...]] = []
    base = 0.0
    for games in options.numbers or GAMES:
        site, _ = with_cpu_seconds(partial(measure_site, games, options.teams, options.turns))
        base = base or site.published / games
        times = [f"{each:.2f}" for each in (site.published, site.again, site.live, site.news, site.games_page, site.first_page)]
        times.insert(1, f"{site.published / games / base:.2f}")
        first = f"{site.index / 1000:.0f} kB, {site.nodes} elements"
        largest = f"{site.largest[0] / 1000:.0f} kB, {site.largest[1]}"
        whole = f"{site.size / 1e6:.1f} MB in {site.files} files"
        ratio = f"{site.size / site.store:.2f} of {site.store / 1e6:.1f} MB"
        rows.append((games, *times, first, largest, whole, ratio, f"{site.megabytes:.0f}"))
    live = ("serve s", "one more game s", "its list s", "its page s")
    print(
        render(
            ("games", "publish s", "a game, ratio", "again s", *live, "first page", "largest page", "site", "of the store", "MB"),
            rows,
        )
    )


def main() -> None:
    """Measure one part and print it."""
    parser = command_line(__doc__)
    parts = parser.add_subparsers(required=True)
    matches = parts.add_parser("matches", help="the coordinator of a run")
    matches.add_argument("--cores", type=int, default=1000, help="how many matches are played at once (1000)")
    matches.add_argument("--seconds", type=float, default=1.0, help="what a match takes on average (1)")
    matches.add_argument("--through", choices=("workers", "cluster"), default="cluster", help="how matches are sent (cluster)")
    matches.add_argument("--no-replays", action="store_true", help="matches record no replay")
    matches.add_argument("--terminal", action="store_true", help="the screen is a terminal with a live table")
    matches.add_argument("--profile", type=Path, metavar="FILE", help="print what takes longest, and write all of it to FILE")
    sites = parts.add_parser("sites", help="publishing and serving")
    sites.add_argument("--turns", type=int, default=0, help="made replays with so many turns (those of sample games)")
    for part, show, numbers, teams in ((matches, show_matches, MATCHES, 60), (sites, show_sites, GAMES, 150)):
        part.add_argument("numbers", type=int, nargs="*", metavar="NUMBER", help=f"numbers of matches (default: {numbers})")
        part.add_argument("--teams", type=int, default=teams, help=f"how many teams play them ({teams})")
        part.set_defaults(show=show)
    options = parser.parse_args(words_with_part(parts.choices, "matches"))
    options.show(options)


if __name__ == "__main__":
    main()
