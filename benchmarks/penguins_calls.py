"""What a call of a program for Penguins costs under the referee and in the sandbox, over posix_spawn and wait of the same program.

    .venv/bin/python benchmarks/penguins_calls.py [--games 10]

Two copies of a C program that makes the first legal move play the same game again and again: in the course's bare loop, where all
share one file and nobody checks anything; and in a match, with the referee of Penguins, programs in cells, and all files written,
read and checked. Once they answer at once, once they work for 8 ms first. The bare loop and the match take turns, game by game,
so that what else the machine does meets both. What a match needs before its first call stands apart. Targets: a call of 8 ms or
more costs at most 1.5 times the bare one; one of a bare C program at most 1 ms more.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from tiltyard_engine.match import Match
from tiltyard_engine.programs import ProgramTeam
from tiltyard_engine.registry import Reference
from tiltyard_engine.registry.registry import ALGORITHM
from tiltyard_engine.registry.sources import Origin, Source
from tiltyard_engine.seat_kinds.turn_seats import PortTurnSeat
from tiltyard_penguins.board_files import write_board_file
from tiltyard_penguins.map_files import PenguinsMap
from tiltyard_penguins.map_generator import MapOptions, generate_board
from tiltyard_penguins.plugin import games
from tiltyard_penguins.positions import Move, PenguinsPosition
from tiltyard_penguins.referee import PenguinsGameManager
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.guard.cells.cell_port import SeatSpec
from tiltyard_simulator.guard.programs.program_port import ProgramTurnPort
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import Limits

SOURCE = Path(__file__).with_name("first_move.c")
BOARD: PenguinsMap = generate_board(MapOptions(14, 16, 2), 1, 2)
BUSY_SECONDS = 0.008
LIMITS = Limits(match_seconds=1e6, startup_seconds=100, move_seconds=100)
(GAME,) = games()


def build(folder: Path, name: str, work: int) -> Path:
    """One of the programs, in a folder of its own."""
    home = folder / name
    home.mkdir()
    words = ["-O2", "-w", f'-DNAME="{name}"', f"-DBUSY={work}L", str(SOURCE), "-o", str(home / "bot")]
    subprocess.run([shutil.which("cc") or "cc", *words], check=True)
    return home


def rounds_of_work(folder: Path) -> int:
    """How many rounds of its loop take the program 8 ms of CPU time."""
    trial = 50_000_000
    program = str(build(folder, "trial", trial) / "bot")
    (folder / "board.txt").write_bytes(write_board_file(BOARD.file()))
    paths = [str(folder / "board.txt"), str(folder / "trial.txt")]
    words = [program, "phase=movement", *paths]
    used = min(os.wait4(os.posix_spawn(program, words, os.environ), 0)[2].ru_utime for _ in range(3))
    return int(trial * BUSY_SECONDS / used)


def play_bare(homes: list[Path], folder: Path) -> tuple[float, int, bytes]:
    """The course's loop: seconds, calls, and the last state."""
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
    return time.perf_counter() - begun, calls, board.read_bytes()


def play_match(cells: CellPool, homes: list[Path], isolation: Isolation) -> tuple[float, float, int]:
    """The same game refereed: seconds of its set-up, seconds from the first placement on, calls."""
    begun = time.perf_counter()
    seats: list[PortTurnSeat[PenguinsPosition, Move]] = []
    for index, home in enumerate(homes, start=1):
        team = ProgramTeam(name=home.name, game="penguins", command=("./bot",), folder=str(home))
        source = Source(name=home.name, origin=Origin.PROGRAM, value="", folder=str(home))
        program = cells.open_program(team, source, LIMITS, isolation)
        reference = Reference(kind=ALGORITHM, name=home.name, game="penguins", source=source, program=team)
        spec = SeatSpec(index=index, team=reference, setting=GAME, limits=LIMITS)
        seats.append(PortTurnSeat(index, home.name, ProgramTurnPort(spec, program)))
    for seat in seats:
        # Opens the cell, waits until it is confined, and asks for the name.
        seat.start(
            PenguinsPosition(rows=1, columns=1, cells=b"\n", phase="placement", penguins=1, player=1, order=(1,), players=())
        )
    ready = time.perf_counter()
    result = PenguinsGameManager().run(Match(map=BOARD, map_name="benchmark", seats=seats))
    end = time.perf_counter()
    cells.end_match()
    if result.faults:
        raise SystemExit(f"a program failed: {result.faults[0]}")
    return ready - begun, end - ready, sum(seat.round for seat in seats)


def measure(cells: CellPool, homes: list[Path], isolation: Isolation, plays: int, folder: Path, *, kind: str) -> None:
    """A line of the table."""
    bare, refereed, setups = [], [], []
    play_match(cells, homes, isolation)
    for _ in range(plays):
        seconds, calls, _ = play_bare(homes, folder)
        bare.append(seconds / calls)
        setup, seconds, asked = play_match(cells, homes, isolation)
        # Asked for the name once more by the referee, which is no call of the loop.
        refereed.append(seconds / (asked + len(homes)))
        setups.append(setup)
        if asked != calls:
            raise SystemExit(f"not the same game: {calls} bare calls, {asked} refereed ones")
    loop, match, setup = (1e3 * statistics.median(column) for column in (bare, refereed, setups))
    print(f"  {kind:17} {loop:8.3f} {match:10.3f} {match / loop:7.2f} {match - loop:+9.3f} {setup:10.1f} {calls:7}")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--games", type=int, default=10)
    plays = parser.parse_args().games
    folder = Path(tempfile.mkdtemp(prefix="tiltyard-benchmark-"))
    try:
        quick = [build(folder, name, 0) for name in ("quick", "fast")]
        work = rounds_of_work(folder)
        busy = [build(folder, name, work) for name in ("busy", "slow")]
        with CellPool(readable=[str(folder)]) as cells:
            print(f"a call, in ms          bare   refereed   times      more   set-up    calls   ({plays} games each)")
            for isolation in (Isolation.SANDBOX, Isolation.PROCESS):
                print(f"{isolation}{f', level {cells.confinement.level}' if isolation is Isolation.SANDBOX else ''}")
                measure(cells, quick, isolation, plays, folder, kind="answers at once")
                measure(cells, busy, isolation, plays, folder, kind="works 8 ms first")
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
