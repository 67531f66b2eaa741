"""What runs in a match worker: ``python -m tiltyard_simulator.play.worker_main CHANNEL PARENT CORE``."""

from __future__ import annotations

import contextlib
import signal
import sys
from pathlib import Path
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_simulator.guard.cells.wire import read_frame, write_frame
from tiltyard_simulator.guard.confinement.kernel.privileges import end_with_parent
from tiltyard_simulator.play.arena import Arena
from tiltyard_simulator.play.worker_messages import ENCODER, TASKS, Noted, Played, Ready, RefusedMatch

NAME: Final = "tiltyard worker"
"""What ``ps`` and ``top`` call a worker; the kernel keeps 15 characters."""


def main(channel: int, parent: int, core: int) -> None:
    """Play the matches that come on ``channel``, until it is closed or the process ``parent`` is gone. A ``core`` of -1 is any."""
    # The coordinating process handles Ctrl-C. This process ends with it, however it ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent(parent)
    with contextlib.suppress(OSError):
        Path("/proc/self/comm").write_text(NAME, encoding="ascii")
    # The channel may be closed a moment before the kernel ends this process. That is no error.
    with contextlib.suppress(_CoordinatorGoneError):
        _play(channel, core if core >= 0 else None)


class _CoordinatorGoneError(Exception):
    """Nobody is at the channel's other end."""


def _play(channel: int, core: int | None) -> None:
    _write(channel, 0, Ready())
    with Arena(core, tell=lambda text: _write(channel, 0, Noted(text))) as arena:
        while True:
            try:
                number, body = read_frame(channel)
            except (EOFError, ConnectionError) as error:
                raise _CoordinatorGoneError from error
            try:
                task = TASKS.decode(body)
                arena.level = task.level
                arena.preload(task.preload, task.readable)
                answer: Played | RefusedMatch = Played(arena.play(task.spec))
            except UserError as error:
                answer = RefusedMatch(str(error))
            _write(channel, number, answer)


def _write(channel: int, number: int, answer: Ready | Played | RefusedMatch | Noted) -> None:
    try:
        write_frame(channel, number, ENCODER.encode(answer))
    except ConnectionError as error:
        raise _CoordinatorGoneError from error


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
