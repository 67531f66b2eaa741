"""Figures: small grids of squares that actions tell of, such as the piece a player has to place. Drawn, or told by their size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from tiltyard_engine.replay import FigureStyle, Frame, Theme
from tiltyard_viewer.drawing.colors import GREY
from tiltyard_viewer.drawing.options import DrawOptions, Span, seat_color, seat_number
from tiltyard_viewer.drawing.timeline import Timeline

LONGEST_SIDE: Final = 200
"""Squares; what is longer is text."""
PUNCTUATION: Final = ":;,"


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure in an action, and the words that follow it."""

    actor: int
    """From 0."""
    rows: tuple[tuple[bool, ...], ...]
    """Which squares are taken; all rows are as long."""
    words: str

    @property
    def width(self) -> int:
        """The number of squares from left to right."""
        return len(self.rows[0])

    @property
    def height(self) -> int:
        """The number of squares from top to bottom."""
        return len(self.rows)


def read_figure(word: str, style: FigureStyle) -> tuple[tuple[bool, ...], ...] | None:
    """The squares of a word that is a figure."""
    if style.taken not in word or word.strip(f"{style.empty}{style.taken}/"):
        return None
    rows = word.split("/")
    if not 0 < len(rows[0]) <= LONGEST_SIDE or len(rows) > LONGEST_SIDE or any(len(row) != len(rows[0]) for row in rows):
        return None
    return tuple(tuple(square == style.taken for square in row) for row in rows)


def figures_of(frame: Frame, style: FigureStyle | None) -> list[Figure]:
    """The figures that are drawn, in the order of the actors."""
    if style is None:
        return []
    figures: list[Figure] = []
    for actor, action in enumerate(frame.actions):
        words = action.split(" ")
        for number in range(1, len(words)):
            if words[number - 1] == style.after:
                rows = read_figure(words[number].rstrip(PUNCTUATION), style)
                if rows is not None:
                    figures.append(Figure(actor, rows, " ".join(words[number + 1 :])))
    return figures


def sized(action: str, style: FigureStyle | None) -> str:
    """The action with ``3x2`` in place of each figure: width and height."""
    if style is None or style.taken not in action:
        return action
    return " ".join(_sized_word(word, style) for word in action.split(" "))


def _sized_word(word: str, style: FigureStyle) -> str:
    bare = word.rstrip(PUNCTUATION)
    rows = read_figure(bare, style)
    return word if rows is None else f"{len(rows[0])}x{len(rows)}{word[len(bare) :]}"


@lru_cache(maxsize=4)
def _largest(timeline: Timeline, last: int, style: FigureStyle) -> tuple[int, int]:
    sizes = [(figure.width, figure.height) for frame in timeline.frames[:last] for figure in figures_of(frame, style)]
    return max((width for width, _ in sizes), default=0), max((height for _, height in sizes), default=0)


def largest_figure(timeline: Timeline, theme: Theme) -> tuple[int, int]:
    """Width and height that hold every figure of the rounds known so far; 0, 0: there is none."""
    return (0, 0) if theme.figures is None else _largest(timeline, timeline.last, theme.figures)


def caption(figure: Figure, theme: Theme, options: DrawOptions) -> list[Span]:
    """Whose it is, in its colour, and what it is there for."""
    return [seat_number(figure.actor, theme, options), Span(f" {options.clean(figure.words)}")]


def draw_figure(figure: Figure, theme: Theme, options: DrawOptions) -> list[list[Span]]:
    """A line a row, two columns a square, like the squares of a board."""
    full, empty = ("██", "· ") if options.unicode else ("##", ". ")
    looks = {True: options.sgr(seat_color(theme, figure.actor)), False: options.sgr(GREY)}
    return [[Span(full if square else empty, looks[square]) for square in row] for row in figure.rows]


def draw_small(figure: Figure, theme: Theme, options: DrawOptions) -> list[list[Span]]:
    """A column a square; with Unicode two rows a line, of which only what is taken shows."""
    look = options.sgr(seat_color(theme, figure.actor))
    if not options.unicode:
        return [[Span("".join("#" if square else "." for square in row), look)] for row in figure.rows]
    return [[Span(text, look)] for text in _half_lines(figure.rows)]


def small_height(height: int, options: DrawOptions) -> int:
    """Lines of a figure so drawn."""
    return (height + 1) // 2 if options.unicode else height


def _half_lines(rows: Sequence[Sequence[bool]]) -> Iterator[str]:
    for number in range(0, len(rows), 2):
        upper = rows[number]
        lower = rows[number + 1] if number + 1 < len(rows) else [False] * len(upper)
        yield "".join(" ▄▀█"[2 * above + below] for above, below in zip(upper, lower, strict=True))
