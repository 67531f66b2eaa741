"""Boards as lines of text: alone, through a viewport, or two side by side. Pure functions.

A square is two columns wide, so that it looks square. The frame carries the coordinates: the column number above every
fifth square, the row number before every row; where the board goes on beyond the viewport, the frame is dotted.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from tiltyard_engine.replay import SquareStyle, Theme
from tiltyard_viewer.drawing.colors import GREY, RESET, ColorDepth
from tiltyard_viewer.drawing.options import DrawOptions
from tiltyard_viewer.drawing.text import cut, fit

RULER_STEP: Final = 5
LISTED_DIFFERENCES: Final = 20
"""Differing squares that are described below two boards."""

MARK_FOREGROUND: Final = "#ffffff"
MARK_BACKGROUND: Final = "#b00020"


@dataclass(frozen=True, slots=True)
class Viewport:
    """The part of a board that is drawn."""

    x: int
    y: int
    width: int
    height: int

    def within(self, board: tuple[int, int]) -> Viewport:
        """Moved, and if need be made smaller, to lie on a board of this size."""
        width, height = min(self.width, board[0]), min(self.height, board[1])
        return Viewport(max(0, min(self.x, board[0] - width)), max(0, min(self.y, board[1] - height)), width, height)

    def holds(self, square: int, board_width: int) -> bool:
        """Whether it shows this square."""
        y, x = divmod(square, board_width)
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height

    def follow(self, squares: Collection[int], board: tuple[int, int]) -> Viewport:
        """Where to look when these squares changed.

        It stays while it shows at least half of them, so that the picture does not shake; else it goes to the median.
        """
        side = self.within(board)
        holders = sum(1 for square in squares if side.holds(square, board[0]))
        if 2 * holders >= len(squares):
            return side
        middle = len(squares) // 2
        x = sorted(square % board[0] for square in squares)[middle]
        y = sorted(square // board[0] for square in squares)[middle]
        return replace(side, x=x - side.width // 2, y=y - side.height // 2).within(board)


def frame_size(board: tuple[int, int]) -> tuple[int, int]:
    """Columns and lines that the frame of a board takes, whatever part of it is drawn."""
    return _gutter(board[1]) + 3, 2


def _gutter(height: int) -> int:
    return len(str(max(0, height - 1)))


def draw_board(
    squares: Sequence[str],
    width: int,
    theme: Theme,
    options: DrawOptions,
    viewport: Viewport | None = None,
    *,
    marked: Collection[int] = (),
) -> list[str]:
    """The board, or the part of it in ``viewport``, with its frame; all lines are equally wide.

    Marked squares are highlighted; without colours they stand in brackets, and every square gets a third column for them.
    """
    height = len(squares) // width
    view = (viewport or Viewport(0, 0, width, height)).within((width, height))
    pen = _Pen(theme, options, frozenset(marked))
    gutter = _gutter(height)
    rows = [
        f"{pen.frame(pen.row_name(y).rjust(gutter) + ' ' + pen.side(view.x > 0))}"
        f"{pen.row(squares, range(y * width + view.x, y * width + view.x + view.width))}"
        f"{pen.frame(pen.side(view.x + view.width < width))}"
        for y in range(view.y, view.y + view.height)
    ]
    ruler = pen.frame(" " * (gutter + 1) + pen.ruler(view, view.y > 0))
    bottom = pen.frame(" " * (gutter + 1) + pen.edge(view, "└┘", view.y + view.height < height))
    return [ruler, *rows, bottom]


class _Pen:
    """What is the same for all squares of one drawing."""

    def __init__(self, theme: Theme, options: DrawOptions, marked: frozenset[int]) -> None:
        self._theme = theme
        self._options = options
        self._marked = marked
        self.bracketed = bool(marked) and options.colors is ColorDepth.NONE

    def frame(self, text: str) -> str:
        look = self._options.sgr(GREY)
        return f"{look}{text}{RESET}" if look else text

    def side(self, goes_on: bool) -> str:
        return ("┊" if goes_on else "│") if self._options.unicode else (":" if goes_on else "|")

    def edge(self, view: Viewport, corners: str, goes_on: bool) -> str:
        left, right, dotted, line = (*corners, "┄", "─") if self._options.unicode else "++.-"
        columns = 3 * view.width + 1 if self.bracketed else 2 * view.width
        return left + (dotted if goes_on else line) * columns + right

    def row_name(self, y: int) -> str:
        names = self._theme.row_names
        return self._options.clean(names[y]) if y < len(names) else str(y)

    def ruler(self, view: Viewport, goes_on: bool) -> str:
        """The upper edge with the number of every fifth column, or every column's name, at that column's first character."""
        names = self._theme.column_names
        edge = list(self.edge(view, "┌┐", goes_on))
        for x in range(view.x, view.x + view.width):
            at = 1 + ((3 * (x - view.x) + 1) if self.bracketed else 2 * (x - view.x))
            number = self._options.clean(names[x]) if x < len(names) else str(x)
            if (names or x % RULER_STEP == 0) and at + len(number) < len(edge):
                edge[at : at + len(number)] = number
        return "".join(edge)

    def row(self, squares: Sequence[str], numbers: range) -> str:
        if self.bracketed:
            return self._bracketed_row(squares, numbers)
        parts: list[str] = []
        look = ""
        for number in numbers:
            new_look, text = _painted(squares[number], self._theme.styles.get(squares[number]), self._options)
            if number in self._marked:
                new_look = self._options.sgr(MARK_FOREGROUND, MARK_BACKGROUND, bold=True)
            if new_look != look:
                parts.append(f"{RESET if look else ''}{new_look}")
                look = new_look
            parts.append(text)
        return "".join(parts) + (RESET if look else "")

    def _bracketed_row(self, squares: Sequence[str], numbers: range) -> str:
        """Squares with a column between them, which holds the brackets; neighbours in brackets share one."""
        parts: list[str] = []
        before = False
        for number in numbers:
            here = number in self._marked
            parts.append("|" if before and here else "]" if before else "[" if here else " ")
            parts.append(_painted(squares[number], self._theme.styles.get(squares[number]), self._options)[1])
            before = here
        return "".join(parts) + ("]" if before else " ")


@lru_cache(maxsize=4096)
def _painted(token: str, style: SquareStyle | None, options: DrawOptions) -> tuple[str, str]:
    """A square's look and its two columns. A token without a style shows itself."""
    if style is None:
        return "", fit(options.clean(token), 2)
    return options.sgr(style.foreground, style.background), fit(options.clean(style.glyph if options.unicode else style.plain), 2)


def describe(token: str, theme: Theme, options: DrawOptions) -> str:
    """A square's content in words, or the token itself in quotes."""
    style = theme.styles.get(token)
    return options.clean(style.label) if style is not None and style.label else f"'{options.clean(token)}'"


def draw_side_by_side(
    left: Sequence[str],
    right: Sequence[str],
    width: int,
    theme: Theme,
    titles: tuple[str, str],
    *,
    options: DrawOptions,
) -> list[str]:
    """Two boards with the differing squares marked on both, and below them those squares in words.

    Boards that do not fit beside each other into ``options.columns`` stand one above the other; if one alone does not
    fit either, both show the same part, around the differences.
    """
    if len(left) != len(right):
        raise ValueError(f"boards of {len(left)} and {len(right)} squares can't be compared square by square")
    differing = [square for square in range(len(left)) if left[square] != right[square]]
    height = len(left) // width
    bracketed = bool(differing) and options.colors is ColorDepth.NONE
    view = _common_view(differing, width, height, options, bracketed)
    boards = [draw_board(squares, width, theme, options, view, marked=differing) for squares in (left, right)]
    board_columns = _drawn_width(width, height, view, bracketed)
    names = [options.clean(title) for title in titles]
    headings = [fit(name, board_columns, options.ellipsis) for name in names]
    if options.columns is not None and 2 * board_columns + 4 > options.columns:
        lines = [headings[0].rstrip(), *boards[0], "", headings[1].rstrip(), *boards[1]]
    else:
        marked_rows = {square // width for square in differing}
        lines = [f"{headings[0]}    {headings[1]}".rstrip()]
        for number, (one, other) in enumerate(zip(*boards)):
            between = ("≠ " if options.unicode else "!=") if view.y + number - 1 in marked_rows and number else "  "
            lines.append(f"{one} {between if number <= view.height else '  '} {other}")
    if not differing:
        return [*lines, "no square differs"]
    squares = "1 square differs" if len(differing) == 1 else f"{len(differing)} squares differ"
    differences = [f"{squares} (x,y): {names[0]} vs {names[1]}"]
    for square in differing[:LISTED_DIFFERENCES]:
        what = f"{describe(left[square], theme, options)} vs {describe(right[square], theme, options)}"
        differences.append(f"  ({square % width},{square // width}): {what}")
    if len(differing) > LISTED_DIFFERENCES:
        differences.append(f"  and {len(differing) - LISTED_DIFFERENCES} more")
    return lines + [line if options.columns is None else cut(line, options.columns, options.ellipsis) for line in differences]


def _common_view(differing: Sequence[int], width: int, height: int, options: DrawOptions, bracketed: bool) -> Viewport:
    whole = Viewport(0, 0, width, height)
    if options.columns is None or _drawn_width(width, height, whole, bracketed) <= options.columns:
        return whole
    room = options.columns - frame_size((width, height))[0]
    fitting = max(1, (room - 1) // 3 if bracketed else room // 2)
    return Viewport(0, 0, fitting, height).follow(differing, (width, height))


def _drawn_width(width: int, height: int, view: Viewport, bracketed: bool) -> int:
    return frame_size((width, height))[0] + (3 * view.width + 1 if bracketed else 2 * view.width)
