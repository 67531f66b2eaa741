"""A Python algorithm as a program of its own: it speaks the subject's protocol on standard input and output.

So it plays under any engine of the subject. A robot is two lines::

    if __name__ == "__main__":
        play(MyRobot)
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import BinaryIO

from tiltyard_engine.turns import TurnAlgorithm
from tiltyard_filler.anfield import read_hello, read_position, write_placement
from tiltyard_filler.positions import FillerPosition, Placement


def play(
    create: Callable[[int], TurnAlgorithm[FillerPosition, Placement]],
    source: BinaryIO | None = None,
    target: BinaryIO | None = None,
) -> None:
    """Play one game to its end: as the player that the first line names, with the algorithm that ``create(player)`` makes.

    Raises:
        ProtocolError: what came is not of the protocol.
    """
    source, target = source or sys.stdin.buffer, target or sys.stdout.buffer
    player = read_hello(source.readline())
    algorithm = create(player)
    started = False
    while (position := read_position(source.readline, player)) is not None:
        if not started:
            algorithm.start(position)
            started = True
        # In one write: some engines read once and take what they get for the whole answer.
        target.write(write_placement(algorithm.choose(position)))
        target.flush()
