"""``voronoi``: takes the placement after which it reaches the most squares before the enemy does."""

from __future__ import annotations

from typing import Final

from tiltyard_engine.turns import TurnAlgorithm
from tiltyard_filler.algorithms.bitboards import NOWHERE, Turn, squares_of
from tiltyard_filler.algorithms.distances import nearest_placements
from tiltyard_filler.algorithms.races import race
from tiltyard_filler.positions import FillerPosition, Placement
from tiltyard_filler.standalone import play

CANDIDATES: Final = 60
"""So many placements are judged, those nearest to the enemy."""


class Voronoi(TurnAlgorithm[FillerPosition, Placement]):
    """Plain, and strong: it draws the border where it is best for itself, and so walls the enemy in."""

    def __init__(self, seat: int) -> None:
        pass

    def choose(self, position: FillerPosition) -> Placement:
        """Legal wherever there is a legal one."""
        turn = Turn(position)
        if not turn.legal:
            return NOWHERE
        field, shape = turn.field, turn.shape
        near = nearest_placements(field, turn.legal, shape, turn.own, turn.enemy, turn.free, CANDIDATES)
        corners = squares_of(near)[: CANDIDATES * 2]
        count = len(corners)
        placed = [shape.bits << corner for corner in corners]
        mine = field.stack([turn.own | cells for cells in placed])
        free = field.repeat(turn.free, count) & ~mine
        mine_first, _ = race(field, mine, field.repeat(turn.enemy, count), free)
        reached = field.counts(mine_first, count)
        return turn.answer(corners[max(range(count), key=reached.__getitem__)])


def main() -> None:
    """Play one game as a program of its own."""
    play(Voronoi)


if __name__ == "__main__":
    main()
