"""A replay with its theme as what a picture shows of a round: tokens, players, round, caption."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.replay import Replay, Theme
from tiltyard_simulator.pictures.look import DARK, Look, color_or, readable_on
from tiltyard_simulator.pictures.marks import Mark
from tiltyard_simulator.pictures.shapes import token_marks
from tiltyard_simulator.pictures.sheet import (
    LINE_HEIGHT,
    LONGEST_NAME,
    NAME_SIZE,
    PILL_HEIGHT,
    PILL_PAD,
    TEXT_SIZE,
    Pill,
    Sheet,
    Words,
    cut_to,
    sheet,
    text_width,
    wrapped,
)
from tiltyard_simulator.viewer.text import clean
from tiltyard_simulator.viewer.timeline import Timeline

WIDTH: Final = 800
"""Pixels that a board fills at scale 1, if its squares then have a sensible size."""
HEIGHT: Final = 640
SMALLEST_SQUARE: Final = 4
LARGEST_SQUARE: Final = 32
GRIDDED: Final = 10
"""From this size of a square on, the floor shows a grid."""
NAMED: Final = 16
"""From this size of a square on, columns and rows bear their names, if the game has any."""
COORDINATE_SIZE: Final = 9
MOST_BANNER_LINES: Final = 3
MOST_PIXELS: Final = 40_000_000
LEFT_TO_RIGHT: Final = "\u200e"


class Picture:
    """What is drawn of a replay, at which size and in which colours.

    Args:
        replay: the match; its texts are made harmless here.
        theme: how the game's tokens look; without one they show their characters.
        scale: 1: a size that fits a page; 2: twice that.
        look: the colours around the tokens.

    Raises:
        UserError: the replay has no board, or its picture would be too large.
    """

    def __init__(self, replay: Replay, theme: Theme | None = None, scale: float = 1.0, look: Look = DARK) -> None:
        if not scale > 0:
            raise UserError(f"a picture of scale {scale:g}: expected more than 0")
        if not replay.squares:
            raise UserError("the replay has no board: nothing was recorded of this match")
        self.replay = replay
        self.theme = theme or Theme({})
        self.look = look
        self.timeline = Timeline(replay)
        fitting = min(WIDTH // replay.width, HEIGHT // replay.height)
        square = max(1, round(max(SMALLEST_SQUARE, min(LARGEST_SQUARE, fitting)) * scale))
        self.names = [cut_to(clean(name) or "?", 1, LONGEST_NAME * 0.6) for name in replay.seats]
        widest = [self._widest_label(seat) for seat in range(len(self.names))]
        self.sheet: Sheet = sheet(replay.width, replay.height, square, widest, scale)
        if self.sheet.width * self.sheet.height > MOST_PIXELS:
            size = f"{self.sheet.width:,} x {self.sheet.height:,}"
            raise UserError(
                f"a picture of {size} pixels is too large: expected at most {MOST_PIXELS:,} in all; take a smaller scale"
            )

    @property
    def gridded(self) -> bool:
        """Whether the floor shows a grid."""
        return self.sheet.square >= GRIDDED

    def check_round(self, round_number: int) -> None:
        """Raises a UserError where there is no such round."""
        if not 0 <= round_number <= self.timeline.last:
            raise UserError(f"no round {round_number}: the game has rounds 0, its start, to {self.timeline.last}")

    def marks(self, token: str) -> list[Mark]:
        """A token in a square of side 1; empty for an empty square."""
        return token_marks(token, self.theme.styles.get(token), self.look, self.sheet.square)

    def tokens(self, round_number: int) -> Sequence[str]:
        """The board after a round, row by row. Valid until the next call."""
        self.timeline.go_to(round_number)
        return self.timeline.squares

    def seat_color(self, seat: int) -> str:
        """Of the seat's name; from 0."""
        colors = self.theme.seat_colors
        return color_or(colors[seat], self.look.muted) if seat < len(colors) else self.look.muted

    def pills(self, round_number: int) -> list[Pill]:
        """The players: number, name, score."""
        size = NAME_SIZE * self.sheet.scale
        pills: list[Pill] = []
        for seat, (x, y, width) in enumerate(self.sheet.pills):
            color = self.seat_color(seat)
            label = cut_to(self._label(seat, round_number), size, width - PILL_PAD * self.sheet.scale)
            pills.append(Pill(x, y, width, PILL_HEIGHT * self.sheet.scale, label, color, readable_on(color), size))
        return pills

    def info(self, round_number: int) -> list[Words]:
        """The line above the board: what is played where, and the round."""
        scale, width = self.sheet.scale, self.sheet.width
        size, margin = TEXT_SIZE * scale, self.sheet.pills[0][0] if self.sheet.pills else self.sheet.board_x
        counter = f"round {round_number} of {self.timeline.last}"
        room = width - 2 * margin - text_width(counter, size) - size
        what = clean(f"{self.replay.game} on {self.replay.title}" if self.replay.title else self.replay.game)
        return [
            Words(margin, self.sheet.info_y, size, cut_to(what, size, room), self.look.muted),
            Words(width - margin, self.sheet.info_y, size, counter, self.look.ink, "end"),
            *self._column_words(),
        ]

    def _column_words(self) -> list[Words]:
        """The names of the columns, small, on the board's upper edge."""
        page, size = self.sheet, COORDINATE_SIZE * self.sheet.scale
        names = self.theme.column_names[: self.replay.width] if page.square >= NAMED else ()
        middles = [page.board_x + (column + 0.5) * page.square for column in range(len(names))]
        return [
            Words(middle - text_width(clean(name), size) / 2, page.board_y - 0.4 * size, size, clean(name), self.look.muted)
            for middle, name in zip(middles, names)
        ]

    def row_words(self) -> list[Words]:
        """The names of the rows, left of the board; the same in every round."""
        page, size = self.sheet, COORDINATE_SIZE * self.sheet.scale
        names = self.theme.row_names[: self.replay.height] if page.square >= NAMED else ()
        return [
            Words(page.board_x - 0.4 * size, page.board_y + (row + 0.5) * page.square, size, clean(name), self.look.muted, "end")
            for row, name in enumerate(names)
        ]

    def caption(self, round_number: int, memory: int = 1) -> list[Words]:
        """The line below the board: how it ended, or what happened in the last ``memory`` rounds."""
        size = TEXT_SIZE * self.sheet.scale
        margin = self.sheet.pills[0][0] if self.sheet.pills else self.sheet.board_x
        room = self.sheet.width - 2 * margin
        if round_number == self.timeline.last and self.replay.message:
            text = clean(self.replay.message)
        else:
            self.timeline.go_to(round_number)
            recent = self.timeline.recent_notes(3)
            who, did = self._lone_action(round_number)
            notes = [clean(note) for number, note in recent if number > round_number - memory]
            text = "; ".join([f"{who}: {did}", *notes] if did else notes)
            if did and text_width(text, size) > room:
                # Whose piece it was can be seen; what was done is worth more than a long name.
                text = "; ".join([did, *notes])
        if not text:
            return []
        return [Words(margin, self.sheet.caption_y, size, cut_to(text, size, room), self.look.ink)]

    def _lone_action(self, round_number: int) -> tuple[str, str]:
        """Who did what, in games in which one player moves at a time."""
        actions = self.replay.frames[round_number - 1].actions if round_number else ()
        done = [seat for seat, action in enumerate(actions) if action]
        if len(done) != 1 or len(actions) != len(self.names):
            return "", ""
        return self.names[done[0]], clean(actions[done[0]])

    def result(self) -> Pill | None:
        """The last frame's banner across the board: how the game ended."""
        text = clean(self.replay.message)
        if not text:
            return None
        scale, board = self.sheet.scale, self.sheet
        room = board.width - 4 * PILL_PAD * scale
        size = min(22 * scale, max(TEXT_SIZE * scale, 22 * scale * room / max(1.0, text_width(text, 22 * scale))))
        lines = wrapped(text, size, room, MOST_BANNER_LINES)
        text = "\n".join(lines)
        width = max(text_width(line, size) for line in lines) + 3 * PILL_PAD * scale
        height = LINE_HEIGHT * (1 + len(lines)) * scale
        x, y = (board.width - width) / 2, board.board_y + (board.board_height - height) / 2
        return Pill(x, y, width, height, text, self.look.ink, self.look.paper, size)

    def _score(self, seat: int, round_number: int) -> str:
        for frame in reversed(self.replay.frames[:round_number]):
            if frame.scores:
                return f"{frame.scores[seat]:g}" if seat < len(frame.scores) else ""
        return ""

    def _label(self, seat: int, round_number: int) -> str:
        score = self._score(seat, round_number)
        return _label_of(seat, self.names[seat], score)

    def _widest_label(self, seat: int) -> str:
        scores = (f"{frame.scores[seat]:g}" for frame in self.replay.frames if seat < len(frame.scores))
        widest = max(scores, key=len, default="")
        return _label_of(seat, self.names[seat], widest)


def _label_of(seat: int, name: str, score: str) -> str:
    if any(unicodedata.bidirectional(character) in ("R", "AL") for character in name):
        # Between these marks a name from right to left stays where it is, before its score.
        return f"{LEFT_TO_RIGHT}{seat + 1} {name}{LEFT_TO_RIGHT}" + (f": {score}" if score else "")
    return f"{seat + 1} {name}" + (f": {score}" if score else "")
