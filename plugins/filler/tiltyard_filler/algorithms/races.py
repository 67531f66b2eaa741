"""Which squares each player reaches first: both flood the board at the same time, on any number of boards at once."""

from __future__ import annotations

from tiltyard_filler.algorithms.bitboards import Field


def race(field: Field, mine: int, theirs: int, free: int) -> tuple[int, int]:
    """The free squares that I reach before the enemy, and those that the enemy reaches before me.

    A step a turn in eight directions, through free squares only. What both reach in the same turn is nobody's and blocks both.
    All arguments are boards, or stacks of as many.
    """
    stride = field.stride
    mine_first = theirs_first = 0
    while True:
        mine |= mine << 1 | mine >> 1
        mine = (mine | mine << stride | mine >> stride) & free
        theirs |= theirs << 1 | theirs >> 1
        theirs = (theirs | theirs << stride | theirs >> stride) & free
        if not mine and not theirs:
            return mine_first, theirs_first
        free ^= mine | theirs
        both = mine & theirs
        mine ^= both
        theirs ^= both
        mine_first |= mine
        theirs_first |= theirs
