"""``voronoi``: takes the placement after which it reaches the most squares before the enemy does."""

from __future__ import annotations

from functools import partial
from typing import Final

from tiltyard_filler.algorithms.bitboards import BitboardRobot, Turn, squares_of
from tiltyard_filler.algorithms.distances import nearest_placements
from tiltyard_filler.algorithms.races import race
from tiltyard_filler.standalone import play

CANDIDATES: Final = 60
"""The number of placements that are judged: those nearest to the enemy."""


class Voronoi(BitboardRobot):
    """Plain, and strong: it draws the border where it is best for itself, and so walls the enemy in."""

    def choose_corner(self, turn: Turn) -> int:
        """The first of those that reach the most."""
        field, shape = turn.field, turn.shape
        near = nearest_placements(field, turn.legal, shape, own=turn.own, enemy=turn.enemy, free=turn.free, minimum=CANDIDATES)
        corners = squares_of(near)[: CANDIDATES * 2]
        count = len(corners)
        shapes = [shape.bits << corner for corner in corners]
        mine = field.stack([turn.own | cells for cells in shapes])
        free = field.repeat(turn.free, count) & ~mine
        mine_first, _ = race(field, mine, field.repeat(turn.enemy, count), free)
        reached = field.counts(mine_first, count)
        return corners[max(range(count), key=reached.__getitem__)]


main = partial(play, Voronoi)
"""Play one game as a program of its own."""
