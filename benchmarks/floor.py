"""What the machine itself asks for a sandboxed match: messages between two processes, and a process for each cell.

    .venv/bin/python benchmarks/floor.py

CPU microseconds of both processes together. The first row is two bare Python processes that do nothing but write and read messages
as small as those of a match, on one core. The second is a process of a cell's size that is forked, writes to as many pages as a
cell does, and ends. Neither is confined, and neither runs anybody's code, so a match can't take less. ``sandbox.py --breakdown``
measures them too, next to what matches take.
"""

from __future__ import annotations

import os
import select
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from measuring import command_line, with_cpu_seconds
from tabulate import tabulate

from tiltyard_simulator.guard.cells.zygote import PRELOADED

ROUNDS: Final = 5
EXCHANGES: Final = 20_000
FORKS: Final = 50
QUESTION: Final = b"q" * 120
ANSWER: Final = b"a" * 30
"""Typical sizes, in bytes, of what a tank is shown and answers."""
PAGES: Final = 515
"""How many pages the kernel copied or mapped for a cell of the sample teams: its minor page faults."""
IMPORTED: Final = ("tiltyard_simulator.guard.zygote_main", *PRELOADED, "tiltyard_tanks.plugin")
"""What a zygote has imported."""
FORKING: Final = """
import ctypes, gc, importlib, mmap, os, sys
pages, forks, *names = sys.argv[1:]
for name in names:
    importlib.import_module(name)
touched = range(0, int(pages) * mmap.PAGESIZE, mmap.PAGESIZE)
memory = mmap.mmap(-1, max(len(touched), 1) * mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
for place in touched:
    memory[place] = 1
gc.collect()
gc.freeze()
library = ctypes.PyDLL(None)
for _ in range(int(forks)):
    if library.fork() == 0:
        for place in touched:
            memory[place] = 2
        os._exit(0)
    os.wait()
"""


@dataclass(frozen=True)
class Floor:
    """CPU seconds of all processes."""

    exchange: float
    """A question and its answer."""
    cell: float
    """A process: forked, its pages touched, ended."""


def measure() -> Floor:
    """The least of some rounds: other processes can only add to it."""
    exchange = min(_more(_exchange, EXCHANGES) for _ in range(ROUNDS))
    return Floor(exchange, min(_more(_fork, FORKS) for _ in range(ROUNDS)))


def _more(work: Callable[[int], None], count: int) -> float:
    """What doing something ``count`` times takes each time, without what beginning takes."""
    _, none = with_cpu_seconds(lambda: work(0))
    _, all_of_them = with_cpu_seconds(lambda: work(count))
    return (all_of_them - none) / count


def _exchange(count: int) -> None:
    """As a host and a cell do it, without anything around it."""
    with suppress(OSError):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    (questions, ask), (answers, answer) = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ask)
        while os.read(questions, 4096):
            os.write(answer, ANSWER)
        os._exit(0)
    os.close(questions)
    poller = select.poll()
    poller.register(answers, select.POLLIN)
    for _ in range(count):
        os.write(ask, QUESTION)
        poller.poll(1000)
        os.read(answers, 4096)
    os.close(ask)
    os.waitpid(child, 0)


def _fork(count: int) -> None:
    subprocess.run([sys.executable, "-c", FORKING, str(PAGES), str(count), *IMPORTED], check=True)


def main() -> None:
    """Measure and print."""
    command_line(__doc__).parse_args()
    floor = measure()
    rows = [("a question and its answer", 1e6 * floor.exchange), ("a process of a cell's size", 1e6 * floor.cell)]
    print(f"CPU time of all processes; the least of {ROUNDS} rounds\n")
    print(tabulate(rows, ("what the machine asks", "microseconds"), floatfmt=".1f"))


if __name__ == "__main__":
    main()
