"""Filling a part of the board that nobody disputes: as tightly as pieces that nobody knows yet allow.

Whoever cannot place a piece is out, so what counts is that the free squares stay together. Two things do that: to begin in one
corner and go on along the diagonals, and to leave as little edge as possible between the own territory and the free squares.
Of the placements that are best by both, that one is taken after which the fewest of many pieces would find no place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tiltyard_filler.algorithms.bitboards import Field, Shape, Turn, squares_of

FINALISTS: Final = 12
"""Placements for which pieces are tried."""
NO_PLACE: Final = 4
ONE_PLACE: Final = 1
"""What it costs that a piece would find none, or a single one that the next piece may take away."""


def choose_filling(turn: Turn, pieces: Sequence[Shape]) -> int:
    """The corner of the best placement; there must be one. ``pieces`` are examples of those that may come."""
    finalists = _tightest(turn)
    costs = _costs(turn, finalists, pieces)
    return finalists[min(range(len(finalists)), key=costs.__getitem__)]


def _tightest(turn: Turn) -> list[int]:
    """Corners, the best one first."""
    field, shape = turn.field, turn.shape
    cells = len(shape.shifts)
    # Sums over the cells, not means, keep all numbers whole.
    shape_sum = sum(map(sum, (divmod(shift, field.stride) for shift in shape.shifts)))
    swept = sorted((cells * sum(divmod(corner, field.stride)) + shape_sum, corner) for corner in squares_of(turn.legal))
    before = open_edges(field, turn.own, turn.free)
    # No piece closes more than four edges a cell.
    most = 4 * cells * cells
    best: list[tuple[int, int, int]] = []
    for sweep, corner in swept:
        if len(best) == FINALISTS and sweep - most >= best[-1][0]:
            break
        squares = shape.bits << corner
        cost = sweep + cells * (open_edges(field, turn.own | squares, turn.free & ~squares) - before)
        best = sorted([*best, (cost, sweep, corner)])[:FINALISTS]
    return [corner for _, _, corner in best]


def _costs(turn: Turn, corners: Sequence[int], pieces: Sequence[Shape]) -> list[int]:
    """By corner: what the pieces that would find few places cost."""
    field, count = turn.field, len(corners)
    own = field.stack([turn.own | turn.shape.bits << corner for corner in corners])
    free = field.repeat(turn.free, count) & ~own
    costs = [0] * count
    for piece in pieces if count > 1 else ():
        legal = field.placements(own, free, piece, count)
        for index, places in enumerate(field.counts(legal, count)):
            if places < 2:
                costs[index] += ONE_PLACE if places else NO_PLACE
    return costs


def open_edges(field: Field, own: int, free: int) -> int:
    """How many sides of free squares are sides of own ones."""
    stride = field.stride
    sides = (own << 1, own >> 1, own << stride, own >> stride)
    return sum([(side & free).bit_count() for side in sides])  # noqa: C419 -- faster than a generator
