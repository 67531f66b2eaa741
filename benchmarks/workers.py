"""What match workers gain and cost: two of them beside one, one that was killed, and two of a Dask cluster beside two local ones.

    .venv/bin/python benchmarks/workers.py [MATCHES]
    .venv/bin/python benchmarks/workers.py killed [--kills 20]
    .venv/bin/python benchmarks/workers.py cluster [MATCHES]
    .venv/bin/python benchmarks/workers.py messages [MESSAGES]

The first compares many short matches by one worker and by two, for teams held inline and in cells; start-up of the workers is
counted. The columns after the ratio say what it is made of: CPU seconds of all processes with one worker and with two, of the
coordinator alone, and the clock's seconds until each worker's first match began. On a machine with other work to do, they tell more
than the ratio.

``killed``: how long a dead worker is missed, from kill -9 to the new worker's first message, and to the end of its first match.
Target: the new worker is ready within 0.5 s. For comparison, an empty Python is started in the same run.

``cluster``: the same matches by two Dask workers of this machine, which are started before the clock: theirs is a matter of seconds
a tournament. ``messages``: what Dask spends on a message to a worker and back, for tasks of a chunk's size, some at a time: CPU
milliseconds of the coordinator's process, of the scheduler, and of the worker. With matches of a second, a cluster of a thousand
cores would need a thousand messages a second if each had one match. The ratio is to the same bytes through a pipe.

Whatever is compared is measured in turns, so that a machine that slows down slows both: the median of three rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any, Final

from measuring import command_line, medians_and_ratio, with_cpu_seconds, words_with_part

from tiltyard_cluster import session
from tiltyard_cluster.connection import Tls
from tiltyard_cluster.executor import cluster_executor, machine_requirements
from tiltyard_cluster.machine import Machine, MachineTask, TaskKind
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import ALGORITHM, MANAGER
from tiltyard_simulator.guard.confinement import probe_confinement
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.key import players_of
from tiltyard_simulator.match.spec import Holding, MapSource, MatchInput, MatchSpec, Recording
from tiltyard_simulator.output.tables import render
from tiltyard_simulator.play.executor import Executor, play_all
from tiltyard_simulator.play.local_matches import local_executor
from tiltyard_simulator.play.workers import WorkerExecutor
from tiltyard_simulator.registry.finder import Finder

ROUNDS: Final = 3
WORKERS: Final = 2
MAPS: Final = ("back-yard", "narrow-pass", "open-field")
TEAMS: Final = (("coyote", "bramble"), ("bramble", "acorn"), ("acorn", "coyote"))
TARGET: Final = 0.5
SHORT: Final = b"short\nMaxSteps = 6\nNumShells = 2\nRows = 3\nCols = 10\n##########\n#1      2#\n##########\n"
AHEAD: Final = 20
"""Messages that are out at a time."""
CHUNK: Final = b"x" * 6_000
PATIENCE: Final = 60.0
END_SECONDS: Final = 10.0
"""After which a Dask process is killed that was told to end."""
TICK: Final = os.sysconf("SC_CLK_TCK")


def schedule(number: int, isolation: Isolation, *, record: bool = False) -> list[MatchSpec]:
    """So many matches of the sample teams on the smaller shipped maps, with replays if they are to be recorded."""
    registry = Registry.installed()
    manager = registry.find(MANAGER, "reference").reference
    finder = Finder(registry)
    game = finder.game(manager.game)
    teams = {name: registry.find(ALGORITHM, name).reference for pair in TEAMS for name in pair}
    specs = [
        MatchSpec(
            MatchInput(game=game, manager=manager, map=finder.map(name, game.name), teams=(teams[one], teams[two])),
            Holding(isolations=(isolation, isolation)),
            Recording(replay=record),
        )
        for name in MAPS
        for one, two in TEAMS
    ]
    return [specs[place % len(specs)] for place in range(number)]


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
            if worker.running is not None:
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
        for _ in play_all(placed, executor, preload=players_of(specs)):
            pass
        result = Took(wall=time.perf_counter() - wall, coordinator=time.process_time() - cpu)
        if isinstance(executor, Noted):
            result.begun = tuple(sorted(executor.first.values()))
            executor.end()
    return result


def took(specs: list[MatchSpec], workers: int) -> Took:
    """Play it in a process of its own, whose CPU time and that of its children the kernel adds up."""
    result, cpu = with_cpu_seconds(partial(play, specs, workers))
    return replace(result, cpu=cpu)


def show_local(options: argparse.Namespace) -> None:
    """Print what a second worker gains."""
    rows: list[tuple[str | float, ...]] = []
    for isolation in (Isolation.INLINE, Isolation.SANDBOX):
        specs = schedule(options.matches, isolation)
        pairs = [(took(specs, 1), took(specs, 2)) for _ in range(ROUNDS)]
        one, two, ratio = medians_and_ratio([(alone.wall, both.wall) for alone, both in pairs])
        cpu = [statistics.median(values) for values in zip(*[(alone.cpu, both.cpu, both.coordinator) for alone, both in pairs])]
        begun = " and ".join(f"{seconds:.2f}" for seconds in pairs[-1][1].begun)
        rows.append((isolation.value, *(f"{value:.2f}" for value in (one, two, ratio, *cpu)), begun))
    print(f"{options.matches} matches, the median of {ROUNDS} rounds\n")
    headers = ("held", "1 worker s", "2 workers s", "ratio", "CPU of 1", "CPU of 2", "of the coordinator", "first matches began")
    print(render(headers, rows))


def empty_python() -> float:
    """Seconds of an empty Python."""
    started = time.perf_counter()
    subprocess.run([sys.executable, "-I", "-c", "pass"], check=True)
    return time.perf_counter() - started


class Watched(WorkerExecutor):
    """Kills its worker as soon as that has the next match."""

    kill_soon = False
    killed = 0.0
    ready = 0.0

    def _hand_out(self) -> None:
        super()._hand_out()
        if any(worker.ready for worker in self._workers.values()):
            self.ready = time.perf_counter()
        for worker in self._workers.values():
            if self.kill_soon and worker.running is not None:
                self.kill_soon = False
                os.kill(worker.process.pid, signal.SIGKILL)
                self.killed = time.perf_counter()


def replaced(kills: int) -> tuple[list[float], list[float]]:
    """Seconds to the new worker's readiness, and to the end of the match that was lost."""
    ready: list[float] = []
    ended: list[float] = []
    executor = Watched(workers=1)
    match = schedule(1, Isolation.SANDBOX)[0]
    match = replace(match, input=replace(match.input, map=MapSource("short", SHORT)))
    with closing(executor), closing(play_all((match.at(place) for place in range(2 * kills)), executor)) as records:
        for record in records:
            if record.outcome.incidents:
                ended.append(time.perf_counter() - executor.killed)
                ready.append(executor.ready - executor.killed)
            else:
                executor.kill_soon = True
    return ready, ended


def show_killed(options: argparse.Namespace) -> None:
    """Print how long a dead worker is missed."""
    empty = [empty_python() for _ in range(options.kills)]
    ready, ended = replaced(options.kills)
    base = statistics.median(empty)
    times = {
        "an empty Python": (empty, ""),
        "kill -9 to the new worker's readiness": (ready, f"{TARGET}"),
        "kill -9 to the end of the match played again": (ended, ""),
    }
    rows = [
        (
            name,
            *(f"{value:.3f}" for value in (statistics.median(seconds), max(seconds))),
            f"{statistics.median(seconds) / base:.1f}",
            target,
        )
        for name, (seconds, target) in times.items()
    ]
    print(render(("seconds", "median", "worst", "ratio", "target"), rows))


@contextmanager
def dask(folder: str, workers: int, *words: str) -> Iterator[tuple[Path, list[subprocess.Popen[bytes]]]]:
    """A scheduler and workers on this machine: the file that says its address, and the processes, the scheduler's first."""
    log, file = Path(folder, "log"), Path(folder, "address")

    def start(kind: str, *more: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "dask", kind, "--no-dashboard", "--scheduler-file", str(file), *more]
        with log.open("ab") as output:
            return subprocess.Popen(command, cwd=folder, stdout=output, stderr=output)

    processes = [start("scheduler", "--host", "127.0.0.1", "--port", "0")]
    try:
        processes += [start("worker", *words) for _ in range(workers)]
        while not (file.exists() and file.read_bytes().endswith(b"}")):
            if any(process.poll() is not None for process in processes):
                raise SystemExit(f"the cluster ended before it began:\n{log.read_text()}")
            time.sleep(0.05)
        yield file, processes
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            try:
                process.wait(END_SECONDS)
            except subprocess.TimeoutExpired:
                # A worker whose scheduler has gone first.
                process.kill()
                process.wait()


def seconds(executor: Executor, specs: list[MatchSpec]) -> float:
    """The wall time of the whole schedule."""
    begun = time.perf_counter()
    for _ in play_all((spec.at(place) for place, spec in enumerate(specs)), executor):
        pass
    return time.perf_counter() - begun


def show_cluster(options: argparse.Namespace) -> None:
    """Print what two workers of a cluster take for the matches of two local ones."""
    rows: list[tuple[str, float, float, float]] = []
    with tempfile.TemporaryDirectory() as folder, dask(folder, WORKERS, "--nthreads", "1") as (file, _):
        address = str(json.loads(file.read_text())["address"])
        for isolation in (Isolation.INLINE, Isolation.SANDBOX):
            specs = schedule(options.matches, isolation, record=True)
            references = dict.fromkeys(reference for spec in specs for reference in spec.input.players)
            level = probe_confinement().level if isolation is Isolation.SANDBOX else None
            requirements = machine_requirements(list(references), level, os.environ)
            with local_executor(WORKERS) as local, cluster_executor(address, Tls(), requirements, print) as cluster:
                for executor in (local, cluster):
                    seconds(executor, specs[: len(specs) // 4])
                pairs = [(seconds(local, specs), seconds(cluster, specs)) for _ in range(ROUNDS)]
            there, here, ratio = medians_and_ratio([(cluster_s, local_s) for local_s, cluster_s in pairs])
            rows.append((isolation.value, round(here, 2), round(there, 2), round(ratio, 2)))
    print(f"{options.matches} matches, the median of {ROUNDS} rounds\n")
    print(render(("held", "2 local workers s", "cluster of 2 s", "ratio"), rows))


def cpu_seconds(process: subprocess.Popen[bytes]) -> float:
    """CPU seconds of a process so far."""
    fields = Path(f"/proc/{process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def pipe_milliseconds(messages: int) -> float:
    """CPU milliseconds of writing a chunk to a pipe and reading it."""
    reading, writing = os.pipe()
    begun = time.process_time()
    for _ in range(messages):
        os.write(writing, CHUNK)
        os.read(reading, len(CHUNK))
    seconds_of_all = time.process_time() - begun
    os.close(reading)
    os.close(writing)
    return 1000 * seconds_of_all / messages


def message_milliseconds(messages: int) -> tuple[float, float, float]:
    """CPU milliseconds a message of the coordinator, the scheduler and the worker."""
    from distributed import Client

    numbers = count()
    # The worker has nothing to do: it returns what it was sent.
    vars(session)["_CALL"] = "data"
    with tempfile.TemporaryDirectory() as folder, dask(folder, 1, "--nthreads", "8", "--no-nanny") as (file, (scheduler, worker)):
        connect: Any = Client
        client: Any = connect(scheduler_file=str(file), timeout=60)
        client.wait_for_workers(1)
        (address,) = client.nthreads()
        talk = session.Session(client)
        machine = Machine(address=address, threads=8)

        def ask() -> None:
            talk.submit(MachineTask(machine, TaskKind.PLAY), CHUNK, f"play-{next(numbers)}")

        for _ in range(AHEAD):
            ask()
        before = time.process_time(), cpu_seconds(scheduler), cpu_seconds(worker)
        for _ in range(messages):
            talk.next(PATIENCE)
            ask()
        after = time.process_time(), cpu_seconds(scheduler), cpu_seconds(worker)
        for _ in range(AHEAD):
            talk.next(PATIENCE)
        client.close()
    mine, schedulers, workers = (1000 * (end - start) / messages for start, end in zip(before, after, strict=True))
    return mine, schedulers, workers


def show_messages(options: argparse.Namespace) -> None:
    """Print what Dask spends on a message."""
    bare = pipe_milliseconds(options.messages)
    spent = message_milliseconds(options.messages)
    print(f"{options.messages} messages; CPU milliseconds a message\n")
    figures = tuple(round(value, 2) for value in spent)
    print(
        render(("coordinator", "scheduler", "worker", "by a pipe", "ratio"), [(*figures, f"{bare:.4f}", round(sum(spent) / bare))])
    )


def main() -> None:
    """Measure one part and print it."""
    parser = command_line(__doc__)
    parts = parser.add_subparsers(required=True)
    for name, what, show, option, number in (
        ("local", "two workers beside one", show_local, "matches", 200),
        ("killed", "a worker that was killed", show_killed, "--kills", 20),
        ("cluster", "a Dask cluster beside local workers", show_cluster, "matches", 400),
        ("messages", "what Dask spends on a message", show_messages, "messages", 2_000),
    ):
        part = parts.add_parser(name, help=what)
        words: dict[str, Any] = {} if option.startswith("--") else {"nargs": "?"}
        part.add_argument(option, type=int, default=number, help=f"how many ({number})", **words)
        part.set_defaults(show=show)
    options = parser.parse_args(words_with_part(parts.choices, "local"))
    if options.show in {show_cluster, show_messages} and find_spec("distributed") is None:
        parser.error("distributed is not installed; run: pip install 'tiltyard[cluster]'")
    options.show(options)


if __name__ == "__main__":
    main()
