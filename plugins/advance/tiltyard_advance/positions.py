"""What an algorithm is shown and what it answers: plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tiltyard_advance.rules import Board

START: Final = "mjdsgscjmbzzzzzzzb.............................................BZZZZZZZBMJCSGSDJM"
"""The position that every game begins with, unless an opening is played first: 81 characters, line 1 first.

Turned by half a turn with the colours exchanged it is the same."""
SIDES: Final = ("white", "black")
"""Words for sides, by side."""


@dataclass(frozen=True, slots=True)
class AdvancePosition:
    """One turn as its player sees it."""

    board: str
    """81 characters, line 1 first, as in a board file without its line ends."""
    side: int
    """Whose turn it is: 0 is white, who moves towards line 1, 1 is black."""
    ply: int = 0
    """Moves made by both before this one."""
    seed: int = 0
    """A number of this match and seat, for algorithms with chance in them: the same match is then the same again."""

    @property
    def colour(self) -> str:
        """The side to move as a word: ``white`` or ``black``."""
        return SIDES[self.side]


@dataclass(frozen=True, slots=True)
class Turn:
    """An answer: the board after the move."""

    board: str
    """81 characters; white space between them is ignored."""


def turn_after(board: Board, move: int) -> Turn:
    """The answer that is a move of the rules; the board stays as it is."""
    content = board.make(move)
    turn = Turn(board.text())
    board.unmake(move, content)
    return turn
