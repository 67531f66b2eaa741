"""The subject's piece generator, exactly: the same pieces from the same seed and board size.

The subject's engine is a Go program that seeds Go's generator anew for every number it draws. Go's generator holds 607 words and
its first output is the sum of two of them, so that only these two have to be worked out: each comes from three values of
a linear congruential chain, which are reached from the seed by one multiplication, and a constant.
"""

from __future__ import annotations

from typing import Final

from tiltyard_filler.positions import Piece

MODULUS: Final = (1 << 31) - 1
ZERO_SEED: Final = 89482311
"""What Go takes for a seed that is 0."""
COOKED: Final = {
    333: 13813372221700659651,
    606: 4152330101494654406,
}
"""The constants of the words that are used, by their place."""

MOST_CELLS: Final = 13
"""A shape has fewer than that."""
NEIGHBOURS: Final = ((1, 0), (-1, 0), (0, -1), (1, 1), (-1, -1), (0, 1), (-1, 1), (1, -1))
"""Row and column steps, in the order in which the walk looks at them."""


def _factor(step: int) -> int:
    """What the seed is multiplied by for the chain's ``step``-th value, from 1."""
    return pow(48271, step, MODULUS)


A1: Final = _factor(21 + 3 * 333)
A2: Final = _factor(22 + 3 * 333)
A3: Final = _factor(23 + 3 * 333)
A_COOKED: Final = COOKED[333]
B1: Final = _factor(21 + 3 * 606)
B2: Final = _factor(22 + 3 * 606)
B3: Final = _factor(23 + 3 * 606)
B_COOKED: Final = COOKED[606]


def first_int31(seed: int) -> int:
    """The first 31 random bits of Go's generator after ``rand.Seed(seed)``."""
    x = seed % MODULUS or ZERO_SEED
    first = (A1 * x % MODULUS << 40) ^ (A2 * x % MODULUS << 20) ^ (A3 * x % MODULUS) ^ A_COOKED
    second = (B1 * x % MODULUS << 40) ^ (B2 * x % MODULUS << 20) ^ (B3 * x % MODULUS) ^ B_COOKED
    return (first + second) >> 32 & MODULUS


class PieceGenerator:
    """The pieces of one match, one after the other. They depend on the seed and the board's size alone."""

    def __init__(self, seed: int, width: int, height: int) -> None:
        self._seed: int = seed
        """That of the next number: a signed number of 64 bits, which goes up by one with every draw."""
        self._widths: int = width // 5 + 1
        self._heights: int = height // 5 + 1

    def draw(self) -> Piece:
        """The next piece."""
        height = self._between(1, self._heights)
        width = self._between(1, self._widths)
        if height == 1 and width == 1:
            self._between(0, 1)
            height = 2
        cells = self._between(2, min(width * height, MOST_CELLS))
        row = self._between(0, height - 1)
        column = self._between(0, width - 1)
        box = bytearray(b"." * (width * height))
        self._walk(box, width, height, cells, row, column)
        return Piece(width, height, bytes(box))

    def _between(self, low: int, high: int) -> int:
        """From ``low`` to ``high - 1``; ``low`` itself, without a draw, where both are the same."""
        if low == high:
            return low
        count = high - low
        bits = first_int31(self._seed)
        self._seed += 1
        if self._seed == 1 << 63:
            self._seed = -(1 << 63)
        return low + bits % count

    def _walk(self, box: bytearray, width: int, height: int, cells: int, row: int, column: int) -> int:
        """Set up to ``cells`` cells by a walk that begins beside ``(row, column)`` and turns back where it is stuck.

        Returns how many it could not set.
        """
        while cells > 0:
            free: list[int] = []
            for step in NEIGHBOURS:
                next_row, next_column = row + step[0], column + step[1]
                if 0 <= next_row < height and 0 <= next_column < width:
                    square = next_row * width + next_column
                    if box[square] == 0x2E:
                        free.append(square)
            if not free:
                return cells
            chosen = free[self._between(0, len(free))]
            box[chosen] = 0x4F
            cells = self._walk(box, width, height, cells - 1, chosen // width, chosen % width)
        return 0
