"""Filling a part of the board that nobody disputes: as tightly as pieces that nobody knows yet allow.

Whoever cannot place a piece is out, so what counts is that the free squares stay together. Two things do that: to begin in one
corner and go on along the diagonals, and to leave as little edge as possible between the own territory and the free squares.
"""

from __future__ import annotations

from tiltyard_filler.algorithms.bitboards import Field, Turn, squares_of


def choose_filling(turn: Turn) -> int:
    """The corner of the best placement; there must be one."""
    field, shape = turn.field, turn.shape
    cells = len(shape.shifts)
    # Sums over the cells, not means, keep all numbers whole.
    shape_sum = sum(map(sum, (divmod(shift, field.stride) for shift in shape.shifts)))
    swept = sorted((cells * sum(divmod(corner, field.stride)) + shape_sum, corner) for corner in squares_of(turn.legal))
    before = open_edges(field, turn.own, turn.free)
    # No piece closes more than four edges a cell.
    most = 4 * cells * cells
    best, best_cost = swept[0][1], float("inf")
    for sweep, corner in swept:
        if sweep - most >= best_cost:
            break
        placed = shape.bits << corner
        cost = sweep + cells * (open_edges(field, turn.own | placed, turn.free & ~placed) - before)
        if cost < best_cost:
            best, best_cost = corner, cost
    return best


def open_edges(field: Field, own: int, free: int) -> int:
    """How many sides of free squares are sides of own ones."""
    stride = field.stride
    sides = (own << 1, own >> 1, own << stride, own >> stride)
    return sum([(side & free).bit_count() for side in sides])
