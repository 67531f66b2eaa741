"""``heat``: the heat map that most robots of this game use."""

from __future__ import annotations

from functools import partial

from tiltyard_filler.algorithms.bitboards import BitboardRobot, Turn, squares_of
from tiltyard_filler.algorithms.distances import rings
from tiltyard_filler.standalone import play


class Heat(BitboardRobot):
    """Takes the placement whose cells lie, summed up, nearest to the enemy.

    Every free square is as warm as it is far from the enemy on foot, in eight directions around all territories; one that the
    enemy cannot reach is warmer than any that it can.
    """

    def choose_corner(self, turn: Turn) -> int:
        """The first of the coldest."""
        warmth = self._warmth(turn)
        shifts = turn.shape.shifts

        def heat(corner: int) -> int:
            return sum([warmth[corner + shift] for shift in shifts])  # noqa: C419 -- faster than a generator

        return min(squares_of(turn.legal), key=heat)

    @staticmethod
    def _warmth(turn: Turn) -> list[int]:
        """By square; 0 on territories."""
        field = turn.field
        warmth = [0] * field.bits
        rest, distance = turn.free, 0
        for distance, ring in enumerate(rings(field, turn.enemy, turn.free), start=1):
            rest ^= ring
            for square in squares_of(ring):
                warmth[square] = distance
        for square in squares_of(rest):
            warmth[square] = distance + 1
        return warmth


main = partial(play, Heat)
"""Play one game as a program of its own."""
