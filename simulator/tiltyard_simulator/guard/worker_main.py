"""What runs in a match worker: ``python -m tiltyard_simulator.guard.worker_main CHANNEL PARENT``."""

from __future__ import annotations

import signal
import sys

from tiltyard_engine.errors import UserError
from tiltyard_simulator.guard.confinement.privileges import end_with_parent
from tiltyard_simulator.guard.wire import read_frame, write_frame
from tiltyard_simulator.guard.workers import ENCODER, SPECS, Played, Ready, Refused
from tiltyard_simulator.playing import Arena


def main(channel: int, parent: int) -> None:
    """Play what comes on ``channel`` until it closes, or until the coordinating process ``parent`` is gone."""
    # Ctrl-C is the coordinating process's to handle; its end, however it comes, is this process's end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent(parent)
    write_frame(channel, 0, ENCODER.encode(Ready()))
    with Arena() as arena:
        while True:
            try:
                number, body = read_frame(channel)
            except EOFError:
                return
            try:
                answer: Played | Refused = Played(arena.play(SPECS.decode(body)))
            except UserError as error:
                answer = Refused(str(error))
            write_frame(channel, number, ENCODER.encode(answer))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
