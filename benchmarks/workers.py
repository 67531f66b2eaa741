"""What match workers gain: two of them beside one, and two of a Dask cluster beside two local ones; and whether anything grows.

    .venv/bin/python benchmarks/workers.py [MATCHES]
    .venv/bin/python benchmarks/workers.py cluster [MATCHES]
    .venv/bin/python benchmarks/workers.py growth [MATCHES]

The first compares many short matches by one worker and by two, for teams held inline and in cells; start-up of the workers is
counted. The columns after the ratio say what it is made of: CPU seconds of all processes with one worker and with two, of the
coordinator alone, and the clock's seconds until each worker's first match began. On a machine with other work to do, they tell more
than the ratio.

``cluster``: the same matches by two Dask workers of this machine, which are started before the clock: theirs is a matter of seconds
a tournament. Whatever is compared is measured in turns, so that a machine that slows down slows both: the median of three rounds.

``growth``: memory and open files of each process that is there from the first matches in sandboxes to the last one, by two workers.
Memory settles within some thousand matches; then a ratio near 1 of the end to the half means no growth.
"""

from __future__ import annotations

import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from measuring import descendants, descriptors_of, medians_and_ratio, megabytes_of, run, wall_seconds, with_cpu_seconds, words_of
from short_matches import python_matches

from tiltyard_cluster.connection import Tls
from tiltyard_cluster.executor import cluster_executor, machine_requirements
from tiltyard_simulator.guard.confinement.probes import probe_confinement
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.key import players_of
from tiltyard_simulator.match.spec import MatchSpec, Recording
from tiltyard_simulator.output.tables import render
from tiltyard_simulator.play.executor import Executor, play_all
from tiltyard_simulator.play.local_matches import local_executor
from tiltyard_simulator.play.workers import WorkerExecutor

ROUNDS: Final = 3
WORKERS: Final = 2
END_SECONDS: Final = 10.0
"""After which a Dask process is killed that was told to end."""
WARM_UP: Final = 50
"""Matches after which everything is loaded."""
Look = dict[int, tuple[float, int]]
"""Memory in MB and open files of processes."""


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


def show_local(matches: int = 200) -> None:
    """Print what a second worker gains."""
    rows: list[tuple[str | float, ...]] = []
    for isolation in (Isolation.INLINE, Isolation.SANDBOX):
        specs = python_matches(matches, isolation)
        pairs = [(took(specs, 1), took(specs, 2)) for _ in range(ROUNDS)]
        one, two, ratio = medians_and_ratio([(alone.wall, both.wall) for alone, both in pairs])
        cpu = [statistics.median(values) for values in zip(*[(alone.cpu, both.cpu, both.coordinator) for alone, both in pairs])]
        begun = " and ".join(f"{seconds:.2f}" for seconds in pairs[-1][1].begun)
        rows.append((isolation.value, *(f"{value:.2f}" for value in (one, two, ratio, *cpu)), begun))
    print(f"{matches} matches, the median of {ROUNDS} rounds\n")
    headers = ("held", "1 worker s", "2 workers s", "ratio", "CPU of 1", "CPU of 2", "of the coordinator", "first matches began")
    print(render(headers, rows))


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


def play_with(executor: Executor, specs: Sequence[MatchSpec]) -> None:
    """Play the whole schedule."""
    for _ in play_all((spec.at(place) for place, spec in enumerate(specs)), executor):
        pass


def show_cluster(matches: int = 400) -> None:
    """Print what two workers of a cluster take for the matches of two local ones."""
    if find_spec("distributed") is None:
        raise SystemExit("distributed is not installed; run: pip install 'tiltyard[cluster]'")
    rows: list[tuple[str, float, float, float]] = []
    with tempfile.TemporaryDirectory() as folder, dask(folder, WORKERS, "--nthreads", "1") as (file, _):
        address = str(json.loads(file.read_text())["address"])
        for isolation in (Isolation.INLINE, Isolation.SANDBOX):
            specs = [replace(spec, recording=Recording(replay=True)) for spec in python_matches(matches, isolation)]
            references = dict.fromkeys(reference for spec in specs for reference in spec.input.players)
            level = probe_confinement().level if isolation is Isolation.SANDBOX else None
            requirements = machine_requirements(list(references), level, os.environ)
            with local_executor(WORKERS) as local, cluster_executor(address, Tls(), requirements, print) as cluster:
                for executor in (local, cluster):
                    play_with(executor, specs[: len(specs) // 4])
                there_once, here_once = (partial(play_with, executor, specs) for executor in (cluster, local))
                pairs = [(wall_seconds(there_once), wall_seconds(here_once)) for _ in range(ROUNDS)]
            there, here, ratio = medians_and_ratio(pairs)
            rows.append((isolation.value, round(here, 2), round(there, 2), round(ratio, 2)))
    print(f"{matches} matches, the median of {ROUNDS} rounds\n")
    print(render(("held", "2 local workers s", "cluster of 2 s", "ratio"), rows))


def look() -> Look:
    """This process and all below it."""
    return {number: (megabytes_of(number), descriptors_of(number)) for number in (os.getpid(), *descendants(os.getpid()))}


def show_growth(matches: int = 10_000) -> None:
    """Print what each process has at three moments."""
    stops, looks = {WARM_UP: "start", matches // 2: "half", matches: "end"}, dict[str, Look]()
    placed = (spec.at(place) for place, spec in enumerate(python_matches(matches, Isolation.SANDBOX)))
    with local_executor(WORKERS) as executor:
        for number, record in enumerate(play_all(placed, executor), start=1):
            if record.outcome.faults:
                raise SystemExit(f"match {number} went wrong: {record.outcome.message}")
            if number in stops:
                looks[stops[number]] = look()
        # Cells live for one match, and are no more.
        lasting = [number for number in looks["start"] if all(number in each for each in looks.values())]
        rows: list[tuple[str | int, ...]] = []
        for number in lasting:
            memory, files = zip(*(each[number] for each in looks.values()))
            rows.append((words_of(number)[-50:], *(f"{each:.1f}" for each in memory), f"{memory[2] / memory[1]:.3f}", *files))
    headers = [*(f"{moment} MB" for moment in looks), "end/half", *(f"{moment} files" for moment in looks)]
    print(f"{matches} matches in sandboxes, {WORKERS} workers\n")
    print(render(("process", *headers), rows, align=("left", *["right"] * len(headers))))


if __name__ == "__main__":
    run(__doc__, local=show_local, cluster=show_cluster, growth=show_growth)
