"""What guarding an external program costs, over a bare posix_spawn and wait of the same command: ratios within one run.

    .venv/bin/python benchmarks/programs.py [--calls 300]

One process a call, through the launcher in a cell, with a board file in and out; and a question and answer with a resident program,
over the same through bare pipes. The set-up of a match, over the start, one line and the end of a bare process. Targets: a call of
8 ms or more costs at most 1.5 times the bare one; one of a C program that does nothing at most 1 ms more than that.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tiltyard_engine.programs import ProgramTeam
from tiltyard_engine.registry.sources import Origin, Source
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import Limits

NOTHING = "#include <stdio.h>\nint main(int n, char **v) { rename(v[1], v[2]); return 0; }\n"
BUSY = """\
#include <stdio.h>
int main(int n, char **v) {
    for (volatile long i = ROUNDS; i > 0; i--) {}
    rename(v[1], v[2]);
    return 0;
}
"""
"""No clock tells it when to end: under a limit of CPU time the kernel's clock of a process is only as fine as its ticks."""
TRIAL = 50_000_000
BUSY_SECONDS = 0.008
ECHO = "#include <stdio.h>\nint main(void) { char b[9999]; while (fgets(b, 9999, stdin)) { fputs(b, stdout); fflush(stdout); } }\n"
BOARD = b"." * 400 + b"\n"
LIMITS = Limits(match_seconds=1e6, startup_seconds=100, move_seconds=100)


def build(folder: Path, name: str, text: str) -> Path:
    """A compiled program, in a folder of its own."""
    home = folder / name
    home.mkdir()
    (home / "bot.c").write_text(text)
    subprocess.run([shutil.which("cc") or "cc", "-O2", "-w", str(home / "bot.c"), "-o", str(home / "bot")], check=True)
    return home


def busy_program(folder: Path) -> str:
    """The text of a program that takes 8 ms."""
    command = str(build(folder, "trial", BUSY.replace("ROUNDS", str(TRIAL))) / "bot")
    words = [command, "none", "none"]
    used = min(os.wait4(os.posix_spawn(command, words, os.environ), 0)[2].ru_utime for _ in range(3))
    return BUSY.replace("ROUNDS", str(int(TRIAL * BUSY_SECONDS / used)))


def median(work: Callable[[], object], calls: int) -> float:
    """Seconds of one."""
    times = []
    for _ in range(calls):
        begun = time.perf_counter()
        work()
        times.append(time.perf_counter() - begun)
    return statistics.median(times)


def in_turns(first: Callable[[], object], second: Callable[[], object], calls: int, blocks: int = 10) -> tuple[float, float]:
    """Medians of both, measured in alternating blocks: what else the machine does meets both."""
    found = [(median(first, calls // blocks), median(second, calls // blocks)) for _ in range(blocks)]
    return statistics.median(pair[0] for pair in found), statistics.median(pair[1] for pair in found)


def team_of(home: Path) -> tuple[ProgramTeam, Source]:
    """The program of a folder."""
    return ProgramTeam(name="bot", game="none", command=("./bot",), folder=str(home)), Source(
        name="bot", origin=Origin.PROGRAM, value="", folder=str(home)
    )


def measure_calls(cells: CellPool, home: Path, isolation: Isolation, calls: int) -> tuple[float, float]:
    """Bare and guarded seconds of a call."""
    program = cells.open_program(*team_of(home), LIMITS, isolation)
    scratch = tempfile.mkdtemp()
    paths = [os.path.join(scratch, "in"), os.path.join(scratch, "out")]  # noqa: PTH118 -- as bare as can be
    command = str(home / "bot")

    def bare() -> None:
        with open(paths[0], "wb") as file:  # noqa: PTH123
            file.write(BOARD)
        os.waitpid(os.posix_spawn(command, [command, *paths], os.environ), 0)
        with open(paths[1], "rb") as file:  # noqa: PTH123
            assert file.read() == BOARD

    def guarded() -> None:
        program.begin(100, "choose")
        call = program.call(["in", "out"], {"in": BOARD}, ["out"])
        assert call.files == {"out": BOARD}
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
        os.write(to, BOARD)
        assert os.read(back, 9999) == BOARD

    def guarded() -> None:
        program.begin(100, "choose")
        program.write(BOARD)
        assert program.read_line() == BOARD
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
            assert process.communicate(BOARD)[0] == BOARD

    def guarded() -> None:
        program = cells.open_program(*team_of(home), LIMITS, isolation)
        program.begin(100, "choose")
        program.write(BOARD)
        program.read_line()
        cells.end_match()

    guarded()
    return in_turns(bare, guarded, 40)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--calls", type=int, default=300)
    calls = parser.parse_args().calls
    folder = Path(tempfile.mkdtemp(prefix="tiltyard-benchmark-"))
    try:
        texts = (("nothing", NOTHING), ("busy", busy_program(folder)), ("echo", ECHO))
        nothing, busy, echo = (build(folder, name, text) for name, text in texts)
        with CellPool(readable=[str(folder)]) as cells:
            level = cells.confinement.level
            for isolation in (Isolation.SANDBOX, Isolation.PROCESS):
                print(f"{isolation}{f', level {level}' if isolation is Isolation.SANDBOX else ''}")
                for name, home in (("a call of a C program that does nothing", nothing), ("a call of 8 ms", busy)):
                    bare, guarded = measure_calls(cells, home, isolation, calls)
                    show(name, bare, guarded)
                bare, guarded = measure_lines(cells, echo, isolation, calls)
                show("a line there and back", bare, guarded)
                bare, guarded = measure_setup(cells, echo, isolation)
                show("set-up and first line of a match", bare, guarded)
    finally:
        shutil.rmtree(folder)


def show(name: str, bare: float, guarded: float) -> None:
    """One line."""
    more = 1e3 * (guarded - bare)
    print(f"  {name:42} {1e3 * guarded:8.3f} ms, bare {1e3 * bare:8.3f}: {guarded / bare:5.2f} times, {more:+.3f} ms")


if __name__ == "__main__":
    main()
