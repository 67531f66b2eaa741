"""``nearest``: puts each piece as near to the enemy as it can. The robot to read first."""

from __future__ import annotations

from functools import partial

from tiltyard_filler.algorithms.bitboards import BitboardRobot, Turn, squares_of
from tiltyard_filler.algorithms.distances import nearest_placements
from tiltyard_filler.standalone import play


class Nearest(BitboardRobot):
    """Of all legal placements, the first of those with a cell nearest to the enemy."""

    def choose_corner(self, turn: Turn) -> int:
        """The first of the nearest."""
        best = nearest_placements(turn.field, turn.legal, turn.shape, own=turn.own, enemy=turn.enemy, free=turn.free, minimum=1)
        return squares_of(best)[0]


main = partial(play, Nearest)
"""Play one game as a program of its own."""
