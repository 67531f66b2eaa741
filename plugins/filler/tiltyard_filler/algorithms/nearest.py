"""``nearest``: puts each piece as near to the enemy as it can. The robot to read first."""

from __future__ import annotations

from tiltyard_engine.turns import TurnAlgorithm
from tiltyard_filler.algorithms.bitboards import NOWHERE, Turn, squares_of
from tiltyard_filler.algorithms.distances import nearest_placements
from tiltyard_filler.positions import FillerPosition, Placement
from tiltyard_filler.standalone import play


class Nearest(TurnAlgorithm[FillerPosition, Placement]):
    """Of all legal placements, the first of those with a cell nearest to the enemy."""

    def __init__(self, seat: int) -> None:
        pass

    def choose(self, position: FillerPosition) -> Placement:
        """Legal wherever there is a legal one."""
        turn = Turn(position)
        if not turn.legal:
            return NOWHERE
        best = nearest_placements(turn.field, turn.legal, turn.shape, turn.own, turn.enemy, turn.free, 1)
        return turn.answer(squares_of(best)[0])


def main() -> None:
    """Play one game as a program of its own."""
    play(Nearest)


if __name__ == "__main__":
    main()
