"""What viewers are shown of a match: every square with its piece, and what there is to say of it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from tiltyard_advance.moves import changed_places
from tiltyard_advance.positions import SIDES
from tiltyard_advance.rules import BLACK, CHARACTERS, EMPTY, GENERAL, PLACES, SIZE, SQUARES, WALL, WHITE, Board
from tiltyard_engine.replay import Recorder

PROTECTED: Final = "^"
THREATENED: Final = "!"
"""The other side could take or convert it if it were to move; a General is in danger."""
JUST_PLAYED: Final = "+"
"""Marks behind a token's first character, in this order."""


def tokens_of(board: Board, changed: Collection[int]) -> list[str]:
    """What the replay holds, place by place: the character of the board file, then the marks."""
    threatened = threatened_places(board)
    tokens: list[str] = []
    for place, square in enumerate(SQUARES):
        content = board.squares[square]
        token = CHARACTERS[content]
        if EMPTY < content < WALL:
            if board.is_protected(square, int(content > GENERAL)):
                token += PROTECTED
            if place in threatened:
                token += THREATENED
        tokens.append(token + JUST_PLAYED if place in changed else token)
    return tokens


def threatened_places(board: Board) -> set[int]:
    """Places of pieces that the other side could take or convert if it were to move, and of Generals in danger.

    Only moves that would be legal count: a piece that may not leave its General's side threatens nothing but a General.
    """
    places: set[int] = set()
    for side in (WHITE, BLACK):
        places.update(PLACES[move & 255] for move in board.legal_moves(1 - side) if board.gain(move))
        if board.in_danger(side):
            places.add(PLACES[board.generals[side]])
    return places


class Recording:
    """Feeds a recorder: a frame a ply, with what was done and the material of both as scores."""

    def __init__(self, recorder: Recorder, board: Board) -> None:
        self._recorder = recorder
        self._text = board.text()
        self._tokens = tokens_of(board, ())
        recorder.start(SIZE, SIZE, self._tokens)

    def move(self, board: Board, side: int, words: str, scores: tuple[float, float]) -> None:
        """A move has been played."""
        text = board.text()
        tokens = tokens_of(board, changed_places(self._text, text))
        changes = [(place, token) for place, token in enumerate(tokens) if token != self._tokens[place]]
        self._tokens, self._text = tokens, text
        notes = [f"{SIDES[1 - side]} is in danger"] if board.in_danger(1 - side) else []
        self._recorder.frame(changes, ["", words] if side else [words, ""], scores, notes)
