"""A round as SVG: each kind of token once, then used on its squares. Needs nothing beside it, and no scripts."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Final

from tiltyard_pictures.layout import Pill, TextLine
from tiltyard_pictures.marks import Area, Disc, Letters, Line, Mark, Point
from tiltyard_pictures.picture import MatchPicture
from tiltyard_pictures.texts import drawn_name
from tiltyard_viewer.drawing.text import visible_width

FONT: Final = "system-ui, -apple-system, Segoe UI, Roboto, Liberation Sans, Arial, sans-serif"

MONOSPACED: Final = "ui-monospace, Menlo, Consolas, Liberation Mono, monospace"


def svg_picture(picture: MatchPicture, round_number: int) -> str:
    """The board after a round, with players, round and caption.

    Raises:
        UserError: there is no such round.
    """
    picture.check_round(round_number)
    page, scheme = picture.layout, picture.scheme
    names = " against ".join(picture.names)
    title = f"{names}: round {round_number}" if names else f"round {round_number}"
    size = f'width="{page.width}" height="{page.height}" viewBox="0 0 {page.width} {page.height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{FONT}">',
        f"<title>{escape(title)}</title>",
    ]
    symbols, uses = _tokens(picture, round_number)
    if symbols or picture.gridded:
        parts.append(f"<defs>{''.join(symbols)}{_grid_pattern(picture)}</defs>")
    board = f'x="{page.board_x}" y="{page.board_y}" width="{page.board_width}" height="{page.board_height}"'
    parts += [
        f'<rect width="{page.width}" height="{page.height}" fill="{scheme.paper}"/>',
    ]
    if picture.has_board:
        parts.append(f'<rect {board} fill="{scheme.floor}"/>')
    if picture.gridded:
        parts.append(f'<rect {board} fill="url(#grid)"/>')
    parts += uses
    panels = picture.panels(round_number)
    parts += [*_marks(panels.marks, 1), *map(_words, panels.texts)]
    parts += [*_marks(picture.legend.marks, 1), *map(_words, picture.legend.texts)]
    parts += [_pill(pill) for pill in picture.pills(round_number)]
    parts += [_words(words) for words in (*picture.info(round_number), *picture.row_names(), *picture.caption(round_number))]
    return "\n".join([*parts, "</svg>", ""])


def _tokens(picture: MatchPicture, round_number: int) -> tuple[list[str], list[str]]:
    page = picture.layout
    numbers: dict[str, int] = {}
    symbols: list[str] = []
    uses: list[str] = []
    for place, token in enumerate(picture.tokens(round_number)):
        if token not in numbers:
            marks = picture.marks(token)
            numbers[token] = len(symbols) if marks else -1
            if marks:
                style = picture.theme.styles.get(token)
                label = f"<title>{escape(drawn_name(style.label))}</title>" if style is not None and style.label else ""
                symbols.append(f'<symbol id="t{len(symbols)}" viewBox="0 0 100 100">{label}{"".join(_marks(marks))}</symbol>')
        if numbers[token] >= 0:
            row, column = divmod(place, picture.replay.width)
            x, y = page.board_x + column * page.square, page.board_y + row * page.square
            uses.append(f'<use href="#t{numbers[token]}" x="{x}" y="{y}" width="{page.square}" height="{page.square}"/>')
    return symbols, uses


def _grid_pattern(picture: MatchPicture) -> str:
    if not picture.gridded:
        return ""
    page, size = picture.layout, picture.layout.square
    place = f'x="{page.board_x}" y="{page.board_y}" width="{size}" height="{size}" patternUnits="userSpaceOnUse"'
    path = f'<path d="M0 .5H{size}M.5 0V{size}" stroke="{picture.scheme.grid}"/>'
    return f'<pattern id="grid" {place}>{path}</pattern>'


def _number(value: float) -> str:
    return f"{round(value, 1) + 0.0:.1f}".removesuffix(".0")


def _path(points: Iterable[Point], unit: float) -> str:
    return "L".join(f"{_number(unit * x)} {_number(unit * y)}" for x, y in points)


def _marks(marks: Iterable[Mark], unit: float = 100) -> Iterable[str]:
    """``unit`` is how long 1 is: tokens are drawn in squares of 100, whatever their size on the board."""
    for mark in marks:
        match mark:
            case Area():
                yield f'<path d="M{_path(mark.points, unit)}Z" fill="{mark.color}"{_opacity(mark.opacity)}/>'
            case Line():
                cap = ' stroke-linecap="round"' if mark.round else ""
                stroke = f'stroke="{mark.color}" stroke-width="{_number(unit * mark.width)}"{cap}'
                yield f'<path d="M{_path(mark.points, unit)}" fill="none" {stroke}/>'
            case Disc():
                middle = f'cx="{_number(unit * mark.x)}" cy="{_number(unit * mark.y)}"'
                yield f'<circle {middle} r="{_number(unit * mark.radius)}" fill="{mark.color}"{_opacity(mark.opacity)}/>'
            case Letters():
                yield _text(unit * mark.x, unit * mark.y, unit * mark.size, mark.text, mark.color, anchor="middle", bold=True)


def _opacity(opacity: float) -> str:
    return "" if opacity == 1 else f' fill-opacity="{opacity:.2f}"'


def _text(x: float, y: float, size: float, text: str, color: str, *, anchor: str, bold: bool = False) -> str:
    # The middle of the letters by hand: dominant-baseline is not known to every reader of SVG.
    place = f'x="{_number(x)}" y="{_number(y + size * 0.36)}" font-size="{_number(size)}"'
    weight = ' font-weight="700"' if bold else ""
    return f'<text {place} fill="{color}" text-anchor="{anchor}"{weight}>{escape(text)}</text>'


def _pill(pill: Pill) -> str:
    place = f'x="{_number(pill.x)}" y="{_number(pill.y)}" width="{_number(pill.width)}" height="{_number(pill.height)}"'
    shape = f'<rect {place} rx="{_number(pill.height / 4)}" fill="{pill.color}"/>'
    return shape + _text(pill.x + pill.width / 2, pill.y + pill.height / 2, pill.size, pill.text, pill.ink, anchor="middle")


def _words(words: TextLine) -> str:
    if words.cell:
        # Whatever the reader's font is, its letters stand below each other.
        place = f'x="{_number(words.x)}" y="{_number(words.y + words.size * 0.36)}" font-size="{_number(words.size)}"'
        length = f'textLength="{_number(words.cell * visible_width(words.text))}" lengthAdjust="spacing"'
        look = f'fill="{words.color}" font-family="{MONOSPACED}" xml:space="preserve"'
        return f"<text {place} {length} {look}>{escape(words.text)}</text>"
    return _text(words.x, words.y, words.size, words.text, words.color, anchor=words.anchor, bold=words.bold)
