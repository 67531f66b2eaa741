"""How long a dead match worker is missed: from kill -9 to the new worker's first message, and to the end of its first match.

    .venv/bin/python benchmarks/replacing.py

Target: the new worker is ready within 0.5 s. For comparison, an empty Python is started in the same run.
"""

from __future__ import annotations

import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import closing

from measuring import command_line
from tabulate import tabulate

from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import ALGORITHM, GAME, MANAGER
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import Holding, MapSource, MatchInput, MatchSpec
from tiltyard_simulator.play.workers import WorkerExecutor

TARGET = 0.5
MAP = b"short\nMaxSteps = 6\nNumShells = 2\nRows = 3\nCols = 10\n##########\n#1      2#\n##########\n"


def bare() -> float:
    """Seconds of an empty Python."""
    started = time.perf_counter()
    subprocess.run([sys.executable, "-I", "-c", "pass"], check=True)
    return time.perf_counter() - started


def a_match() -> MatchSpec:
    """Two sample teams on a small map, held as strangers' are."""
    found = Registry.installed()
    game, manager = found.find(GAME, "tanks").reference, found.find(MANAGER, "reference").reference
    teams = tuple(found.find(ALGORITHM, name).reference for name in ("acorn", "bramble"))
    return MatchSpec(
        MatchInput(game=game, manager=manager, map=MapSource("short", MAP), teams=teams),
        holding=Holding(isolations=(Isolation.SANDBOX,) * 2),
    )


def replaced(kills: int) -> tuple[list[float], list[float]]:
    """Seconds to the new worker's readiness, and to the end of the match that was lost."""
    ready: list[float] = []
    played: list[float] = []
    executor = Watched(workers=1)
    match = a_match()
    with closing(executor), closing(executor.play(match.at(place) for place in range(2 * kills))) as playing:
        for record in playing:
            if record.outcome.incidents:
                played.append(time.perf_counter() - executor.killed)
                ready.append(executor.ready - executor.killed)
            else:
                executor.kill_soon = True
    return ready, played


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
            if self.kill_soon and worker.begun is not None:
                self.kill_soon = False
                os.kill(worker.process.pid, signal.SIGKILL)
                self.killed = time.perf_counter()


def row(name: str, times: Sequence[float], target: str) -> tuple[object, ...]:
    """Median and worst."""
    return name, f"{statistics.median(times):.3f}", f"{max(times):.3f}", target


def main() -> None:
    """Measure and print."""
    parser = command_line(__doc__)
    parser.add_argument("--kills", type=int, default=20)
    kills = parser.parse_args().kills
    empty = [bare() for _ in range(kills)]
    ready, played = replaced(kills)
    rows = [
        row("an empty Python", empty, ""),
        row("kill -9 to the new worker's readiness", ready, f"{TARGET}"),
        row("kill -9 to the end of the match played again", played, ""),
    ]
    print(tabulate(rows, ("seconds", "median", "worst", "target"), disable_numparse=True))
    print(f"readiness takes {statistics.median(ready) / statistics.median(empty):.1f} times as long as an empty Python")


if __name__ == "__main__":
    main()
