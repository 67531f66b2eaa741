"""The subject's piece generator, exactly: the same pieces from the same seed and board size.

The subject's engine is a Go program that seeds Go's generator again for every number it draws. Go's generator holds 607 words and
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
    331: 17373756736854165569,
    332: 4287360518296753003,
    333: 13813372221700659651,
    604: 8382142935188824023,
    605: 9103922860780351547,
    606: 4152330101494654406,
}
"""The constants of the words that are used, by their place: those of the first three outputs."""
FIRST_WORDS: Final = (333, 606)
"""The sum of these is the first output; that of the words before them is the next."""

MOST_CELLS: Final = 13
"""A shape has fewer than that."""
NEIGHBOURS: Final = ((1, 0), (-1, 0), (0, -1), (1, 1), (-1, -1), (0, 1), (-1, 1), (1, -1))
"""Row and column steps, in the order in which the walk looks at them."""


def _factor(step: int) -> int:
    """What the seed is multiplied by for the chain's ``step``-th value, from 1."""
    return pow(48271, step, MODULUS)


_WORDS: Final = [
    [(_factor(21 + 3 * word), _factor(22 + 3 * word), _factor(23 + 3 * word), COOKED[word]) for word in (first, second)]
    for first, second in ((FIRST_WORDS[0] - place, FIRST_WORDS[1] - place) for place in range(3))
]
"""By output: what its two words are made of."""


def int31(seed: int, place: int) -> int:
    """31 random bits: the output at ``place``, from 0, of Go's generator after ``rand.Seed(seed)``."""
    x = seed % MODULUS or ZERO_SEED
    total = 0
    for first, second, third, cooked in _WORDS[place]:
        total += (first * x % MODULUS << 40) ^ (second * x % MODULUS << 20) ^ (third * x % MODULUS) ^ cooked
    return total >> 32 & MODULUS


def bounded(seed: int, count: int) -> int:
    """Go's ``Intn(count)`` after ``rand.Seed(seed)``.

    Draws that would make small numbers more likely are repeated, which happens once in a hundred million times with such counts.
    """
    most = MODULUS - (1 << 31) % count
    bits = int31(seed, 0)
    place = 1
    while bits > most and place < 3:
        bits = int31(seed, place)
        place += 1
    return bits % count


class PieceGenerator:
    """The pieces of one match, one after the other. They depend on the seed and the board's size alone."""

    def __init__(self, seed: int, width: int, height: int) -> None:
        self._seed: int = seed
        """That of the next number: a signed number of 64 bits, which goes up by one with every draw."""
        self._widths: int = width // 5 + 1
        self._heights: int = height // 5 + 1

    def draw(self) -> Piece:
        """Draw the next piece, exactly as the subject's engine would."""
        height = self._between(1, self._heights)
        width = self._between(1, self._widths)
        if height == 1 and width == 1:
            self._between(0, 1)
            height = 2
        cells = self._between(2, min(width * height, MOST_CELLS))
        row = self._between(0, height - 1)
        column = self._between(0, width - 1)
        box = bytearray(b"." * (width * height))
        self._walk(box, width, height, cells, row=row, column=column)
        return Piece(width, height, bytes(box))

    def _between(self, low: int, high: int) -> int:
        """From ``low`` to ``high - 1``; ``low`` itself, without a draw, where both are the same."""
        if low == high:
            return low
        number = low + bounded(self._seed, high - low)
        self._seed += 1
        if self._seed == 1 << 63:
            self._seed = -(1 << 63)
        return number

    def _walk(self, box: bytearray, width: int, height: int, cells: int, *, row: int, column: int) -> int:
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
            cell = free[self._between(0, len(free))]
            box[cell] = 0x4F
            cells = self._walk(box, width, height, cells - 1, row=cell // width, column=cell % width)
        return 0
