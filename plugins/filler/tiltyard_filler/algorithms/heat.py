"""``heat``: the heat map that most robots of this game use."""

from __future__ import annotations

from tiltyard_engine.turns import TurnAlgorithm
from tiltyard_filler.algorithms.bitboards import NOWHERE, Turn, squares_of
from tiltyard_filler.algorithms.distances import rings
from tiltyard_filler.positions import FillerPosition, Placement
from tiltyard_filler.standalone import play


class Heat(TurnAlgorithm[FillerPosition, Placement]):
    """Takes the placement whose cells lie, summed up, nearest to the enemy.

    Every free square is as warm as it is far from the enemy on foot, in eight directions around all territories; one that the
    enemy cannot reach is warmer than any that it can.
    """

    def __init__(self, seat: int) -> None:
        pass

    def choose(self, position: FillerPosition) -> Placement:
        """Legal wherever there is a legal one."""
        turn = Turn(position)
        if not turn.legal:
            return NOWHERE
        warmth = self._warmth(turn)
        shifts = turn.shape.shifts
        return turn.answer(min(squares_of(turn.legal), key=lambda corner: sum([warmth[corner + shift] for shift in shifts])))

    @staticmethod
    def _warmth(turn: Turn) -> list[int]:
        """By square; 0 on territories."""
        field = turn.field
        warmth = [0] * field.bits
        left, distance = turn.free, 0
        for distance, ring in enumerate(rings(field, turn.enemy, turn.free), start=1):
            left ^= ring
            for square in squares_of(ring):
                warmth[square] = distance
        for square in squares_of(left):
            warmth[square] = distance + 1
        return warmth


def main() -> None:
    """Play one game as a program of its own."""
    play(Heat)


if __name__ == "__main__":
    main()
