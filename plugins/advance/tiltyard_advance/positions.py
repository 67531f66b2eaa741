"""What an algorithm is shown and what it answers: plain values."""

from __future__ import annotations

from dataclasses import dataclass

from tiltyard_advance.rules import Board
from tiltyard_advance.start import SIDES


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
        """``white`` or ``black``."""
        return SIDES[self.side]

    def rules_board(self) -> Board:
        """The rules' board of this position."""
        return Board(self.board)


@dataclass(frozen=True, slots=True)
class Turn:
    """An answer: the board after the move."""

    board: str
    """81 characters; white space between them is of no account."""


def turn_after(board: Board, move: int) -> Turn:
    """The answer that is a move of the rules; the board stays as it is."""
    content = board.make(move)
    turn = Turn(board.text())
    board.unmake(move, content)
    return turn


def position_of(board: Board, side: int, ply: int, seed: int) -> AdvancePosition:
    """What a side is shown of a match with a seed."""
    return AdvancePosition(board.text(), side, ply, 2 * seed + side)
