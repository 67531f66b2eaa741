"""Which squares each player reaches first: both flood the board at the same time, on any number of boards at once.

What both reach in the same turn is nobody's and blocks both. All arguments are boards, or stacks of as many; the answer is the
free squares that I reach first, and those that the enemy does.
"""

from __future__ import annotations

from tiltyard_filler.algorithms.bitboards import Field


def race(field: Field, mine: int, theirs: int, free: int) -> tuple[int, int]:
    """A step a turn to any of the eight neighbours."""
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


def octagon_race(field: Field, mine: int, theirs: int, free: int) -> tuple[int, int]:
    """Steps to the four neighbours and to all eight take turns, so that what is reached in some steps has eight sides.

    Pieces seldom grow along a diagonal as fast as along a row, and seldom slip through a diagonal gap: this is nearer to what they
    do than ``race``, and a robot that reckons with it beats one that reckons with that.
    """
    stride = field.stride
    mine_first = theirs_first = 0
    is_wide = False
    while True:
        near = mine | mine << 1 | mine >> 1
        mine_new = (near | (near if is_wide else mine) << stride | (near if is_wide else mine) >> stride) & free
        near = theirs | theirs << 1 | theirs >> 1
        theirs_new = (near | (near if is_wide else theirs) << stride | (near if is_wide else theirs) >> stride) & free
        if mine_new or theirs_new:
            free ^= mine_new | theirs_new
            both = mine_new & theirs_new
            mine_new ^= both
            theirs_new ^= both
            mine_first |= mine_new
            theirs_first |= theirs_new
            mine |= mine_new
            theirs |= theirs_new
        elif is_wide:
            # A wide step reaches all that a narrow one does.
            return mine_first, theirs_first
        is_wide = not is_wide
