"""A replay with its theme as what a picture shows of a round: tokens, players, round, caption."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import partial
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.replay import Replay, Theme
from tiltyard_pictures.layout import (
    CAPTION_LINE,
    LINE_HEIGHT,
    LONGEST_NAME,
    NAME_SIZE,
    PILL_HEIGHT,
    PILL_PAD,
    TEXT_SIZE,
    Layout,
    Pill,
    TextLine,
    cut_to,
    lay_out,
    text_width,
    wrapped,
)
from tiltyard_pictures.legend import draw_legend, legend_items, legend_widths
from tiltyard_pictures.marks import DARK, ColorScheme, Mark, color_or
from tiltyard_pictures.panels import MOST_LINES, Drawing, PanelPainter
from tiltyard_pictures.shapes import token_marks
from tiltyard_pictures.texts import drawn_line, drawn_name, drawn_sign
from tiltyard_viewer.drawing.colors import contrast
from tiltyard_viewer.drawing.options import seat_color
from tiltyard_viewer.drawing.theme_colors import drawn_colors
from tiltyard_viewer.drawing.timeline import Timeline

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
MOST_RESULT_LINES: Final = 8
MOST_PIXELS: Final = 40_000_000
LEFT_TO_RIGHT: Final = "\u200e"


class MatchPicture:
    """What is drawn of a replay, at which size and in which colours.

    Args:
        replay: the match; its texts are made harmless here.
        theme: how the game's tokens look; without one they show their characters.
        scale: 1: a size that fits a page; 2: twice that.
        scheme: the colours around the tokens.
        legend: whether a legend stands below the board.

    Raises:
        UserError: the replay has no board, or its picture would be too large.
    """

    def __init__(
        self,
        replay: Replay,
        theme: Theme | None = None,
        scale: float = 1.0,
        scheme: ColorScheme = DARK,
        *,
        legend: bool = False,
    ) -> None:
        if not scale > 0:
            raise UserError(f"the scale must be above 0, got {scale:g}")
        if not replay.shows_anything:
            raise UserError("the replay has no board, because nothing was recorded in this match")
        self.replay = replay
        self.theme = drawn_colors(theme)
        self.scheme = scheme
        self.timeline = Timeline(replay, MOST_LINES)
        fitting = min(WIDTH // replay.width, HEIGHT // replay.height) if replay.squares else LARGEST_SQUARE
        square = max(1, round(max(SMALLEST_SQUARE, min(LARGEST_SQUARE, fitting)) * scale))
        self.names = [cut_to(drawn_name(name) or "?", 1, LONGEST_NAME * 0.6) for name in replay.seats]
        scores = [[self._score(seat, number) for number in range(self.timeline.last + 1)] for seat in range(len(self.names))]
        widest = [self._label(seat, max(of_seat, key=len)) for seat, of_seat in enumerate(scores)]
        self._painter = PanelPainter(self.timeline, self.names, self.theme, scheme, scale)
        items = legend_items(replay, self.theme) if legend else []
        sizes = self._painter.sizes()
        widths = legend_widths(items, scale)
        lay_out_lines = partial(lay_out, (replay.width, replay.height), square, widest, scale, sizes, legend=widths)
        self.layout: Layout = lay_out_lines()
        if (lines := len(self._result_lines())) > 1:
            self.layout = lay_out_lines(caption_lines=lines)
        self.legend: Drawing = draw_legend(items, self.layout, scheme)
        """Below the board, alike in all rounds; empty where none is wanted."""
        if self.layout.width * self.layout.height > MOST_PIXELS:
            size = f"{self.layout.width:,} x {self.layout.height:,}"
            raise UserError(f"a picture of {size} pixels is too large; the limit is {MOST_PIXELS:,} pixels. Use a smaller scale")

    @property
    def gridded(self) -> bool:
        """Whether the floor shows a grid."""
        return self.has_board and self.layout.square >= GRIDDED

    @property
    def has_board(self) -> bool:
        """Whether the game has one."""
        return bool(self.replay.squares)

    def check_round(self, round_number: int) -> None:
        """Raises a UserError where there is no such round."""
        if not 0 <= round_number <= self.timeline.last:
            raise UserError(f"no round {round_number}: the game has rounds 0, its start, to {self.timeline.last}")

    def marks(self, token: str) -> list[Mark]:
        """A token in a square of side 1; empty for an empty square."""
        return token_marks(token, self.theme.styles.get(token), self.scheme, self.layout.square)

    def tokens(self, round_number: int) -> Sequence[str]:
        """The board after a round, row by row. Valid until the next call."""
        self.timeline.go_to(round_number)
        return self.timeline.squares

    def panels(self, round_number: int) -> Drawing:
        """The panels after a round."""
        self.timeline.go_to(round_number)
        return self._painter.draw(self.layout.panels)

    def seat_color(self, seat: int) -> str:
        """Of the seat's name; from 0."""
        return color_or(seat_color(self.theme, seat), self.scheme.muted)

    def pills(self, round_number: int) -> list[Pill]:
        """The players: number, name, score."""
        size, height = NAME_SIZE * self.layout.scale, PILL_HEIGHT * self.layout.scale
        pills: list[Pill] = []
        for seat, (x, y, width) in enumerate(self.layout.pills):
            color, label = self.seat_color(seat), self._label(seat, self._score(seat, round_number))
            text = cut_to(label, size, width - PILL_PAD * self.layout.scale)
            pills.append(Pill(x=x, y=y, width=width, height=height, text=text, color=color, ink=contrast(color), size=size))
        return pills

    def info(self, round_number: int) -> list[TextLine]:
        """The line above the board: what is played where, and the round."""
        scale, width = self.layout.scale, self.layout.width
        size, margin = TEXT_SIZE * scale, self.layout.text_x
        counter = f"round {round_number} of {self.timeline.last}"
        room = width - 2 * margin - text_width(counter, size) - size
        game, title = drawn_name(self.replay.game), drawn_name(self.replay.title)
        what = f"{game} on {title}" if title else game
        return [
            TextLine(x=margin, y=self.layout.info_y, size=size, text=cut_to(what, size, room), color=self.scheme.muted),
            TextLine(x=width - margin, y=self.layout.info_y, size=size, text=counter, color=self.scheme.ink, anchor="end"),
            *self._column_names(),
        ]

    def _column_names(self) -> list[TextLine]:
        """The names of the columns, small, on the board's upper edge."""
        page, size = self.layout, COORDINATE_SIZE * self.layout.scale
        names = self._coordinates(self.theme.column_names[: self.replay.width])
        middles = [page.board_x + (column + 0.5) * page.square for column in range(len(names))]
        return [
            TextLine(
                x=middle - text_width(name, size) / 2, y=page.board_y - 0.4 * size, size=size, text=name, color=self.scheme.muted
            )
            for middle, name in zip(middles, names)
        ]

    def row_names(self) -> list[TextLine]:
        """The names of the rows, left of the board; the same in every round."""
        page, size, color = self.layout, COORDINATE_SIZE * self.layout.scale, self.scheme.muted
        x, y = page.board_x - 0.4 * size, page.board_y
        return [
            TextLine(x=x, y=y + (row + 0.5) * page.square, size=size, text=name, color=color, anchor="end")
            for row, name in enumerate(self._coordinates(self.theme.row_names[: self.replay.height]))
        ]

    def _coordinates(self, names: Sequence[str]) -> list[str]:
        return [drawn_sign(name) for name in names] if self.layout.square >= NAMED else []

    def caption(self, round_number: int, memory: int = 1) -> list[TextLine]:
        """The lines below the board: how it ended, or in one line what happened in the last ``memory`` rounds."""
        size, room = self._caption_size, self._caption_room
        if round_number == self.timeline.last and self.replay.message:
            lines = self._result_lines()
        else:
            self.timeline.go_to(round_number)
            recent = self.timeline.recent_notes(3)
            who, did = self._lone_action(round_number)
            notes = [drawn_line(note) for number, note in recent if number > round_number - memory]
            text = "; ".join([f"{who}: {did}", *notes] if did else notes)
            if did and text_width(text, size) > room:
                # Whose piece it was can be seen; what was done is worth more than a long name.
                text = "; ".join([did, *notes])
            lines = [cut_to(text, size, room)]
        x, y, step = self.layout.text_x, self.layout.caption_y, CAPTION_LINE * self.layout.scale
        return [
            TextLine(x=x, y=y + number * step, size=size, text=line, color=self.scheme.ink)
            for number, line in enumerate(lines)
            if line
        ]

    @property
    def _caption_size(self) -> float:
        return TEXT_SIZE * self.layout.scale

    @property
    def _caption_room(self) -> float:
        return self.layout.width - 2 * self.layout.text_x

    def _result_lines(self) -> list[str]:
        """How the game ended, in as many lines as it takes below the board."""
        return wrapped(drawn_line(self.replay.message), self._caption_size, self._caption_room, MOST_RESULT_LINES)

    def _lone_action(self, round_number: int) -> tuple[str, str]:
        """Who did what, in games in which one player moves at a time."""
        actions = self.replay.frames[round_number - 1].actions if round_number else ()
        movers = [seat for seat, action in enumerate(actions) if action]
        if len(movers) != 1 or len(actions) != len(self.names):
            return "", ""
        return self.names[movers[0]], drawn_line(actions[movers[0]])

    def result(self) -> Pill | None:
        """The last frame's banner across the board: how the game ended."""
        text = drawn_line(self.replay.message)
        if not text:
            return None
        scale, board = self.layout.scale, self.layout
        middle = board.board_y + (board.board_height if self.has_board else board.panels_height) / 2
        room = board.width - 4 * PILL_PAD * scale
        size = min(22 * scale, max(TEXT_SIZE * scale, 22 * scale * room / max(1.0, text_width(text, 22 * scale))))
        lines = wrapped(text, size, room, MOST_BANNER_LINES)
        text = "\n".join(lines)
        width = max(text_width(line, size) for line in lines) + 3 * PILL_PAD * scale
        height = LINE_HEIGHT * (1 + len(lines)) * scale
        x, y = (board.width - width) / 2, middle - height / 2
        return Pill(x=x, y=y, width=width, height=height, text=text, color=self.scheme.ink, ink=self.scheme.paper, size=size)

    def _score(self, seat: int, round_number: int) -> str:
        scores = self.timeline.scores[round_number]
        return f"{scores[seat]:g}" if seat < len(scores) else ""

    def _label(self, seat: int, score: str) -> str:
        label = f"{seat + 1} {self.names[seat]}"
        if any(unicodedata.bidirectional(character) in ("R", "AL") for character in label):
            # Between these marks a name from right to left stays where it is, before its score.
            label = f"{LEFT_TO_RIGHT}{label}{LEFT_TO_RIGHT}"
        return f"{label}: {score}" if score else label
