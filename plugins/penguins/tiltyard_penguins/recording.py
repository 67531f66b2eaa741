"""What viewers are shown of a match: tokens of squares, and a frame a move.

A token's first character is the plain view: ``~`` water, ``1`` to ``3`` a floe with so many fish, ``A`` to ``I`` the penguin of the
player in seat 1 to 9. An ``x`` behind the letter says that the player is out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tiltyard_engine.replay import Recorder
from tiltyard_penguins.positions import Move
from tiltyard_penguins.rules import MOST_PLAYERS, Board

WATER: Final = "~"
FLOES: Final = (WATER, "1", "2", "3")
"""By fish."""
PENGUINS: Final = "@ABCDEFGHI"
"""By seat, from index 1."""
OUT: Final = tuple(f"{letter}x" for letter in PENGUINS)
"""The penguins of a player who is out."""


def token(square: int) -> str:
    """Of a square as the rules hold it."""
    return FLOES[square] if square >= 0 else PENGUINS[-square]


def plain_rows(board: Board) -> tuple[str, ...]:
    """The plain view, a string a row."""
    text = "".join(token(square) for square in board.squares)
    return tuple(text[start : start + board.columns] for start in range(0, len(text), board.columns))


def cells_of(rows: Sequence[str]) -> bytes:
    """The squares of a plain view as board files count them."""
    characters = "".join(rows)
    return bytes(10 * int(each) if each.isdigit() else max(0, PENGUINS.find(each)) for each in characters)


class Recording:
    """Turns the moves of a game into frames for a recorder."""

    def __init__(self, recorder: Recorder, board: Board, names: Sequence[str]) -> None:
        self._recorder = recorder
        self._board = board
        self._names = names
        recorder.start(board.columns, board.rows, [token(square) for square in board.squares])

    def move(self, seat: int, move: Move, fish: int, notes: Sequence[str]) -> None:
        """A placement or a move was made, which took ``fish`` fish."""
        way = f"{self._place(move.origin)} to " if move.origin >= 0 else "placed at "
        words = f"{way}{self._place(move.target)}, {fish} fish"
        changes = [(move.target, PENGUINS[seat])]
        if move.origin >= 0:
            changes.append((move.origin, WATER))
        self._frame(sorted(changes), seat, words, notes)

    def out(self, seat: int, note: str) -> None:
        """A player was thrown out; the penguins stay as obstacles."""
        self._frame([(square, OUT[seat]) for square in sorted(self._board.penguins[seat])], seat, "out", [note])

    def _place(self, square: int) -> str:
        """Row and column from 1, as in the file and in messages, but short."""
        return f"({square // self._board.columns + 1}, {square % self._board.columns + 1})"

    def _frame(self, changes: Sequence[tuple[int, str]], seat: int, words: str, notes: Sequence[str]) -> None:
        seats = range(1, min(len(self._names), MOST_PLAYERS) + 1)
        actions = [words if each == seat else "" for each in seats]
        self._recorder.frame(changes, actions, [float(self._board.scores[each]) for each in seats], list(notes))
