"""How much faster two match workers are than one, on many short matches; start-up of the workers is counted.

    .venv/bin/python benchmarks/workers.py [MATCHES]

Prints, for teams held inline and in cells, the seconds of both and their ratio, measured in turns so that a machine that
slows down slows both: the median of three rounds. The columns after the ratio say what it is made of: CPU seconds of all processes
with one worker and with two, of the coordinator alone, and the clock's seconds until each worker's first match began. On a machine
with other work to do, they tell more than the ratio.
"""

from __future__ import annotations

import socket
import statistics
import time
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial

from measuring import command_line, medians_and_ratio, with_cpu_seconds

from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import ALGORITHM, MANAGER
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.key import players_of
from tiltyard_simulator.match.spec import MatchInput, MatchSpec
from tiltyard_simulator.output.tables import render
from tiltyard_simulator.play.executors import local_executor
from tiltyard_simulator.play.workers import WorkerExecutor
from tiltyard_simulator.registry.finder import Finder

MATCHES = 200
ROUNDS = 3
MAPS = ("back-yard", "narrow-pass", "open-field")
TEAMS = (("coyote", "bramble"), ("bramble", "acorn"), ("acorn", "coyote"))


def schedule(count: int, isolation: Isolation) -> list[MatchSpec]:
    """So many matches of the sample teams on the smaller shipped maps."""
    registry = Registry.installed()
    manager = registry.find(MANAGER, "reference").reference
    game = Finder(registry).game(manager.game)
    maps = [Finder(registry).map(name, game.name) for name in MAPS]
    specs = [
        MatchSpec(
            MatchInput(
                game=game,
                manager=manager,
                map=source,
                teams=(registry.find(ALGORITHM, one).reference, registry.find(ALGORITHM, two).reference),
            )
        )
        for source in maps
        for one, two in TEAMS
    ]
    held = [replace(spec, holding=replace(spec.holding, isolations=(isolation, isolation))) for spec in specs]
    return [held[number % len(held)] for number in range(count)]


@dataclass(slots=True, kw_only=True)
class Took:
    """What a schedule took."""

    wall: float
    cpu: float = 0.0
    """CPU seconds of all processes."""
    coordinator: float
    """CPU seconds of this process."""
    begun: tuple[float, ...] = ()
    """The clock's seconds until each worker's first match began."""


@dataclass(slots=True, kw_only=True)
class Noted(WorkerExecutor):
    """Notes when each worker gets its first match."""

    began: float = field(default_factory=time.perf_counter)
    first: dict[int, float] = field(default_factory=dict)

    def _hand_out(self) -> None:
        WorkerExecutor._hand_out(self)
        for worker in self._workers.values():
            if worker.begun is not None:
                self.first.setdefault(worker.process.pid, time.perf_counter() - self.began)

    def end(self) -> None:
        """Let the workers end by themselves: of killed ones, and of their cells, the kernel wouldn't add up all CPU time."""
        for worker in self._workers.values():
            worker.channel.shutdown(socket.SHUT_WR)
            worker.process.wait()


def play(specs: list[MatchSpec], workers: int) -> Took:
    """Play the whole schedule. One worker is the runner's own process."""
    wall, cpu = time.perf_counter(), time.process_time()
    noted = closing(Noted(workers=workers)) if workers > 1 else None
    with noted or local_executor(workers) as executor:
        placed = (spec.at(place) for place, spec in enumerate(specs))
        # As a run does it: without the teams' names, a worker would need another zygote for the first team that is new to it.
        for _ in executor.play(placed, preload=players_of(specs)):
            pass
        found = Took(wall=time.perf_counter() - wall, coordinator=time.process_time() - cpu)
        if isinstance(executor, Noted):
            found.begun = tuple(sorted(executor.first.values()))
            executor.end()
    return found


def took(specs: list[MatchSpec], workers: int) -> Took:
    """The same in a process of its own, whose CPU time and that of its children the kernel adds up."""
    found, cpu = with_cpu_seconds(partial(play, specs, workers))
    return replace(found, cpu=cpu)


def main() -> None:
    """Measure and print."""
    parser = command_line(__doc__)
    parser.add_argument("matches", type=int, nargs="?", default=MATCHES)
    count = parser.parse_args().matches
    rows: list[tuple[str | float, ...]] = []
    for isolation in (Isolation.INLINE, Isolation.SANDBOX):
        specs = schedule(count, isolation)
        pairs = [(took(specs, 1), took(specs, 2)) for _ in range(ROUNDS)]
        one, two, ratio = medians_and_ratio([(alone.wall, both.wall) for alone, both in pairs])
        cpu = [statistics.median(values) for values in zip(*[(alone.cpu, both.cpu, both.coordinator) for alone, both in pairs])]
        begun = " and ".join(f"{seconds:.2f}" for seconds in pairs[-1][1].begun)
        rows.append((isolation.value, *(f"{value:.2f}" for value in (one, two, ratio, *cpu)), begun))
    print(f"{count} matches, the median of {ROUNDS} rounds\n")
    headers = ("held", "1 worker s", "2 workers s", "ratio", "CPU of 1", "CPU of 2", "of the coordinator", "first matches began")
    print(render(headers, rows))


if __name__ == "__main__":
    main()
