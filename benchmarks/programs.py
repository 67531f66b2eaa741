"""What guarding an external program costs, over a bare posix_spawn and wait of the same command: ratios within one run.

    .venv/bin/python benchmarks/programs.py [--calls 300]

One process a call, through the launcher in a cell, with a board file in and out; and a question and answer with a resident program,
over the same through bare pipes. The set-up of a match, over the start, one line and the end of a bare process. Targets: a call of
8 ms or more costs at most 1.5 times the bare one; one of a C program that does nothing at most 1 ms more than that. Bare and
guarded take turns, so that what else the machine does meets both.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from measuring import run, wall_seconds
from short_matches import build

from tiltyard_engine.programs import ProgramTeam
from tiltyard_engine.registry.sources import Origin, Source
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import Limits

NOTHING: Final = "#include <stdio.h>\nint main(int n, char **v) { rename(v[1], v[2]); return 0; }\n"
BUSY: Final = """\
#include <stdio.h>
int main(int n, char **v) {
    for (volatile long i = BUSY; i > 0; i--) {}
    rename(v[1], v[2]);
    return 0;
}
"""
"""No clock tells it when to end: under a limit of CPU time the kernel's clock of a process is only as fine as its ticks."""
TRIAL: Final = 50_000_000
BUSY_SECONDS: Final = 0.008
ECHO: Final = (
    "#include <stdio.h>\nint main(void) { char b[9999]; while (fgets(b, 9999, stdin)) { fputs(b, stdout); fflush(stdout); } }\n"
)
LINE: Final = b"." * 400 + b"\n"
LIMITS: Final = Limits(match_seconds=1e6, startup_seconds=100, move_seconds=100)


def rounds_of_work(folder: Path) -> int:
    """How many rounds of a program's loop take 8 ms of CPU time."""
    command = str(build(folder, "trial", BUSY, [f"-DBUSY={TRIAL}L"]) / "bot")
    process_ids = (os.posix_spawn(command, [command, "none", "none"], os.environ) for _ in range(3))
    return int(TRIAL * BUSY_SECONDS / min(os.wait4(number, 0)[2].ru_utime for number in process_ids))


def median(work: Callable[[], object], calls: int) -> float:
    """Seconds of one."""
    return statistics.median(wall_seconds(work) for _ in range(calls))


def in_turns(first: Callable[[], object], second: Callable[[], object], calls: int, blocks: int = 10) -> tuple[float, float]:
    """Medians of both, measured in alternating blocks."""
    pairs = [(median(first, calls // blocks), median(second, calls // blocks)) for _ in range(blocks)]
    return statistics.median(pair[0] for pair in pairs), statistics.median(pair[1] for pair in pairs)


def team_of(home: Path) -> tuple[ProgramTeam, Source]:
    """The program of a folder."""
    team = ProgramTeam(name=home.name, game="none", command=("./bot",), folder=str(home))
    return team, Source(name=home.name, origin=Origin.PROGRAM, value="", folder=str(home))


def measure_calls(cells: CellPool, home: Path, isolation: Isolation, calls: int) -> tuple[float, float]:
    """Bare and guarded seconds of a call."""
    program = cells.open_program(*team_of(home), LIMITS, isolation)
    scratch = tempfile.mkdtemp()
    paths = [os.path.join(scratch, "in"), os.path.join(scratch, "out")]  # noqa: PTH118 -- as bare as can be
    command = str(home / "bot")

    def bare() -> None:
        with open(paths[0], "wb") as file:  # noqa: PTH123
            file.write(LINE)
        os.waitpid(os.posix_spawn(command, [command, *paths], os.environ), 0)
        with open(paths[1], "rb") as file:  # noqa: PTH123
            assert file.read() == LINE

    def guarded() -> None:
        program.begin(100, "choose")
        call = program.call(["in", "out"], {"in": LINE}, ["out"])
        assert call.files == {"out": LINE}
        program.finish()

    guarded()
    try:
        return in_turns(bare, guarded, calls)
    finally:
        program.cell.retire()
        shutil.rmtree(scratch)


def measure_lines(cells: CellPool, home: Path, isolation: Isolation, calls: int) -> tuple[float, float]:
    """Bare and guarded seconds of a question and its answer."""
    program = cells.open_program(*team_of(home), LIMITS, isolation)
    process = subprocess.Popen([str(home / "bot")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    assert process.stdin is not None
    assert process.stdout is not None
    to, back = process.stdin.fileno(), process.stdout.fileno()

    def bare() -> None:
        os.write(to, LINE)
        assert os.read(back, 9999) == LINE

    def guarded() -> None:
        program.begin(100, "choose")
        program.write(LINE)
        assert program.read_line() == LINE
        program.finish()

    guarded()
    try:
        return in_turns(bare, guarded, 20 * calls)
    finally:
        program.cell.retire()
        process.kill()
        process.communicate()


def measure_setup(cells: CellPool, home: Path, isolation: Isolation) -> tuple[float, float]:
    """Bare and guarded seconds until the first answer, and of the end. Guarded it is a new cell, all included."""

    def bare() -> None:
        with subprocess.Popen([str(home / "bot")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
            assert process.communicate(LINE)[0] == LINE

    def guarded() -> None:
        program = cells.open_program(*team_of(home), LIMITS, isolation)
        program.begin(100, "choose")
        program.write(LINE)
        program.read_line()
        cells.end_match()

    guarded()
    return in_turns(bare, guarded, 40)


def main(*, calls: int = 300) -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory(prefix="tiltyard-benchmark-") as name, CellPool(readable=[name]) as cells:
        folder = Path(name)
        nothing, echo = build(folder, "nothing", NOTHING), build(folder, "echo", ECHO)
        busy = build(folder, "busy", BUSY, [f"-DBUSY={rounds_of_work(folder)}L"])
        for isolation in (Isolation.SANDBOX, Isolation.PROCESS):
            print(f"{isolation}{f', level {cells.confinement.level}' if isolation is Isolation.SANDBOX else ''}")
            for what, (bare, guarded) in (
                ("a call of a C program that does nothing", measure_calls(cells, nothing, isolation, calls)),
                ("a call of 8 ms", measure_calls(cells, busy, isolation, calls)),
                ("a line there and back", measure_lines(cells, echo, isolation, calls)),
                ("set-up and first line of a match", measure_setup(cells, echo, isolation)),
            ):
                more = 1e3 * (guarded - bare)
                print(f"  {what:42} {1e3 * guarded:8.3f} ms, bare {1e3 * bare:8.3f}: {guarded / bare:5.2f} times, {more:+.3f} ms")


if __name__ == "__main__":
    run(__doc__, main=main)
