"""The parent of the web process and the service: it starts both, and starts again whichever ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Final

from tiltyard_league.database.log_lines import print_event

SHORT_SECONDS: Final = 5.0
"""A process that was killed sooner is started again after a longer pause each time."""
LONG_SECONDS: Final = 60.0
"""A process that failed by itself sooner waits as well: starting takes several seconds on a busy machine."""
LONGEST_PAUSE: Final = 10.0
FIRST_PAUSE: Final = 0.1
PATIENCE_SECONDS: Final = 20.0
"""For a process that was told to stop."""
ONE_THREAD: Final = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""For fits: where games take all cores, several threads of one fit wait for each other, and it takes ten times as long."""
HOPELESS: Final = 2
"""The exit status of a process that cannot run as things are, such as with a file that has an error.

It ends the league only if the process has never run: people are told at once what is wrong. Later, pages stay up while it is tried
again.
"""


@dataclass(slots=True)
class _Child:
    name: str
    words: Sequence[str]
    process: subprocess.Popen[bytes] | None = None
    began: float = 0.0
    pause: float = FIRST_PAUSE
    due: float = 0.0
    """When it is started again."""
    has_run: bool = False
    """Whether it has ever lasted for long."""


class Supervisor:
    """Runs processes until it is told to stop.

    Args:
        commands: the words after ``python -m`` of each process, by name; ``{parent}`` stands for the number of this process.
    """

    def __init__(self, commands: Mapping[str, Sequence[str]]) -> None:
        own = str(os.getpid())
        self._children = [_Child(name, [word.replace("{parent}", own) for word in words]) for name, words in commands.items()]
        self._stopped = False

    def run(self) -> int:
        """Until SIGTERM or SIGINT, or until a process says at its start that it cannot run at all; the exit status."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        status = 0
        while not self._stopped and not status:
            for child in self._children:
                status = status or self._look_after(child)
            time.sleep(0.05)
        self._end_all()
        return status

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self._stopped = True

    def _look_after(self, child: _Child) -> int:
        here = time.monotonic()
        if child.process is None:
            if here >= child.due:
                child.began = here
                # Their own session: Ctrl-C is for this process, which ends them in order.
                child.process = subprocess.Popen(
                    [sys.executable, "-P", "-m", *child.words],
                    stdin=subprocess.DEVNULL,
                    start_new_session=True,
                    env={**ONE_THREAD, **os.environ},
                )
            return 0
        status = child.process.poll()
        if status is None:
            return 0
        child.process = None
        lasted = here - child.began
        child.has_run = child.has_run or lasted > LONG_SECONDS
        if status == HOPELESS and not child.has_run:
            return HOPELESS
        has_lasted = lasted > (LONG_SECONDS if status > 0 else SHORT_SECONDS)
        child.pause = FIRST_PAUSE if has_lasted else min(LONGEST_PAUSE, child.pause * 2)
        child.due = here + child.pause
        print_event("supervisor", "process ended", process=child.name, status=status, again_in=round(child.pause, 1))
        return 0

    def _end_all(self) -> None:
        running = [child.process for child in self._children if child.process is not None]
        for process in running:
            process.terminate()
        until = time.monotonic() + PATIENCE_SECONDS
        for process in running:
            try:
                process.wait(max(0.0, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
