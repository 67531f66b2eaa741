"""Where things stand in a picture: the players and the round above the board, a caption below it. All in pixels."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

NARROWEST: Final = 240
"""Pixels between the margins at scale 1: a small board still has room for names above it."""
PANELS_WIDTH: Final = 560
"""Pixels between the margins at scale 1, where there are panels."""
PANEL_GAP: Final = 8
MARGIN: Final = 14
PILL_HEIGHT: Final = 26
PILL_PAD: Final = 10
LINE_HEIGHT: Final = 24
CAPTION_LINE: Final = 18
"""From one line of a caption to the next."""
NAME_SIZE: Final = 15
TEXT_SIZE: Final = 13
GAP: Final = 6
LEGEND_SIDE: Final = 18
"""Of a legend's squares."""
LEGEND_GAP: Final = 6
"""Between a square and its name; between two items it is three times this."""
LONGEST_NAME: Final = 30
"""About how many characters of a name are shown."""

NARROW: Final = frozenset("iljtfrI.,:;|!'`()[]{}/-\" ")
BROAD: Final = frozenset("mwMW@%")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pill:
    """A rounded box with text in its middle."""

    x: float
    y: float
    width: float
    height: float
    text: str
    color: str
    ink: str
    size: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TextLine:
    """A line of text; ``y`` is its middle."""

    x: float
    y: float
    size: float
    text: str
    color: str
    anchor: Literal["start", "middle", "end"] = "start"
    cell: float = 0.0
    """Where above 0, each letter stands in a cell of this width, as in a terminal; for texts from the start."""
    bold: bool = False


@dataclass(frozen=True, slots=True)
class PanelPlace:
    """The box of a panel."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The measures of a picture; equal for all rounds of a replay."""

    width: int
    height: int
    square: int
    """Pixels of a square's side."""
    board_x: int
    board_y: int
    board_width: int
    board_height: int
    pills: tuple[tuple[float, float, float], ...]
    """x, y and width of each player's."""
    scale: float
    panels: tuple[PanelPlace, ...] = ()
    """Below the board, or in its place."""
    panels_height: int = 0
    legend: tuple[tuple[float, float], ...] = ()
    """x and y of each item's square, below the caption."""

    @property
    def foot_y(self) -> int:
        """Where board and panels end."""
        return self.board_y + self.board_height + self.panels_height

    @property
    def text_x(self) -> float:
        """Where the lines of text above and below the board begin."""
        return self.pills[0][0] if self.pills else self.board_x

    @property
    def info_y(self) -> float:
        """The middle of the line that tells map and round."""
        return self.board_y - LINE_HEIGHT * self.scale / 2 - GAP * self.scale / 3

    @property
    def caption_y(self) -> float:
        """The middle of the line below the board."""
        return self.foot_y + (LINE_HEIGHT / 2 + GAP / 2) * self.scale


def text_width(text: str, size: float) -> float:
    """About how wide a bold text is, whatever font draws it in the end."""
    wide = 0.0
    for character in text:
        if unicodedata.category(character) in ("Cf", "Mn", "Me"):
            continue
        if unicodedata.east_asian_width(character) in "WF":
            wide += 1.05
        elif character in NARROW:
            wide += 0.36
        elif character in BROAD:
            wide += 0.92
        else:
            wide += 0.7 if character.isupper() else 0.6
    return wide * size


def cut_to(text: str, size: float, room: float) -> str:
    """The text, or as much of its beginning as has room, with an ellipsis."""
    if text_width(text, size) <= room:
        return text
    room -= text_width("\u2026", size)
    width = 0.0
    for end, character in enumerate(text):
        width += text_width(character, size)
        if width > room:
            return text[:end].rstrip() + "\u2026"
    return text.rstrip() + "\u2026"


def wrapped(text: str, size: float, room: float, most: int) -> list[str]:
    """The text in at most so many lines, broken between words; what the last cannot hold is cut off."""
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if len(lines) < most and lines[-1] and text_width(longer, size) > room:
            lines.append(word)
        else:
            lines[-1] = longer
    return [cut_to(line, size, room) for line in lines]


def lay_out(
    board: tuple[int, int],
    square: int,
    labels: Sequence[str],
    scale: float,
    panels: Sequence[tuple[float, float]] = (),
    *,
    legend: Sequence[float] = (),
    caption_lines: int = 1,
) -> Layout:
    """The measures for a board, given by its columns and rows, and players' labels, which go on in a next row where one is full.

    So do the panels, which are given by their widths and heights, and the items of a legend, which are given by their widths.
    """
    columns, rows = board
    inner = max(columns * square, round((PANELS_WIDTH if panels else NARROWEST) * scale))
    margin, gap = MARGIN * scale, GAP * scale
    pills: list[tuple[float, float, float]] = []
    x, y = margin, margin
    for label in labels:
        width = min(text_width(label, NAME_SIZE * scale) + 2 * PILL_PAD * scale, inner)
        if x > margin and x + width > margin + inner:
            x, y = margin, y + PILL_HEIGHT * scale + gap
        pills.append((x, y, width))
        x += width + gap
    board_y = round(y + (PILL_HEIGHT + LINE_HEIGHT + GAP) * scale)
    width = round(inner + 2 * margin)
    gap = round(PANEL_GAP * scale) if rows and panels else 0
    places, panels_height = _place(panels, margin, board_y + rows * square + gap, inner, scale)
    panels_height += gap
    height = round(board_y + rows * square + panels_height + (LINE_HEIGHT + GAP + (caption_lines - 1) * CAPTION_LINE) * scale)
    items, height = _legend_places(legend, height, inner, scale)
    board_x = (width - columns * square) // 2
    return Layout(
        width=width,
        height=height,
        square=square,
        board_x=board_x,
        board_y=board_y,
        board_width=columns * square,
        board_height=rows * square,
        pills=tuple(pills),
        scale=scale,
        panels=places,
        panels_height=panels_height,
        legend=items,
    )


def _legend_places(widths: Sequence[float], top: int, room: float, scale: float) -> tuple[tuple[tuple[float, float], ...], int]:
    """The items in rows below what is ``top`` pixels high, and the height of all."""
    if not widths:
        return (), top
    margin, side, gap = MARGIN * scale, LEGEND_SIDE * scale, LEGEND_GAP * scale
    places: list[tuple[float, float]] = []
    x, y = margin, float(top)
    for width in widths:
        if x > margin and x + width > margin + room:
            x, y = margin, y + side + gap
        places.append((x, y))
        x += width + 3 * gap
    return tuple(places), round(y + side + margin)


def _place(
    sizes: Sequence[tuple[float, float]], left: float, top: float, room: float, scale: float
) -> tuple[tuple[PanelPlace, ...], int]:
    """Boxes in rows, each row as high as its highest, and the height of all. A row's boxes share the width that is left."""
    rows: list[list[tuple[float, float]]] = []
    gap = PANEL_GAP * scale
    for width, height in sizes:
        size = (min(width, room), height)
        if rows and sum(width for width, _ in rows[-1]) + len(rows[-1]) * gap + size[0] <= room:
            rows[-1].append(size)
        else:
            rows.append([size])
    places: list[PanelPlace] = []
    y = top
    for row in rows:
        highest = max(height for _, height in row)
        spare = (room - sum(width for width, _ in row) - (len(row) - 1) * gap) / len(row)
        x = left
        for width, _ in row:
            places.append(PanelPlace(x, y, width + spare, highest))
            x += width + spare + gap
        y += highest + gap
    return tuple(places), round(max(0.0, y - gap - top)) if sizes else 0
