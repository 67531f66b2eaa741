"""What guarding an external program costs, over a bare posix_spawn and wait of the same command: ratios within one run.

    .venv/bin/python benchmarks/programs.py [--calls 300]
    .venv/bin/python benchmarks/programs.py penguins [--games 10]     # whole games, with referee and files

One process a call, through the launcher in a cell, with a board file in and out; and a question and answer with a resident program,
over the same through bare pipes. The set-up of a match, over the start, one line and the end of a bare process. Targets: a call of
8 ms or more costs at most 1.5 times the bare one; one of a C program that does nothing at most 1 ms more than that.

For Penguins, two copies of a C program that makes the first legal move play the same game again and again: in the course's bare
loop, where all share one file and nobody checks anything; and in a match, with the referee of Penguins, programs in cells, and all
files written, read and checked. What a match needs before its first call stands apart. Bare and guarded take turns in both parts,
so that what else the machine does meets both.
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
from typing import Final

from measuring import command_line, words_with_part

from tiltyard_engine.match import Match
from tiltyard_engine.programs import ProgramTeam
from tiltyard_engine.registry import Reference
from tiltyard_engine.registry.registry import ALGORITHM
from tiltyard_engine.registry.sources import Origin, Source
from tiltyard_engine.seat_kinds.turn_seats import PortTurnSeat
from tiltyard_penguins.board_files import write_board_file
from tiltyard_penguins.map_generator import MapOptions, generate_board
from tiltyard_penguins.plugin import games
from tiltyard_penguins.positions import Move, PenguinsPosition
from tiltyard_penguins.referee import PenguinsGameManager
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.guard.cells.cell_port import SeatSpec
from tiltyard_simulator.guard.programs.program_port import ProgramTurnPort
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
FIRST_MOVE: Final = Path(__file__).with_name("first_move.c")
BOARD: Final = generate_board(MapOptions(14, 16, 2), 1, 2)
EMPTY: Final = PenguinsPosition(rows=1, columns=1, cells=b"\n", phase="placement", penguins=1, player=1, order=(1,), players=())


def build(folder: Path, name: str, text: str, work: int = 0) -> Path:
    """A compiled C program with so many rounds of work, in a folder of its own."""
    home = folder / name
    home.mkdir()
    (home / "bot.c").write_text(text)
    words = ["-O2", "-w", f'-DNAME="{name}"', f"-DBUSY={work}L", str(home / "bot.c"), "-o", str(home / "bot")]
    subprocess.run([shutil.which("cc") or "cc", *words], check=True)
    return home


def rounds_of_work(folder: Path) -> int:
    """How many rounds of a program's loop take 8 ms of CPU time."""
    command = str(build(folder, "trial", BUSY, TRIAL) / "bot")
    process_ids = (os.posix_spawn(command, [command, "none", "none"], os.environ) for _ in range(3))
    return int(TRIAL * BUSY_SECONDS / min(os.wait4(number, 0)[2].ru_utime for number in process_ids))


def median(work: Callable[[], object], calls: int) -> float:
    """Seconds of one."""
    times = []
    for _ in range(calls):
        begun = time.perf_counter()
        work()
        times.append(time.perf_counter() - begun)
    return statistics.median(times)


def in_turns(first: Callable[[], object], second: Callable[[], object], calls: int, blocks: int = 10) -> tuple[float, float]:
    """Medians of both, measured in alternating blocks."""
    pairs = [(median(first, calls // blocks), median(second, calls // blocks)) for _ in range(blocks)]
    return statistics.median(pair[0] for pair in pairs), statistics.median(pair[1] for pair in pairs)


def team_of(home: Path, game: str = "none") -> tuple[ProgramTeam, Source]:
    """The program of a folder."""
    team = ProgramTeam(name=home.name, game=game, command=("./bot",), folder=str(home))
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


def show_calls(cells: CellPool, folder: Path, options: argparse.Namespace) -> None:
    """Print what single calls and lines cost."""
    nothing, echo = build(folder, "nothing", NOTHING), build(folder, "echo", ECHO)
    busy = build(folder, "busy", BUSY, rounds_of_work(folder))
    for isolation in (Isolation.SANDBOX, Isolation.PROCESS):
        print(title(cells, isolation))
        for name, (bare, guarded) in (
            ("a call of a C program that does nothing", measure_calls(cells, nothing, isolation, options.calls)),
            ("a call of 8 ms", measure_calls(cells, busy, isolation, options.calls)),
            ("a line there and back", measure_lines(cells, echo, isolation, options.calls)),
            ("set-up and first line of a match", measure_setup(cells, echo, isolation)),
        ):
            more = 1e3 * (guarded - bare)
            print(f"  {name:42} {1e3 * guarded:8.3f} ms, bare {1e3 * bare:8.3f}: {guarded / bare:5.2f} times, {more:+.3f} ms")


def title(cells: CellPool, isolation: Isolation) -> str:
    """The line above the figures of a way to hold programs."""
    return f"{isolation}{f', level {cells.confinement.level}' if isolation is Isolation.SANDBOX else ''}"


def play_bare(homes: list[Path], folder: Path) -> tuple[float, int]:
    """The course's loop: seconds and calls."""
    board = folder / "board.txt"
    board.write_bytes(write_board_file(BOARD.file()))
    calls = 0
    begun = time.perf_counter()
    for words in (["phase=placement", f"penguins={BOARD.penguins}"], ["phase=movement"]):
        codes = {0}
        while codes != {1}:
            codes = set()
            for home in homes:
                program = str(home / "bot")
                process = os.posix_spawn(program, [program, *words, str(board), str(board)], os.environ)
                codes.add(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
                calls += 1
    return time.perf_counter() - begun, calls


def play_match(cells: CellPool, homes: list[Path], isolation: Isolation) -> tuple[float, float, int]:
    """The same game refereed: seconds of its set-up, seconds from the first placement on, calls."""
    (game,) = games()
    begun = time.perf_counter()
    seats: list[PortTurnSeat[PenguinsPosition, Move]] = []
    for index, home in enumerate(homes, start=1):
        team, source = team_of(home, "penguins")
        program = cells.open_program(team, source, LIMITS, isolation)
        reference = Reference(kind=ALGORITHM, name=home.name, game="penguins", source=source, program=team)
        spec = SeatSpec(index=index, team=reference, setting=game, limits=LIMITS)
        seats.append(PortTurnSeat(index, home.name, ProgramTurnPort(spec, program)))
    for seat in seats:
        # Opens the cell, waits until it is confined, and asks for the name.
        seat.start(EMPTY)
    ready = time.perf_counter()
    result = PenguinsGameManager().run(Match(map=BOARD, map_name="benchmark", seats=seats))
    end = time.perf_counter()
    cells.end_match()
    if result.faults:
        raise SystemExit(f"a program failed: {result.faults[0]}")
    return ready - begun, end - ready, sum(seat.round for seat in seats)


def show_penguins(cells: CellPool, folder: Path, options: argparse.Namespace) -> None:
    """Print what calls of whole games cost."""
    text, work = FIRST_MOVE.read_text(), rounds_of_work(folder)
    kinds = {
        "answers at once": [build(folder, name, text) for name in ("quick", "fast")],
        "works 8 ms first": [build(folder, name, text, work) for name in ("busy", "slow")],
    }
    print(f"a call, in ms          bare   refereed   times      more   set-up    calls   ({options.games} games each)")
    for isolation in (Isolation.SANDBOX, Isolation.PROCESS):
        print(title(cells, isolation))
        for kind, homes in kinds.items():
            columns: tuple[list[float], list[float], list[float]] = ([], [], [])
            play_match(cells, homes, isolation)
            for _ in range(options.games):
                seconds, calls = play_bare(homes, folder)
                setup, refereed, asked = play_match(cells, homes, isolation)
                if asked != calls:
                    raise SystemExit(f"not the same game: {calls} bare calls, {asked} refereed ones")
                # Asked for the name once more by the referee, which is no call of the loop.
                for column, value in zip(columns, (seconds / calls, refereed / (asked + len(homes)), setup)):
                    column.append(value)
            loop, match, setup = (1e3 * statistics.median(column) for column in columns)
            print(f"  {kind:17} {loop:8.3f} {match:10.3f} {match / loop:7.2f} {match - loop:+9.3f} {setup:10.1f} {calls:7}")


def main() -> None:
    """Measure one part and print it."""
    parser = command_line(__doc__)
    parts = parser.add_subparsers(required=True)
    calls = parts.add_parser("calls", help="single calls and lines")
    calls.add_argument("--calls", type=int, default=300, help="of each kind (300)")
    calls.set_defaults(show=show_calls)
    penguins = parts.add_parser("penguins", help="whole games of Penguins")
    penguins.add_argument("--games", type=int, default=10, help="of each kind (10)")
    penguins.set_defaults(show=show_penguins)
    options = parser.parse_args(words_with_part(parts.choices, "calls"))
    with tempfile.TemporaryDirectory(prefix="tiltyard-benchmark-") as name, CellPool(readable=[name]) as cells:
        options.show(cells, Path(name), options)


if __name__ == "__main__":
    main()
