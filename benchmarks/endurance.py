"""Whether many matches make anything grow: memory and open descriptors of every process, from the start to the end.

    .venv/bin/python benchmarks/endurance.py 10000

Plays that many short matches of two strangers' teams in sandboxes, first in one process and then through two workers. The start is
taken after some matches, when everything is loaded. Memory settles within some thousand matches; then a ratio of the end to the
half near 1 means no growth.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from measuring import command_line

from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import ALGORITHM, GAME, MANAGER
from tiltyard_simulator.guard.confinement import probe_confinement
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import Holding, MapSource, MatchInput, MatchSpec
from tiltyard_simulator.output.tables import render
from tiltyard_simulator.play.executor import InlineExecutor, play_all
from tiltyard_simulator.play.worker_main import NAME as WORKER
from tiltyard_simulator.play.workers import WorkerExecutor

TEAM = """
from tiltyard_engine import ActionRequest, BattleInfo, Player, TankAlgorithm, TankTeam, hookimpl

class Gunner(TankAlgorithm):
    def __init__(self, player_index, tank_index):
        self.asked = 0
    def get_action(self):
        self.asked += 1
        print("round", self.asked)
        return ActionRequest.GET_BATTLE_INFO if self.asked % 2 else ActionRequest.SHOOT
    def update_battle_info(self, info):
        pass

class Looking(Player):
    def update_tank_with_battle_info(self, tank, satellite_view):
        satellite_view.get_object_at(0, 0)
        tank.update_battle_info(BattleInfo())

@hookimpl
def algorithms():
    yield TankTeam("NAME", player=Looking, tank=Gunner)
"""
MAP = b"short\nMaxSteps = 6\nNumShells = 2\nRows = 3\nCols = 10\n##########\n#1      2#\n##########\n"
WARM_UP = 50
"""Matches before the first look."""


@dataclass(frozen=True)
class Look:
    """One process at one moment."""

    kilobytes: int
    """VmRSS."""
    descriptors: int


def a_match(folder: Path) -> MatchSpec:
    """Two strangers on a small map."""
    for name in ("left", "right"):
        (folder / f"{name}.py").write_text(TEAM.replace("NAME", name), encoding="utf-8")
    found, installed = Registry.from_paths([folder]), Registry.installed()
    teams = tuple(found.find(ALGORITHM, name).reference for name in ("left", "right"))
    game, manager = installed.find(GAME, "tanks").reference, installed.find(MANAGER, "reference").reference
    return MatchSpec(
        MatchInput(game=game, manager=manager, map=MapSource("short", MAP), teams=teams),
        holding=Holding(isolations=(Isolation.SANDBOX,) * 2),
    )


def family(pid: int) -> Iterator[tuple[int, int]]:
    """(parent, process) of all below a process."""
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text(encoding="ascii").split():
            yield pid, int(child)
            yield from family(int(child))


def look() -> dict[str, Look]:
    """This process, its workers and their zygotes; not the cells, which live for one match."""
    roles = {os.getpid(): "coordinator"}
    counted = {"worker": 0, "bubblewrap": 0, "zygote": 0}
    for parent, pid in family(os.getpid()):
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        name = Path(f"/proc/{pid}/comm").read_text(encoding="ascii").strip()
        if words[0].endswith(b"bwrap"):
            role = "bubblewrap"
        elif name == WORKER:
            role = "worker"
        elif roles.get(parent, "").startswith("zygote") or parent not in roles:
            continue
        else:
            role = "zygote"
        counted[role] += 1
        roles[pid] = f"{role} {counted[role]}"
    return {role: measure(pid) for pid, role in roles.items()}


def measure(pid: int) -> Look:
    """What a process holds."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    kilobytes = next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:"))
    return Look(kilobytes, len(os.listdir(f"/proc/{pid}/fd")))  # noqa: PTH208 -- names alone


def play(executor: InlineExecutor | WorkerExecutor, match: MatchSpec, matches: int) -> tuple[list[dict[str, Look]], float]:
    """What was seen at the four moments, and how long it took."""
    stops = [max(part, min(WARM_UP, matches)) for part in (0, matches // 10, matches // 2, matches)]
    looks: list[dict[str, Look]] = []
    started = time.perf_counter()
    with closing(executor), closing(play_all((match.at(place) for place in range(matches)), executor)) as playing:
        for number, record in enumerate(playing, start=1):
            if record.outcome.faults:
                sys.exit(f"match {number} went wrong: {record.outcome.message} {record.outcome.incidents}")
            # A busy machine may stand still for a while, which is no growth.
            for incident in record.outcome.incidents:
                print(f"match {number}: {incident}", file=sys.stderr)
            if number in stops:
                looks += [look()] * stops.count(number)
    return looks, time.perf_counter() - started


def rows_of(looks: Sequence[dict[str, Look]]) -> Iterator[tuple[str | int, ...]]:
    """A row a process: first memory in MiB, then descriptors, each followed by ratios to the start."""
    for role, begun in looks[0].items():
        seen = [each.get(role, begun) for each in looks]
        mebibytes = [f"{each.kilobytes / 1024:.1f}" for each in seen]
        ratios = [f"{seen[-1].kilobytes / each.kilobytes:.3f}" for each in seen[:-1]]
        yield role, *mebibytes, *ratios, *(each.descriptors for each in seen)


def main() -> None:
    """Play and print."""
    parser = command_line(__doc__)
    parser.add_argument("matches", type=int, nargs="?", default=10_000)
    matches = max(parser.parse_args().matches, 10)
    moments = ("start", "10 %", "50 %", "end")
    sizes, ratios = [f"{moment} MiB" for moment in moments], [f"end/{moment}" for moment in moments[:-1]]
    headers = ("process", *sizes, *ratios, *(f"{moment} fds" for moment in moments))
    with tempfile.TemporaryDirectory() as folder:
        match = a_match(Path(folder))
        executors: tuple[tuple[str, InlineExecutor | WorkerExecutor], ...]
        executors = (("one process", InlineExecutor()), ("2 workers", WorkerExecutor(workers=2)))
        for title, executor in executors:
            looks, seconds = play(executor, match, matches)
            level = probe_confinement().level
            print(f"{title}: {matches} matches at level {level}, {1000 * seconds / matches:.1f} ms a match")
            print(render(headers, [*rows_of(looks)]), end="\n\n", flush=True)


if __name__ == "__main__":
    main()
