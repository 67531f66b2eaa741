"""A picture's legend: what the tokens of a replay are called, each kind once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from tiltyard_engine.replay import Replay, SquareStyle, Theme
from tiltyard_pictures.layout import LEGEND_GAP, LEGEND_SIDE, TEXT_SIZE, Layout, TextLine, text_width
from tiltyard_pictures.marks import ColorScheme, at_place, box
from tiltyard_pictures.panels import Drawing
from tiltyard_pictures.shapes import token_marks
from tiltyard_pictures.texts import drawn_name


@dataclass(frozen=True, slots=True)
class LegendItem:
    """A kind of token, and what it is called."""

    token: str
    style: SquareStyle
    label: str


def legend_items(replay: Replay, theme: Theme) -> list[LegendItem]:
    """The kinds of tokens that are on the board in any round, in the theme's order.

    Tokens of one shape and one seat are one kind, such as tanks that point elsewhere. Its name is what all their names begin with.
    """
    on_board = set(_tokens(replay))
    kinds: dict[tuple[str, int], list[tuple[str, SquareStyle]]] = {}
    for token, style in theme.styles.items():
        if token in on_board and style.label:
            kinds.setdefault((style.shape or token, style.seat), []).append((token, style))
    items: list[LegendItem] = []
    for alike in kinds.values():
        token, style = alike[0]
        columns = zip(*(each.label.split() for _, each in alike))
        words = [column[0] for column in takewhile(lambda column: len(set(column)) == 1, columns)]
        items.append(LegendItem(token, replace(style, turn=0), drawn_name(" ".join(words).rstrip(",") or style.label)))
    return items


def _tokens(replay: Replay) -> Iterator[str]:
    yield from replay.squares
    for frame in replay.frames:
        yield from (token for _, token in frame.changes)


def legend_widths(items: Iterable[LegendItem], scale: float) -> list[float]:
    """In pixels, without the space between them."""
    return [(LEGEND_SIDE + LEGEND_GAP) * scale + text_width(item.label, TEXT_SIZE * scale) for item in items]


def draw_legend(items: Sequence[LegendItem], layout: Layout, scheme: ColorScheme) -> Drawing:
    """Each kind on a square of floor, and its name beside it."""
    drawing, side, size = Drawing(), LEGEND_SIDE * layout.scale, TEXT_SIZE * layout.scale
    for item, (x, y) in zip(items, layout.legend):
        marks = [box(0, 0, 1, 1, scheme.floor), *token_marks(item.token, item.style, scheme, side)]
        drawing.marks.extend(at_place(marks, x, y, factor=side))
        text_x = x + side + LEGEND_GAP * layout.scale
        drawing.texts.append(TextLine(x=text_x, y=y + side / 2, size=size, text=item.label, color=scheme.ink))
    return drawing
