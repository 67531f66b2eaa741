"""Boards as large whole numbers, a bit a square: a flood of the whole board is a few shifts, whatever its size.

Squares are numbered row by row with one unused column behind each row and one unused row behind the last, so that what is
shifted over an edge falls on a square that is never free. Several boards laid one behind the other in one number, a *stack*, are
flooded as fast as one: that is how all candidates for a move are judged at the same time.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from tiltyard_engine.turns import TurnAlgorithm
from tiltyard_filler.positions import OWN_CELLS, FillerPosition, Piece, Placement

_IS_OWN: Final = [bytes(49 if cell in OWN_CELLS[player] else 48 for cell in range(256)) for player in range(3)]
"""By player: each character of a board as the digit 1 where it is the player's."""


class Shape:
    """A piece without the empty rows and columns of its box.

    Attributes:
        shifts: how far each of its cells lies behind its top left corner.
        bits: the same as a set.
        room: squares where the corner may be so that the shape does not hang over an edge.
    """

    def __init__(self, field: Field, piece: Piece) -> None:
        offsets = piece.offsets
        self.left = min((x for x, _ in offsets), default=0)
        self.top = min((y for _, y in offsets), default=0)
        self.width = max((x for x, _ in offsets), default=0) - self.left + 1
        self.height = max((y for _, y in offsets), default=0) - self.top + 1
        self.shifts = [(y - self.top) * field.stride + x - self.left for x, y in offsets]
        self.bits = sum(1 << shift for shift in self.shifts)
        self.room = field.rectangle(field.width - self.width + 1, field.height - self.height + 1) if offsets else 0


class Field:
    """All that depends on a board's size alone."""

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self.stride = width + 1
        self.bytes = (self.stride * (height + 1) + 7) // 8
        """A board's length in a stack."""
        self.bits = self.bytes * 8
        self.inside = self.rectangle(width, height)

    def rectangle(self, width: int, height: int) -> int:
        """The squares of the first ``width`` columns and ``height`` rows."""
        if width <= 0 or height <= 0:
            return 0
        row = b"1" * width + b"0" * (self.stride - width)
        return int((row * height)[::-1], 2)

    def read(self, board: bytes, player: int) -> int:
        """The squares of a player's territory."""
        digits = board.translate(_IS_OWN[player])
        width = self.width
        return int(b"0".join([digits[start : start + width] for start in range(0, len(digits), width)])[::-1], 2)

    def grow(self, squares: int) -> int:
        """With all neighbours in eight directions; also those that lie on unused squares. Stacks as well."""
        squares |= squares << 1 | squares >> 1
        return squares | squares << self.stride | squares >> self.stride

    def placements(self, own: int, free: int, shape: Shape, boards: int = 1) -> int:
        """Where the corner of a shape may be put: one cell on an own square, all others on free ones.

        Of a stack it is told how many ``boards`` it has.
        """
        legal = shape.room if boards == 1 else self.repeat(shape.room, boards)
        once = twice = 0
        allowed = own | free
        for shift in shape.shifts:
            legal &= allowed >> shift
            overlap = own >> shift
            twice |= once & overlap
            once |= overlap
        return legal & once & ~twice

    def answer(self, corner: int, shape: Shape) -> Placement:
        """The answer that puts a shape's corner on a square."""
        row, column = divmod(corner, self.stride)
        return Placement(column - shape.left, row - shape.top)

    def stack(self, boards: Iterable[int]) -> int:
        """Boards one behind the other."""
        length = self.bytes
        return int.from_bytes(b"".join([board.to_bytes(length, "little") for board in boards]), "little")

    def repeat(self, board: int, times: int) -> int:
        """A stack of ``times`` copies of one board."""
        return int.from_bytes(board.to_bytes(self.bytes, "little") * times, "little")

    def counts(self, stack: int, boards: int) -> list[int]:
        """How many squares are set on each board of a stack."""
        length = self.bytes
        data = stack.to_bytes(length * boards, "little")
        return [int.from_bytes(data[start : start + length], "little").bit_count() for start in range(0, len(data), length)]


@lru_cache(maxsize=8)
def field_of(width: int, height: int) -> Field:
    """The field of a size."""
    return Field(width, height)


def squares_of(board: int) -> list[int]:
    """The squares that are set, in their order."""
    digits = f"{board:b}"[::-1]
    squares: list[int] = []
    square = digits.find("1")
    while square >= 0:
        squares.append(square)
        square = digits.find("1", square + 1)
    return squares


class Turn:
    """A position as boards of bits, with the legal placements of its piece."""

    def __init__(self, position: FillerPosition) -> None:
        self.field = field_of(position.width, position.height)
        self.own = self.field.read(position.board, position.player)
        self.enemy = self.field.read(position.board, 3 - position.player)
        self.free = self.field.inside & ~(self.own | self.enemy)
        self.shape = Shape(self.field, position.piece)
        self.legal = self.field.placements(self.own, self.free, self.shape)
        """The corners of all legal placements."""

    def answer(self, corner: int) -> Placement:
        """The answer for a corner."""
        return self.field.answer(corner, self.shape)


NOWHERE: Final = Placement(0, 0)
"""The customary answer where nothing can be placed."""


class BitboardRobot(TurnAlgorithm[FillerPosition, Placement]):
    """A robot that looks at each turn in bits, and remembers nothing of the turns before."""

    def __init__(self, seat: int) -> None:
        pass

    def choose(self, position: FillerPosition) -> Placement:
        """Legal wherever there is a legal one."""
        turn = Turn(position)
        return turn.answer(self.choose_corner(turn)) if turn.legal else NOWHERE

    @abstractmethod
    def choose_corner(self, turn: Turn) -> int:
        """One of the corners in ``turn.legal``; there is at least one."""
