"""Who can reach what: a board as large numbers, a bit a square, so that all squares are looked at in one operation.

A row has one bit more than columns, which is always water: what is shifted out of a row falls into it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tiltyard_penguins.positions import PenguinsPosition


@dataclass(frozen=True, slots=True)
class Ice:
    """What does not change during a search: where fish are, and how far apart rows are."""

    columns: int
    stride: int
    """Bits from a square to the one below it."""
    odd: int
    """Floes with one or three fish."""
    many: int
    """Floes with two or three fish."""

    def fish(self, squares: int) -> int:
        """All fish on these floes."""
        return (squares & self.odd).bit_count() + 2 * (squares & self.many).bit_count()

    def bit(self, square: int) -> int:
        """The bit that stands for a square."""
        return 1 << (square // self.columns * self.stride + square % self.columns)

    def square(self, bit: int) -> int:
        """The square that a bit stands for."""
        row, column = divmod(bit.bit_length() - 1, self.stride)
        return row * self.columns + column


@dataclass(frozen=True, slots=True)
class State:
    """A position in a search. Players are places in the order of turns, from 0."""

    floes: int
    """Free ones."""
    penguins: tuple[int, ...]
    """A player's penguins, as bits."""
    scores: tuple[int, ...]


def read_position(position: PenguinsPosition) -> tuple[Ice, State]:
    """The board as numbers; the players in the order of their turns, those who are out left away."""
    columns = position.columns
    stride = columns + 1
    bits: dict[int, int] = {}
    for index, cell in enumerate(position.cells):
        if cell:
            bits[cell] = bits.get(cell, 0) | 1 << (index // columns * stride + index % columns)
    one, two, three = (bits.get(cell, 0) for cell in (10, 20, 30))
    scores = {row.number: row.score for row in position.players}
    penguins = tuple(bits.get(number, 0) for number in position.order)
    state = State(one | two | three, penguins, tuple(scores.get(number, 0) for number in position.order))
    return Ice(columns, stride, one | three, two | three), state


def each_bit(bits: int) -> Iterator[int]:
    """The bits of a number, one by one."""
    while bits:
        bit = bits & -bits
        yield bit
        bits ^= bit


def slides(origin: int, floes: int, stride: int) -> Iterator[int]:
    """The bits that a penguin on ``origin`` can slide to."""
    for shift in (1, stride):
        target = origin << shift
        while target & floes:
            yield target
            target <<= shift
        target = origin >> shift
        while target & floes:
            yield target
            target >>= shift


def spread(front: int, floes: int, stride: int) -> int:
    """All floes that are one slide away from any of ``front``."""
    reached = 0
    for shift in (1, stride):
        run = front << shift & floes
        while run:
            reached |= run
            run = run << shift & floes
        run = front >> shift & floes
        while run:
            reached |= run
            run = run >> shift & floes
    return reached


def region(front: int, floes: int, stride: int) -> int:
    """All floes that can be reached from ``front`` with any number of slides."""
    reached = (front << 1 | front >> 1 | front << stride | front >> stride) & floes
    last = 0
    while reached != last:
        last = reached
        reached |= (reached << 1 | reached >> 1 | reached << stride | reached >> stride) & floes
    return reached


def nearer(own: int, other: int, floes: int, stride: int) -> tuple[int, int]:
    """The floes that one side reaches with fewer slides than the other, and those of the other side; a tie is nobody's."""
    mine = theirs = 0
    unclaimed = floes
    while unclaimed and (own or other):
        own = spread(own, floes, stride) & unclaimed
        other = spread(other, floes, stride) & unclaimed
        both = own & other
        mine |= own ^ both
        theirs |= other ^ both
        unclaimed &= ~(own | other)
    return mine, theirs
