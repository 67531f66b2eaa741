"""``champion``: judges what it reaches before the enemy does, after the enemy's best answers to its own best moves."""

from __future__ import annotations

from typing import Final

from tiltyard_engine.turns import TurnAlgorithm
from tiltyard_filler.algorithms.bitboards import NOWHERE, Turn, squares_of
from tiltyard_filler.algorithms.distances import nearest_placements
from tiltyard_filler.algorithms.races import race
from tiltyard_filler.positions import FillerPosition, Placement
from tiltyard_filler.standalone import play

CANDIDATES: Final = 60
"""So many placements are judged, those nearest to the enemy; at most twice as many where many are as near."""


class Champion(TurnAlgorithm[FillerPosition, Placement]):
    """Works within a budget of squares, not of time: the same position always gets the same answer."""

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
        mine = field.stack([turn.own | shape.bits << corner for corner in corners])
        free = field.repeat(turn.free, count) & ~mine
        mine_first, theirs_first = race(field, mine, field.repeat(turn.enemy, count), free)
        values = [a - b for a, b in zip(field.counts(mine_first, count), field.counts(theirs_first, count), strict=True)]
        return turn.answer(corners[max(range(count), key=values.__getitem__)])


def main() -> None:
    """Play one game as a program of its own."""
    play(Champion)


if __name__ == "__main__":
    main()
