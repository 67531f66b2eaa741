"""Panels as lines of text: each below a rule with its title, beside each other where there is room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tiltyard_engine.replay import Theme
from tiltyard_engine.replay.panels import CardsPanel, Panel, PlotPanel, TablePanel, TextPanel
from tiltyard_viewer.drawing.colors import GREY, ColorDepth
from tiltyard_viewer.drawing.growth import LEAST_COLUMNS, SEVERAL, Graph, draw_graph
from tiltyard_viewer.drawing.options import DrawOptions, Span, fill, seat_color, seat_number
from tiltyard_viewer.drawing.shown_panels import cell_seat, columns_of_table
from tiltyard_viewer.drawing.text import cut, visible_width
from tiltyard_viewer.drawing.timeline import Timeline

GAP: Final = 3
"""Columns between panels."""
PLOT_COLUMNS: Final = 44
PLOT_LINES: Final = 8
PLOT_LEGEND_LINES: Final = 3
LEAST_PANEL_COLUMNS: Final = 24
SHOWN_BACKS: Final = 3
"""Of more cards that lie face down one back and their number are shown."""
CARD_INK: Final = "#1f1c19"
CARD_PAPER: Final = "#f4efe4"
CARD_BACK: Final = "#655f57"
SUITS: Final = str.maketrans("♠♥♦♣♤♡♢♧", "shdcshdc")
"""How cards are written where there is only ASCII."""

Lines = list[list[Span]]


def draw_panels(timeline: Timeline, seats: Sequence[str], theme: Theme, options: DrawOptions, columns: int) -> Lines:
    """All panels of the round that is shown, in lines of at most ``columns``. ``seats`` are the players' names."""
    pen = _Pen(timeline, seats, theme, options)
    shelf: list[_Block] = []
    lines: Lines = []
    for title in timeline.titles:
        width = min(columns, pen.width(title))
        if shelf and sum(block.width + GAP for block in shelf) + width > columns:
            lines += _beside(shelf)
            shelf = []
        shelf.append(_Block(width, pen.block(title, width)))
    return lines + _beside(shelf)


def draw_changes(timeline: Timeline, seats: Sequence[str], theme: Theme, options: DrawOptions, columns: int) -> Lines:
    """The panels that the round that is shown sets, one below the other, without the graphs of plots."""
    pen = _Pen(timeline, seats, theme, options)
    titles = [panel.title for panel in timeline.frame.panels] if timeline.round else timeline.titles
    lines: Lines = []
    for title in timeline.titles:
        if title in titles and (panel := timeline.panel(title)) is not None:
            lines += [pen.rule(panel, columns), *pen.content(panel, columns, graph=False)]
    return lines


@dataclass(frozen=True, slots=True)
class _Block:
    width: int
    lines: Lines


def _beside(shelf: Sequence[_Block]) -> Lines:
    lines: Lines = []
    for number in range(max((len(block.lines) for block in shelf), default=0)):
        line: list[Span] = []
        missing = 0
        for block in shelf:
            spans = block.lines[number] if number < len(block.lines) else []
            if spans and missing:
                line.append(Span(" " * missing))
                missing = 0
            line += spans
            missing += block.width + GAP - sum(visible_width(span.text) for span in spans)
        lines.append(line)
    return lines


class _Pen:
    def __init__(self, timeline: Timeline, seats: Sequence[str], theme: Theme, options: DrawOptions) -> None:
        self._timeline = timeline
        self._seats = seats
        self._theme = theme
        self._options = options

    def width(self, title: str) -> int:
        """The columns that a panel would like to have, the same in all rounds that are known."""
        return max(self._width(panel) for panel in self._timeline.largest(title))

    def _width(self, panel: Panel) -> int:
        wide = visible_width(panel.title) + 6
        match panel:
            case TextPanel():
                return max(wide, *map(visible_width, panel.lines), 0)
            case CardsPanel():
                pieces = self._cards(panel)
                return max(wide, min(PLOT_COLUMNS, sum(visible_width(piece[0].text) + 1 for piece in pieces)))
            case TablePanel():
                return max(wide, sum(width + 2 for width in self._table_widths(panel)) - 2)
        return max(wide, PLOT_COLUMNS)

    def block(self, title: str, columns: int) -> Lines:
        """A panel with its title, as high in every round; before its first round it is blank."""
        panel = self._timeline.panel(title)
        panel_lines = [] if panel is None else [self.rule(panel, columns), *self.content(panel, columns)]
        most = 1 + max(self._height(panel, columns) for panel in self._timeline.largest(title))
        return panel_lines + [[] for _ in range(most - len(panel_lines))]

    def _height(self, panel: Panel, columns: int) -> int:
        match panel:
            case TextPanel():
                return sum(max(1, -(-visible_width(line) // columns)) for line in panel.lines)
            case CardsPanel():
                return len(fill(self._cards(panel), columns, len(panel.cards) + 1, " "))
            case TablePanel():
                return len(panel.rows) + bool(panel.headers)
        return PLOT_LINES + 1

    def rule(self, panel: Panel, columns: int) -> list[Span]:
        """The line with a panel's title, in the colour of the seat whose it is."""
        line = "─" if self._options.unicode else "-"
        seat = 0 if isinstance(panel, PlotPanel) else getattr(panel, "seat", 0)
        grey = self._options.sgr(GREY)
        color = seat_color(self._theme, seat - 1) if seat else ""
        owner = [seat_number(seat - 1, self._theme, self._options), Span(" ")] if seat else []
        title = cut(self._options.clean(panel.title), max(0, columns - 6), self._options.ellipsis)
        spans = [Span(f"{line}{line} ", grey), *owner, Span(title, self._options.sgr(color, bold=True)), Span(" ")]
        left = columns - sum(visible_width(span.text) for span in spans)
        return [*spans, Span(line * max(0, left), grey)]

    def content(self, panel: Panel, columns: int, *, graph: bool = True) -> Lines:
        """A panel without its title."""
        match panel:
            case TextPanel():
                lines = [self._options.clean(line) for line in panel.lines]
                return [[Span(part)] for line in lines for part in _parts(line, columns)]
            case CardsPanel():
                return fill(self._cards(panel), columns, len(panel.cards) + 1, " ")
            case TablePanel():
                return self._table(panel)
            case PlotPanel():
                return self._plot(panel, columns, graph)
        return []

    # Cards

    def _cards(self, panel: CardsPanel) -> Lines:
        options = self._options
        has_colors = options.colors is not ColorDepth.NONE
        face, back = options.sgr(CARD_INK, CARD_PAPER, bold=True), options.sgr(CARD_PAPER, CARD_BACK)
        names = [options.clean(card if options.unicode else card.translate(SUITS)) for card in panel.cards]
        pieces = [[Span(f" {name} " if has_colors else f"[{name}]", face)] for name in names]
        backs = panel.hidden if panel.hidden <= SHOWN_BACKS else 1
        pattern = "▒▒" if options.unicode else "##"
        pieces += [[Span(f" {pattern} " if has_colors else f"[{pattern}]", back)] for _ in range(backs)]
        if panel.hidden > SHOWN_BACKS:
            pieces.append([Span(f"x {panel.hidden}")])
        return pieces or [[Span("none", options.sgr(GREY))]]

    # Tables

    def _table_widths(self, panel: TablePanel) -> list[int]:
        return [max(visible_width(text) for text in (header, *cells)) for header, cells, _ in columns_of_table(panel)]

    def _table(self, panel: TablePanel) -> Lines:
        columns, widths = columns_of_table(panel), self._table_widths(panel)
        lines: Lines = []
        for row in range(-bool(panel.headers), len(panel.rows)):
            line: list[Span] = []
            for place, (header, cells, is_right) in enumerate(columns):
                text = self._options.clean(header if row < 0 else cells[row])
                seat = cell_seat(panel, row if row >= 0 else None, place)
                color = seat_color(self._theme, seat - 1) if seat else ""
                look = self._options.sgr(color or (GREY if row < 0 else ""), bold=row < 0)
                blank = " " * (widths[place] - visible_width(text))
                line.append(Span(f"{blank}{text}" if is_right else f"{text}{blank}", look))
                line.append(Span("  "))
            lines.append(line[:-1])
        return lines

    # Plots

    def _plot(self, panel: PlotPanel, columns: int, graph: bool) -> Lines:
        options, timeline = self._options, self._timeline
        owners = panel.owners
        colors = [seat_color(self._theme, seat - 1) if seat else "" for seat in owners]
        signs = [str(seat) if seat else SEVERAL for seat in owners]
        pieces: Lines = []
        for place, value in enumerate(panel.values):
            seat = owners[place]
            label = self._seats[seat - 1] if 0 < seat <= len(self._seats) else ""
            name = panel.names[place] if place < len(panel.names) else label
            number = [seat_number(seat - 1, self._theme, options), Span(" ")] if seat else []
            pieces.append([*number, Span(f"{options.clean(name)}: {value:.4g}" if name else f"{value:.4g}")])
        if not graph or columns < LEAST_COLUMNS:
            return fill(pieces, columns, PLOT_LEGEND_LINES) if pieces else []
        plot = Graph(
            values=timeline.values_of(panel.title),
            marked_round=timeline.round,
            last=max(1, timeline.last),
            until=timeline.round,
            colors=colors,
            signs=signs,
        )
        graph_lines = draw_graph(plot, options, columns, PLOT_LINES)
        if SEVERAL not in signs and any(span.text == SEVERAL for line in graph_lines for span in line):
            pieces.append([Span(f"{SEVERAL} lines that meet")])
        return [*graph_lines, *(fill(pieces, columns, PLOT_LEGEND_LINES) if pieces else [])]


def _parts(line: str, columns: int) -> list[str]:
    """A line in parts that fit."""
    parts: list[str] = []
    while visible_width(line) > columns:
        part = cut(line, columns)
        if not part:
            break
        parts.append(part)
        line = line[len(part) :]
    return [*parts, line]
