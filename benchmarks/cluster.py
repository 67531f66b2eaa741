"""How much slower a Dask cluster of two worker processes of this machine is than two local workers, on the same matches.

    .venv/bin/python benchmarks/cluster.py [MATCHES]

Prints, for teams held inline and in cells, the seconds of both and their ratio, measured in turns so that a machine that slows down
slows both: the median of three rounds. Workers are started before the clock: theirs is a matter of seconds a tournament.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from measuring import command_line, medians_and_ratio

from tiltyard_cluster.connection import Tls
from tiltyard_cluster.executor import cluster_executor, machine_requirements
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import ALGORITHM, MANAGER
from tiltyard_simulator.guard.confinement import probe_confinement
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import MatchInput, MatchSpec, Recording
from tiltyard_simulator.output.tables import render
from tiltyard_simulator.play.executors import Executor, local_executor
from tiltyard_simulator.registry.finder import Finder

MATCHES = 400
ROUNDS = 3
WORKERS = 2
MAPS = ("back-yard", "narrow-pass", "open-field")
TEAMS = (("coyote", "bramble"), ("bramble", "acorn"), ("acorn", "coyote"))


def schedule(count: int, isolation: Isolation) -> list[MatchSpec]:
    """So many matches of the sample teams on the smaller shipped maps, with replays as a tournament keeps them."""
    registry = Registry.installed()
    manager = registry.find(MANAGER, "reference").reference
    game = Finder(registry).game(manager.game)
    teams = {name: registry.find(ALGORITHM, name).reference for pair in TEAMS for name in pair}
    specs = [
        MatchSpec(
            MatchInput(game=game, manager=manager, map=Finder(registry).map(name, game.name), teams=(teams[one], teams[two])),
            recording=Recording(replay=True),
        )
        for name in MAPS
        for one, two in TEAMS
    ]
    held = [replace(spec, holding=replace(spec.holding, isolations=(isolation, isolation))) for spec in specs]
    return [held[number % len(held)] for number in range(count)]


@contextmanager
def cluster_of_this_machine() -> Iterator[str]:
    """A scheduler and two workers of one thread each; the scheduler's address."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "log").open("wb")  # noqa: SIM115 -- the processes have it too
        file = Path(folder, "address")

        def start(kind: str, *words: str) -> subprocess.Popen[bytes]:
            command = [
                sys.executable,
                "-m",
                f"distributed.cli.dask_{kind}",
                "--no-dashboard",
                "--scheduler-file",
                str(file),
                *words,
            ]
            return subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)

        processes = [start("scheduler", "--host", "127.0.0.1", "--port", "0")]
        try:
            processes += [start("worker", "--nthreads", "1") for _ in range(WORKERS)]
            while not (file.exists() and file.read_bytes().endswith(b"}")):
                if any(process.poll() is not None for process in processes):
                    raise SystemExit(f"the cluster ended before it began:\n{Path(folder, 'log').read_text()}")
                time.sleep(0.05)
            yield str(json.loads(file.read_text())["address"])
        finally:
            for process in processes:
                process.terminate()
            for process in processes:
                process.wait()
            log.close()


def seconds(executor: Executor, specs: list[MatchSpec]) -> float:
    """The wall time of the whole schedule."""
    begun = time.perf_counter()
    for _ in executor.play(spec.at(place) for place, spec in enumerate(specs)):
        pass
    return time.perf_counter() - begun


def main() -> None:
    """Measure and print."""
    parser = command_line(__doc__)
    if find_spec("distributed") is None:
        parser.error("distributed is not installed; run: pip install 'tiltyard[cluster]'")
    parser.add_argument("matches", type=int, nargs="?", default=MATCHES)
    count = parser.parse_args().matches
    rows: list[tuple[str, float, float, float]] = []
    with cluster_of_this_machine() as address:
        for isolation in (Isolation.INLINE, Isolation.SANDBOX):
            specs = schedule(count, isolation)
            references = dict.fromkeys(
                reference for spec in specs for reference in (spec.input.game, spec.input.manager, *spec.input.teams)
            )
            level = probe_confinement().level if isolation is Isolation.SANDBOX else None
            wanted = machine_requirements(list(references), level, os.environ)
            with local_executor(WORKERS) as local, cluster_executor(address, Tls(), wanted, print) as cluster:
                for executor in (local, cluster):
                    seconds(executor, specs[: len(specs) // 4])
                pairs = [(seconds(local, specs), seconds(cluster, specs)) for _ in range(ROUNDS)]
            there, here, ratio = medians_and_ratio([(b, a) for a, b in pairs])
            rows.append((isolation.value, round(here, 2), round(there, 2), round(ratio, 2)))
    print(f"{count} matches, the median of {ROUNDS} rounds\n")
    print(render(("held", "2 local workers s", "cluster of 2 s", "ratio"), rows))


if __name__ == "__main__":
    main()
