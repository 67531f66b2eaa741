"""A Python algorithm as a program of its own: it speaks the subject's protocol on standard input and output.

So it plays under any engine of the subject. A robot is two lines::

    if __name__ == "__main__":
        play(MyRobot)
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import BinaryIO

from tiltyard_engine.exit_status import discard_output
from tiltyard_engine.turns import TurnAlgorithm
from tiltyard_filler.anfield import ProtocolError, read_hello, read_position, write_placement
from tiltyard_filler.positions import FillerPosition, Placement


def play(
    create: Callable[[int], TurnAlgorithm[FillerPosition, Placement]],
    source: BinaryIO | None = None,
    target: BinaryIO | None = None,
) -> None:
    """Play one game to its end: as the player that the first line names, with the algorithm that ``create(player)`` makes.

    The end of the input is the end of the game, wherever it comes, and so is an engine that no longer reads.

    Raises:
        ProtocolError: what came is not of the protocol.
    """
    lines, target = _Lines(source or sys.stdin.buffer), target or sys.stdout.buffer
    try:
        player = read_hello(lines.read())
        algorithm = create(player)
        started = False
        while (position := read_position(lines.read, player)) is not None:
            if not started:
                algorithm.start(position)
                started = True
            # In one write: some engines read once and take what they get for the whole answer.
            target.write(write_placement(algorithm.choose(position)))
            target.flush()
    except ProtocolError:
        if not lines.has_ended:
            raise
    except BrokenPipeError:
        discard_output(target)


class _Lines:
    """The input, which remembers that it has come to its end."""

    def __init__(self, source: BinaryIO) -> None:
        self._source = source
        self.has_ended = False

    def read(self) -> bytes:
        line = self._source.readline()
        # A line without its line feed is the rest of one: whoever wrote it is gone.
        self.has_ended = not line.endswith(b"\n")
        return line
