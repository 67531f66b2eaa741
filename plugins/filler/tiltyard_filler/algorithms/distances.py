"""How far squares lie from a territory, as sets: all within one step, within two, and so on."""

from __future__ import annotations

from collections.abc import Iterator

from tiltyard_filler.algorithms.bitboards import Field, Shape


def rings(field: Field, start: int, open_squares: int) -> Iterator[int]:
    """The open squares that are one step from ``start``, then those that are two, until no more are reached.

    A step goes to any of the eight neighbours, through open squares only.
    """
    reached = field.grow(start) & open_squares
    while reached:
        yield reached
        open_squares ^= reached
        reached = field.grow(reached) & open_squares


def covering(squares: int, shape: Shape) -> int:
    """The corners from which a shape covers at least one of the squares."""
    corners = 0
    for shift in shape.shifts:
        corners |= squares >> shift
    return corners


def nearest_placements(field: Field, legal: int, shape: Shape, *, own: int, enemy: int, free: int, minimum: int) -> int:
    """Of the legal corners those whose shapes come nearest to the enemy: whole distances, until at least ``minimum`` of them.

    What cannot reach the enemy comes last, all at once.
    """
    nearest = 0
    for ring in rings(field, enemy, free | own):
        nearest |= legal & covering(ring & free, shape)
        if nearest.bit_count() >= minimum:
            return nearest
    return legal
