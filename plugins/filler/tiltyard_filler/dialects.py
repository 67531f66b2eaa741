"""What the two engines do differently, for referees of matches; docs/reference/filler.md tells it in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from tiltyard_filler.pieces import PieceGenerator
from tiltyard_filler.plateau_pieces import PlateauPieces
from tiltyard_filler.positions import Piece


class Pieces(Protocol):
    """The pieces of one match."""

    def draw(self) -> Piece:
        """The next one."""


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
    """Whether the other player goes on where one fails; else the game ends there."""


SUBJECT: Final = Dialect("01", PieceGenerator, "cells", plays_on=False)
FORTY_TWO: Final = Dialect("42", PlateauPieces, "pieces", plays_on=True)
