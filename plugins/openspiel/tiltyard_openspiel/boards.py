"""A state's text as a board of characters, which viewers can draw."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import Any, Final, TypeAlias

from tiltyard_engine.replay import Recorder
from tiltyard_openspiel.playing import Chance, play_at_random

LARGEST_WIDTH: Final = 120
LARGEST_HEIGHT: Final = 60
"""Of what is shown. Some texts grow with each move."""
STATES_LOOKED_AT: Final = 300
CUT: Final = "…"
COLORS: Final = re.compile(r"\x1b\[[0-9;]*m")
PIECE_PLACEMENT: Final = re.compile(r"(?:[A-Za-z0-9+~]+/){4,}[A-Za-z0-9+~]+")
"""The first field of a position of a game like chess, as FEN and SFEN write it: rows of pieces and of numbers of empty squares."""
SQUARES: Final = re.compile(r"\d+|\+?[A-Za-z]")
EMPTY: Final = "."
PROMOTED: Final = "+"
"""Behind a piece."""

Row: TypeAlias = Sequence[str]
"""The tokens of a row: of a text its characters."""


def board_rows(state: Any) -> list[Row]:
    """The text of a state, or the board that it describes if it is a position of a game like chess."""
    text = COLORS.sub("", str(state)).expandtabs()
    placement = PIECE_PLACEMENT.match(text)
    if placement is not None:
        return [_squares(row) for row in placement.group().split("/")]
    lines = ["".join(sign if sign.isprintable() else " " for sign in line).rstrip() for line in text.rstrip().splitlines()]
    return list(lines)


def _squares(row: str) -> Row:
    """Such as ``3P4`` as ``...P....``; ``+P``, a piece that was promoted, as one square."""
    squares: list[str] = []
    for content in SQUARES.findall(row):
        squares += (
            [EMPTY] * int(content) if content.isdigit() else [content.lstrip(PROMOTED) + PROMOTED * content.startswith(PROMOTED)]
        )
    return squares


class Recording:
    """Feeds a recorder: the start, then a frame a move.

    The size of the board has to be known at the start, but texts grow: it is that of the largest in a game at random. What does not
    fit is cut off.
    """

    def __init__(self, recorder: Recorder, twin: Any, state: Any) -> None:
        """Begin.

        Args:
            recorder: takes the match down.
            twin: the same game loaded once more, to be played at random.
            state: the start of the match.
        """
        self._recorder = recorder
        self._width, self._height = _size(twin, board_rows(state))
        self._squares = self._fitted(board_rows(state))
        recorder.start(self._width, self._height, self._squares)

    def move(self, state: Any, actions: Sequence[str]) -> None:
        """A move has been made, and chance has done what follows it."""
        squares = self._fitted(board_rows(state))
        changes = [(place, token) for place, token in enumerate(squares) if token != self._squares[place]]
        self._squares = squares
        self._recorder.frame(changes, actions, tuple(state.returns()))

    def _fitted(self, rows: Sequence[Row]) -> list[str]:
        window = list(rows[: self._height])
        if len(rows) > self._height:
            window[-1] = CUT
        squares: list[str] = []
        for row in window:
            line = row if len(row) <= self._width else [*row[: self._width - 1], CUT]
            squares += [*line, *" " * (self._width - len(line))]
        return squares + [" "] * (self._width * self._height - len(squares))


def _size(game: Any, rows: Sequence[Row]) -> tuple[int, int]:
    """Width and height of the largest text of one game at random, and of ``rows``."""
    width, height = max(map(len, rows), default=1), len(rows)
    chance, generator, state = Chance(1), random.Random(1), game.new_initial_state()
    for _ in range(STATES_LOOKED_AT):
        chance.play(state)
        rows = board_rows(state)
        width, height = max(width, *map(len, rows)) if rows else width, max(height, len(rows))
        if state.is_terminal():
            break
        play_at_random(state, generator)
    return max(1, min(width, LARGEST_WIDTH)), max(1, min(height, LARGEST_HEIGHT))
