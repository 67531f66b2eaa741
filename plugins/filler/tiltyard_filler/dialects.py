"""What the two engines do differently, for referees of matches: pieces, scores, and what follows a fault.

docs/reference/filler.md describes it in words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Final, Protocol

from tiltyard_filler.pieces import PieceGenerator
from tiltyard_filler.positions import PIECE_CELL, Piece

LARGE_SHARE: Final = 0.01
"""The share of boxes that may be as large as the board."""


class Pieces(Protocol):
    """The pieces of one match."""

    def draw(self) -> Piece:
        """Draw the next piece of the match."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """The rules of one engine."""

    name: str
    """As positions say it."""
    pieces: Callable[[int, int, int], Pieces]
    """``pieces(seed, width, height)``."""
    score: str
    """What is counted: ``cells`` or ``pieces``."""
    plays_on: bool
    """Whether the other player continues after one fails; else the game ends there."""


class PlateauPieces:
    """Pieces as 42's engine draws them, though not the very same ones: its seeds cannot be set."""

    def __init__(self, seed: int, width: int, height: int) -> None:
        self._random = Random(seed)
        self._width, self._height = width, height

    def draw(self) -> Piece:
        """The next piece: a random cell of a random box, and random neighbours of what is there."""
        is_large = self._random.random() < LARGE_SHARE
        height = 1 + self._below(self._height if is_large else (self._height - 1) // 5)
        width = 1 + self._below(self._width if is_large else (self._width - 1) // 5)
        if width * height == 1:
            # A single cell could be placed on an own one for ever.
            width, height = (2, 1) if self._below(2) else (1, 2)
        box = bytearray(b"." * (width * height))
        first = self._below(len(box))
        box[first] = PIECE_CELL
        border = _neighbours(first, width, height)
        for _ in range(1 + self._below(max(1, len(box) // 2))):
            free = sorted(square for square in border if box[square] != PIECE_CELL)
            if not free:
                break
            cell = free[self._below(len(free))]
            box[cell] = PIECE_CELL
            border |= _neighbours(cell, width, height)
        return Piece(width, height, bytes(box))

    def _below(self, count: int) -> int:
        """0 to ``count - 1``; 0 where there is nothing to choose. Only ``random`` gives the same numbers in every Python."""
        return int(self._random.random() * count)


def _neighbours(square: int, width: int, height: int) -> set[int]:
    row, column = divmod(square, width)
    steps = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
    return {y * width + x for y, x in steps if 0 <= y < height and 0 <= x < width}


SUBJECT: Final = Dialect("01", PieceGenerator, "cells", plays_on=False)
FORTY_TWO: Final = Dialect("42", PlateauPieces, "pieces", plays_on=True)
