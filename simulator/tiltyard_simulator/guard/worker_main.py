"""What runs in a match worker: ``python -m tiltyard_simulator.guard.worker_main CHANNEL PARENT CORE``."""

from __future__ import annotations

import contextlib
import signal
import sys

from tiltyard_engine.errors import UserError
from tiltyard_simulator.guard.confinement.privileges import end_with_parent
from tiltyard_simulator.guard.wire import read_frame, write_frame
from tiltyard_simulator.guard.workers import ENCODER, SPECS, Played, Ready, Refused
from tiltyard_simulator.playing import Arena


def main(channel: int, parent: int, core: int) -> None:
    """Play what comes on ``channel`` until it closes, or until the coordinating process ``parent`` is gone; -1 is no core."""
    # Ctrl-C is the coordinating process's to handle; its end, however it comes, is this process's end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent(parent)
    # Its channel may close a moment before the kernel ends this process with it: nobody is left to hear of that.
    with contextlib.suppress(_CoordinatorGoneError):
        _play(channel, core if core >= 0 else None)


class _CoordinatorGoneError(Exception):
    """Nobody is at the channel's other end."""


def _play(channel: int, core: int | None) -> None:
    _write(channel, 0, Ready())
    with Arena(core) as arena:
        while True:
            try:
                number, body = read_frame(channel)
            except (EOFError, ConnectionError) as error:
                raise _CoordinatorGoneError from error
            try:
                answer: Played | Refused = Played(arena.play(SPECS.decode(body)))
            except UserError as error:
                answer = Refused(str(error))
            _write(channel, number, answer)


def _write(channel: int, number: int, answer: Ready | Played | Refused) -> None:
    try:
        write_frame(channel, number, ENCODER.encode(answer))
    except ConnectionError as error:
        raise _CoordinatorGoneError from error


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
