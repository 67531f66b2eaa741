"""A cluster that isn't there, for coordinator.py and sites.py: cores that play matches of a large tournament in virtual time.

What comes of a match is that of one which was really played before, replay included, so that what the coordinator reads, keeps and
tells is as large as it would be. All that is spent here is counted as "simulation" and isn't the coordinator's.
"""

from __future__ import annotations

import heapq
import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import wraps
from itertools import islice, permutations
from pathlib import Path
from types import SimpleNamespace
from typing import Final, ParamSpec, TypeVar, cast

import zstandard
from short_matches import all_plugins

from tiltyard_cluster.executor import ClusterExecutor
from tiltyard_cluster.machine import Machine, MachineEvent, MachineState, MachineTask
from tiltyard_cluster.machines import LOOK_SECONDS, Machines
from tiltyard_cluster.messages import ENCODER as CHUNK_ENCODER
from tiltyard_cluster.messages import MachineRequirements, PlayedChunk
from tiltyard_cluster.session import Session
from tiltyard_engine.formats import Field, Fixture
from tiltyard_engine.lifecycle import Publication
from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.registry import Reference
from tiltyard_engine.registry.registry import ALGORITHM
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import MatchSpec, Recording
from tiltyard_simulator.play.arena import Arena
from tiltyard_simulator.play.executor import Ended
from tiltyard_simulator.play.worker_messages import ANSWERS, ENCODER, Played
from tiltyard_simulator.play.worker_messages import Task as WorkerTask
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_tournaments.formats.conditions import OneBatchFormat
from tiltyard_tournaments.formats.round_robin import RoundRobin, RoundRobinOptions
from tiltyard_tournaments.running.tournament import Tournament

SIMULATION: Final = "simulation"
MAPS: Final = ("back-yard", "narrow-pass", "open-field")
SAMPLES: Final = ("acorn", "bramble", "coyote")
THREADS: Final = 16
"""Cores of a simulated machine."""
P = ParamSpec("P")
T = TypeVar("T")


class FirstOf(OneBatchFormat):
    """The first fixtures of a round robin that has more."""

    def __init__(self, whole: RoundRobin, count: int) -> None:
        self._whole = whole
        self._count = count

    def fixtures(self) -> Iterator[Fixture]:
        return islice(self._whole.fixtures(), self._count)


def tournament_of(count: int, teams: int, folder: Path, publication: Publication | None = None) -> Tournament:
    """A round robin of so many matches, of the sample team acorn under many names."""
    finder = all_plugins()
    acorn = finder.plugin(SAMPLES[0], ALGORITHM)
    names = tuple(f"team{number:04}" for number in range(teams))
    maps = tuple(finder.map(name, "tanks") for name in MAPS)
    games = -(-count // (teams * (teams - 1) * len(maps)))
    field = Field(teams=names, maps=MAPS, games=games)
    return Tournament(
        title="Simulated cup",
        game=finder.game("tanks"),
        manager=finder.manager("tanks", "reference"),
        teams=tuple(Reference(kind=acorn.kind, name=name, game=acorn.game, source=acorn.source) for name in names),
        maps=maps,
        format=FirstOf(RoundRobin(field, RoundRobinOptions()), count),
        format_name="round-robin",
        field=field,
        folder=folder,
        isolation_policy=IsolationPolicy(Isolation.INLINE),
        replays=True,
        publication=publication or Publication(),
    )


def real_matches(tournament: Tournament) -> list[MatchRecord]:
    """Matches of the sample teams on each of the maps, really played."""
    finder = all_plugins()
    specs = [finder.match(pair, each.name, None, "tanks") for each in tournament.maps for pair in permutations(SAMPLES, 2)]
    with Arena() as arena:
        return [arena.play(replace(spec, recording=Recording(replay=True))) for spec in specs]


class Stopwatch:
    """CPU seconds of this thread by what they were spent on. Work inside other work counts for itself alone."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._stack = ["rest"]
        self._last = time.thread_time()

    @contextmanager
    def on(self, what: str) -> Iterator[None]:
        """Everything inside is spent on this."""
        self.charge()
        self._stack.append(what)
        try:
            yield
        finally:
            self.charge()
            self._stack.pop()

    def timed(self, what: str, work: Callable[P, T]) -> Callable[P, T]:
        """The same function, whose time is spent on this."""

        @wraps(work)
        def watched(*arguments: P.args, **named: P.kwargs) -> T:
            with self.on(what):
                return work(*arguments, **named)

        return watched

    def charge(self) -> None:
        """Count the time until now for what it was spent on."""
        now = time.thread_time()
        self.seconds[self._stack[-1]] += now - self._last
        self._last = now


@dataclass(slots=True, kw_only=True)
class Cores:
    """When matches end, and what comes of them.

    Args:
        count: how many are played at once.
        seconds: of virtual time that a match takes on average; each takes half to one and a half of it.
        played: records of real matches; those of a map are taken for the matches on it.
    """

    count: int
    seconds: float
    played: Sequence[MatchRecord]
    now: float = 0.0
    """Virtual seconds since the start."""
    busy: float = 0.0
    """Virtual seconds that cores were playing, added up."""
    chance: random.Random = field(default_factory=lambda: random.Random(1))

    def takes(self) -> float:
        """Virtual seconds of the next match."""
        seconds = self.seconds * self.chance.uniform(0.5, 1.5)
        self.busy += seconds
        return seconds

    def record(self, spec: MatchSpec, seconds: float) -> MatchRecord:
        """What came of a match."""
        record = self.chance.choice([each for each in self.played if each.outcome.map == spec.input.map.name])
        evidence = record.evidence if spec.recording.replay else replace(record.evidence, replay=b"")
        return MatchRecord(outcome=replace(spec.label(record.outcome), seconds=seconds), evidence=evidence)


class SimulatedWorkers:
    """As the executor of local match workers: a message to a worker and one back for each match."""

    def __init__(self, cores: Cores, watch: Stopwatch) -> None:
        self._cores = cores
        self._watch = watch
        self._playing: list[tuple[float, int, MatchSpec, float]] = []
        """A heap of when matches end."""

    def begin(self, preload: Iterable[Reference] = ()) -> None:
        """There is nothing to start."""

    @property
    def room(self) -> int:
        """Cores that play nothing."""
        return self._cores.count - len(self._playing)

    @property
    def is_busy(self) -> bool:
        """Whether any plays."""
        return bool(self._playing)

    def submit(self, spec: MatchSpec) -> None:
        """Play it, from the present virtual second on."""
        watch, cores = self._watch, self._cores
        with watch.on("message"):
            ENCODER.encode(WorkerTask(spec, None))
        with watch.on(SIMULATION):
            seconds = cores.takes()
            heapq.heappush(self._playing, (cores.now + seconds, spec.place.number, spec, seconds))

    def poll(self, timeout: float) -> list[Ended]:
        """The match that ends next."""
        watch, cores = self._watch, self._cores
        with watch.on(SIMULATION):
            cores.now, _, spec, seconds = heapq.heappop(self._playing)
            data = ENCODER.encode(Played(cores.record(spec, seconds)))
        with watch.on("message"):
            return [(spec, cast(Played, ANSWERS.decode(data)).record)]

    def abandon(self) -> None:
        """Forget all."""
        self._playing.clear()


class SimulatedSession(Session):
    """In place of one with Dask's scheduler: what is submitted is played by the simulated machines."""

    def __init__(self, play: Callable[[MachineTask], None]) -> None:
        super().__init__(SimpleNamespace(status="running", scheduler=SimpleNamespace(address="tcp://simulated")))
        self._play = play

    def submit(self, task: MachineTask, data: bytes, key: str) -> None:
        """Dask would send it, and the client's thread would wait for the answer."""
        self._play(task)

    def cancel(self, tasks: Sequence[MachineTask]) -> None:
        """There is nothing to cancel."""

    def look(self) -> None:
        """Nobody comes and nobody goes."""

    def answer(self, task: MachineTask, data: bytes) -> None:
        """The next answer."""
        self._answers.put((task, data))


class SimulatedMachines(Machines):
    """Machines of a cluster without Dask: chunks are really written, and answers read."""

    def __init__(self, cores: Cores, watch: Stopwatch) -> None:
        wanted = MachineRequirements("", "", {}, (), {}, "", {})
        session = SimulatedSession(self._play)
        super().__init__(session, wanted, lambda line: None)
        self._simulated = session
        self._cores = cores
        self._watch = watch
        self.asked = 0
        """Chunks handed out."""
        self._free: dict[str, list[float]] = {}
        """When each core of a machine has nothing more to do."""
        self._ends: list[tuple[float, int, MachineTask, list[float]]] = []
        for number in range(max(1, cores.count // THREADS)):
            machine = Machine(address=f"tcp://simulated-{number}", threads=min(THREADS, cores.count), state=MachineState.READY)
            self._by_address[machine.address] = machine
            self._free[machine.address] = [0.0] * machine.threads
            self._weigh(machine)

    def _play(self, task: MachineTask) -> None:
        with self._watch.on(SIMULATION):
            free = self._free[task.machine.address]
            seconds = [self._cores.takes() for _ in task.chunk]
            ends = max(heapq.heappop(free), self._cores.now) + sum(seconds)
            heapq.heappush(free, ends)
            heapq.heappush(self._ends, (ends, self.asked, task, seconds))
            self.asked += 1

    def step(self, patience: float = LOOK_SECONDS) -> Iterator[MachineEvent]:
        """As that of the base class; the next answer is there at once."""
        with self._watch.on(SIMULATION):
            self._cores.now, _, task, seconds = heapq.heappop(self._ends)
            records = [self._cores.record(pending.spec, taken) for pending, taken in zip(task.chunk, seconds, strict=True)]
            data = zstandard.ZstdCompressor().compress(CHUNK_ENCODER.encode(PlayedChunk(tuple(records))))
            self._simulated.answer(task, data)
        yield from super().step(patience)


class SimulatedCluster(ClusterExecutor):
    """The executor of a Dask cluster, over simulated machines."""

    def __init__(self, cores: Cores, watch: Stopwatch) -> None:
        self.machines = SimulatedMachines(cores, watch)
        super().__init__(self.machines)
        self._watch = watch

    def submit(self, spec: MatchSpec) -> None:
        """As that of the base class, and timed."""
        with self._watch.on("message"):
            super().submit(spec)

    def poll(self, timeout: float) -> list[Ended]:
        """As that of the base class, and timed."""
        with self._watch.on("message"):
            return super().poll(timeout)
