"""What viewers are shown of a match: every square with its piece, and what there is to say of it."""

from __future__ import annotations

from typing import Final

from tiltyard_advance.rules import CHARACTERS, EMPTY, GENERAL, SIZE, SQUARES, WALL, Board
from tiltyard_advance.start import SIDES
from tiltyard_engine.replay import Recorder

PROTECTED: Final = "^"
IN_DANGER: Final = "!"
JUST_PLAYED: Final = "+"
"""Marks behind a token's first character, in this order."""


def token_of(board: Board, place: int, just_played: bool) -> str:
    """What the replay holds there: the character of the board file, then the marks."""
    square = SQUARES[place]
    content = board.squares[square]
    marks = ""
    if EMPTY < content < WALL:
        side = int(content > GENERAL)
        if board.is_protected(square, side):
            marks = PROTECTED
        elif square == board.generals[side] and board.is_attacked(square, side):
            marks = IN_DANGER
    return CHARACTERS[content] + marks + (JUST_PLAYED if just_played else "")


class Recording:
    """Feeds a recorder: a frame a ply, with what was done and the material of both as scores."""

    def __init__(self, recorder: Recorder, board: Board) -> None:
        self._recorder = recorder
        self._text = board.text()
        self._tokens = self._look(board, self._text)
        recorder.start(SIZE, SIZE, self._tokens)

    def move(self, board: Board, side: int, did: str, scores: tuple[float, float]) -> None:
        """A move has been played."""
        tokens = self._look(board, self._text)
        changes = [(place, token) for place, token in enumerate(tokens) if token != self._tokens[place]]
        self._tokens, self._text = tokens, board.text()
        notes = [f"{SIDES[1 - side]} is in danger"] if board.in_danger(1 - side) else []
        self._recorder.frame(changes, ["", did] if side else [did, ""], scores, notes)

    def _look(self, board: Board, before: str) -> list[str]:
        return [token_of(board, place, now != then) for place, (now, then) in enumerate(zip(board.text(), before))]
