"""What taking a class in costs beside its compilers: 200 entries, 60 of them C++ trees, two builds at a time.

    .venv/bin/python benchmarks/intake.py [--entries 200] [--trees 60] [--sources 6]

It takes the class in once, as 'tiltyard intake' does, and then runs the same commands of the builds bare: without a sandbox,
without unpacking, recognition, reports and matches. CPU time is that of all processes, so it counts on a busy machine too. The
second table shows where the CPU time of an intake goes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from unittest.mock import patch

from measuring import run, with_cpu_seconds

from tiltyard_engine.programs import Call
from tiltyard_intake.intake import take_in
from tiltyard_intake.options import IntakeOptions
from tiltyard_intake.report.team_report import Verdict
from tiltyard_intake.smoke.smoke_match import Smoke, SmokeMatches
from tiltyard_simulator.guard.confinement.kernel import control_groups
from tiltyard_simulator.guard.confinement.kernel.control_groups import CpuGroup
from tiltyard_simulator.guard.policy import CLEAN
from tiltyard_simulator.guard.programs.build_client import BuildClient, BuildFile
from tiltyard_simulator.output.tables import render
from tiltyard_simulator.registry.guarded_registry import open_registry
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.classes.downloads import write_download
from tests.classes.handed_in import Student
from tests.classes.tanks_work import SOUND

WORKERS = 2
PART = """#include <iostream>
#include <map>
#include <regex>
#include <string>
std::map<std::string, int> countNUMBER(const std::string& text) {
    std::map<std::string, int> found;
    static const std::regex word("[a-z]+NUMBER");
    for (std::sregex_iterator at(text.begin(), text.end(), word), end; at != end; ++at) ++found[at->str()];
    return found;
}
"""
T = TypeVar("T")


@dataclass
class Build:
    """The commands of one build, for doing the same bare."""

    scratch: str
    files: dict[str, BuildFile]
    folders: list[str]
    commands: list[tuple[Sequence[str], Mapping[str, str]]] = field(default_factory=list)


@dataclass
class Taken:
    """One intake."""

    wall: float = 0.0
    in_builds: float = 0.0
    """CPU seconds of the commands in their sandboxes."""
    in_matches: float = 0.0
    """Wall seconds of the first matches, one after the other beside the builds."""
    builds: list[Build] = field(default_factory=list)


def a_class(entries: int, trees: int, sources: int) -> list[Student]:
    """C++ trees of each kind in turn, and the rest Python of each kind; the kinds that need no build are left out.

    The trees of assignment 3 get further files, because real ones take some ten seconds to compile.
    """
    more = {f"hw3/Algorithm/Part{number}.cpp": PART.replace("NUMBER", str(number)).encode() for number in range(sources)}
    cpp = [
        replace(kind, files=lambda team, kind=kind: {**kind.files(team), **more})  # type: ignore[misc]
        if kind.name in ("assignment 3", "assignment 3 with CMake")
        else kind
        for kind in SOUND
        if "g++" in kind.tools and kind.name != "a compiled file"
    ]
    python = [kind for kind in SOUND if not kind.tools]
    kinds = [cpp[number % len(cpp)] for number in range(trees)]
    kinds += [python[number % len(python)] for number in range(entries - trees)]
    # Mixed as a class is, the same each time.
    kinds = [kind for _, kind in sorted(enumerate(kinds), key=lambda pair: pair[0] * 7919 % len(kinds))]
    return [Student(name=f"Student {number:03}", number=100_001 + number, kind=kind) for number, kind in enumerate(kinds)]


@contextmanager
def recorded(taken: Taken) -> Iterator[None]:
    """Note what builds do while this lasts."""
    builds: dict[int, Build] = {}
    write, run_command, play = BuildClient.write_files, BuildClient.run, SmokeMatches.play

    def written(held: BuildClient, files: Mapping[str, BuildFile], folders: Sequence[str] = ()) -> None:
        build = builds[id(held)] = Build(held.scratch, dict(files), list(folders))
        taken.builds.append(build)
        write(held, files, folders)

    def ran(held: BuildClient, command: Sequence[str], environment: Mapping[str, str], *rest: Any) -> Call:
        builds[id(held)].commands.append((command, environment))
        call = run_command(held, command, environment, *rest)
        taken.in_builds += call.cpu_seconds
        return call

    def played(matches: SmokeMatches, *rest: Any) -> Smoke:
        begun = time.perf_counter()
        smoke = play(matches, *rest)
        taken.in_matches += time.perf_counter() - begun
        return smoke

    with (
        patch.object(BuildClient, "write_files", written),
        patch.object(BuildClient, "run", ran),
        patch.object(SmokeMatches, "play", played),
    ):
        yield


def take(download: Path, folder: Path) -> Taken:
    """Take the class in."""
    taken, policy = Taken(), IsolationPolicy()
    options = IntakeOptions(
        handed_in=download,
        into=folder / "teams",
        reports=folder / "reports",
        game="tanks",
        workers=WORKERS,
        policy=policy,
    )
    with recorded(taken):
        begun = time.perf_counter()
        report = take_in(options, open_registry(policy), lambda *_: None)
        taken.wall = time.perf_counter() - begun
    wrong = [f"{each.label}: {each.verdict}: {each.error}" for each in report.teams if each.verdict is not Verdict.PLAYS]
    if wrong:
        sys.exit("\n".join(wrong))
    return taken


def bare(builds: Sequence[Build]) -> float:
    """Do the same commands without tiltyard, two at a time; the wall time."""

    def one(build: Build) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for name in [*build.folders, *(str(Path(name).parent) for name in build.files)]:
                Path(folder, name).mkdir(parents=True, exist_ok=True)
            for name, file in build.files.items():
                Path(folder, name).write_bytes(file.data)
                Path(folder, name).chmod(0o755 if file.executable else 0o644)
            for command, environment in build.commands:
                words = [word.replace(build.scratch, folder) for word in command]
                variables = {name: value.replace(build.scratch, folder) for name, value in environment.items()}
                subprocess.run(words, env={**CLEAN, **variables}, capture_output=True, check=False)

    begun = time.perf_counter()
    with ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(one, builds))
    return time.perf_counter() - begun


def all_cpu_seconds(work: Callable[[], T]) -> tuple[T, float]:
    """What a piece of work returns, and the CPU time of all its processes, those among them that were killed in their sandboxes."""
    group = CpuGroup.make()
    if group is None:
        sys.exit("no control group can be made here, and without one nobody counts what killed processes used")

    def inside() -> T:
        group.add([os.getpid()])
        # Groups of cells are to lie in this one.
        control_groups._root.cache_clear()
        return work()

    result, _ = with_cpu_seconds(inside)
    seconds = group.seconds()
    group.close()
    return result, seconds


def main(*, entries: int = 200, trees: int = 60, sources: int = 6) -> None:
    """Measure and print."""
    os.environ.setdefault("TILTYARD_PROBES", "fresh")
    with tempfile.TemporaryDirectory() as folder:
        download = Path(folder, "moodle.zip")
        write_download(a_class(entries, trees, sources), download)
        taken, cpu = all_cpu_seconds(partial(take, download, Path(folder, "course")))
        wall, bare_cpu = all_cpu_seconds(partial(bare, taken.builds))
    rest = cpu - taken.in_builds
    print(f"{entries} entries, {trees} C++ trees, {WORKERS} at a time")
    rows = [
        ("the commands bare", f"{bare_cpu:.1f}", f"{wall:.1f}", ""),
        ("taken in", f"{cpu:.1f}", f"{taken.wall:.1f}", f"{cpu / bare_cpu - 1:+.1%}"),
        ("of it the same commands in sandboxes", f"{taken.in_builds:.1f}", "", f"{taken.in_builds / bare_cpu - 1:+.1%}"),
        ("of it the rest", f"{rest:.1f}", "", f"{rest / bare_cpu:+.1%}"),
        ("of it first matches, wall", "", f"{taken.in_matches:.1f}", ""),
    ]
    print(render(("", "CPU s", "wall s", "over bare"), rows))


if __name__ == "__main__":
    run(__doc__, main=main)
