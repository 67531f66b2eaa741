"""Panels as marks and lines of text, in pixels: boxes with a title, as large in every round as they ever get."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Final

from tiltyard_engine.replay import Theme
from tiltyard_engine.replay.panels import CardsPanel, Panel, PlotPanel, TablePanel, TextPanel
from tiltyard_pictures.layout import PanelPlace, TextLine, cut_to, text_width
from tiltyard_pictures.marks import ColorScheme, Line, Mark, box, color_or
from tiltyard_viewer.drawing.colors import contrast
from tiltyard_viewer.drawing.options import seat_color
from tiltyard_viewer.drawing.shown_panels import cell_seat, columns_of_table
from tiltyard_viewer.drawing.text import visible_width
from tiltyard_viewer.drawing.timeline import Timeline

MOST_LINES: Final = 24
"""Of a text or a table; viewers show more, but a picture must stay a picture."""
TITLE_SIZE: Final = 14
TEXT_SIZE: Final = 13
TITLE_HEIGHT: Final = 24
LINE_HEIGHT: Final = 19
CELL: Final = 8
"""Of a letter in a text."""
PAD: Final = 10
COLUMN_GAP: Final = 14
CHIP: Final = 15
PLOT_WIDTH: Final = 360
PLOT_HEIGHT: Final = 110
LEGEND_WIDTH: Final = 170
"""Of a line of a plot in its legend, at most."""
CARD_WIDTH: Final = 34
CARD_HEIGHT: Final = 46
CARD_GAP: Final = 5
CARDS_A_ROW: Final = 10
SHOWN_BACKS: Final = 3
"""Of more cards that lie face down one back and their number are drawn."""
CARD_PAPER, CARD_EDGE, CARD_INK, CARD_RED, CARD_BACK, CARD_STRIPE = (
    "#fffdf8", "#b9b2a5", "#1f1c19", "#b3261e", "#6b7480", "#828b97",
)  # fmt: skip
RED_SUITS: Final = frozenset("♥♦♡♢")


@dataclass(slots=True)
class Drawing:
    """What is drawn of the panels: first the marks, then the texts over them. All in pixels of the picture."""

    marks: list[Mark] = field(default_factory=list)
    texts: list[TextLine] = field(default_factory=list)


class PanelPainter:
    """The panels of a replay, for pictures at one scale and in one look."""

    def __init__(self, timeline: Timeline, seats: Sequence[str], theme: Theme, scheme: ColorScheme, scale: float) -> None:
        self._timeline = timeline
        self._seats = seats
        self._theme = theme
        self._scheme = scheme
        self._scale = scale

    def sizes(self) -> list[tuple[float, float]]:
        """Width and height of each panel."""
        sizes: list[tuple[float, float]] = []
        for title in self._timeline.titles:
            contents = [self._size(panel) for panel in self._timeline.largest(title)]
            width = max(max(width for width, _ in contents), text_width(title, TITLE_SIZE) + CHIP + PAD)
            height = max(height for _, height in contents)
            sizes.append(((width + 2 * PAD) * self._scale, (height + TITLE_HEIGHT + 2 * PAD) * self._scale))
        return sizes

    def _size(self, panel: Panel) -> tuple[float, float]:
        """Of a panel's content at scale 1."""
        match panel:
            case TextPanel():
                return CELL * max(map(visible_width, panel.lines), default=0), LINE_HEIGHT * len(panel.lines)
            case CardsPanel():
                count = len(panel.cards) + min(panel.hidden, SHOWN_BACKS)
                rows = max(1, ceil(count / CARDS_A_ROW))
                return min(max(count, 1), CARDS_A_ROW) * (CARD_WIDTH + CARD_GAP), rows * (CARD_HEIGHT + CARD_GAP)
            case TablePanel():
                return sum(self._column_widths(panel)), LINE_HEIGHT * (len(panel.rows) + bool(panel.headers))
            case PlotPanel():
                rows = ceil(len(panel.values) / (PLOT_WIDTH // LEGEND_WIDTH))
                return PLOT_WIDTH, PLOT_HEIGHT + LINE_HEIGHT * rows
        return 0, 0

    def _column_widths(self, panel: TablePanel) -> list[float]:
        chip = CHIP if any(panel.row_seats) else 0
        widths: list[float] = []
        for place, (header, cells, _) in enumerate(columns_of_table(panel)):
            widest = max(text_width(text, TEXT_SIZE) for text in (header, *cells))
            own = CHIP if cell_seat(panel, None, place) else 0
            widths.append(widest + COLUMN_GAP + max(own, 0 if place else chip))
        return widths

    def draw(self, places: Sequence[PanelPlace]) -> Drawing:
        """The panels of the timeline's round where they belong."""
        drawing = Drawing()
        for title, place in zip(self._timeline.titles, places):
            panel = self._timeline.panel(title)
            _Pen(self, drawing, place).frame(panel)
        return drawing

    @property
    def scale(self) -> float:
        """Pixels of a length of 1."""
        return self._scale

    @property
    def scheme(self) -> ColorScheme:
        """The colours around the pieces."""
        return self._scheme

    @property
    def timeline(self) -> Timeline:
        """Whose panels these are."""
        return self._timeline

    def color(self, seat: int) -> str:
        """Of a seat, from 1; for what is nobody's that of text."""
        return color_or(seat_color(self._theme, seat - 1), self._scheme.muted) if seat else self._scheme.ink

    def name(self, panel: PlotPanel, place: int) -> str:
        """Of a line of a plot."""
        seat = panel.owners[place]
        if place < len(panel.names):
            return panel.names[place]
        return self._seats[seat - 1] if 0 < seat <= len(self._seats) else ""

    def column_widths(self, panel: TablePanel) -> list[float]:
        """The width of each column of a table, at scale 1."""
        return self._column_widths(panel)


class _Pen:
    """Draws one panel. Places are counted from the box's upper left corner, at scale 1."""

    def __init__(self, painter: PanelPainter, drawing: Drawing, place: PanelPlace) -> None:
        self._painter = painter
        self._drawing = drawing
        self._place = place
        self._width = place.width / painter.scale
        self._height = place.height / painter.scale

    def frame(self, panel: Panel | None) -> None:
        """The box with its title and content."""
        scheme = self._painter.scheme
        self._box(0, 0, self._width, self._height, scheme.floor, radius=6)
        if panel is None:
            return
        seat = 0 if isinstance(panel, PlotPanel) else getattr(panel, "seat", 0)
        self._box(0, 4, 4, self._height - 8, self._painter.color(seat) if seat else scheme.grid)
        middle = PAD + TITLE_HEIGHT / 2 - 3
        left = PAD + self._chip(PAD, middle, seat)
        self._text(left, middle, panel.title, scheme.ink, size=TITLE_SIZE, bold=True)
        top = PAD + TITLE_HEIGHT
        match panel:
            case TextPanel():
                for number, line in enumerate(panel.lines):
                    room = int((self._width - 2 * PAD) // CELL)
                    self._text(PAD, top + (number + 0.5) * LINE_HEIGHT, line[:room], scheme.ink, cell=CELL)
            case CardsPanel():
                self._cards(panel, top)
            case TablePanel():
                self._table(panel, top)
            case PlotPanel():
                self._plot(panel, top)

    def _cards(self, panel: CardsPanel, top: float) -> None:
        backs = panel.hidden if panel.hidden <= SHOWN_BACKS else 1
        a_row = max(1, int((self._width - 2 * PAD + CARD_GAP) // (CARD_WIDTH + CARD_GAP)))
        x = y = 0.0
        for place, card in enumerate([*panel.cards, *[None] * backs]):
            x = PAD + place % a_row * (CARD_WIDTH + CARD_GAP)
            y = top + place // a_row * (CARD_HEIGHT + CARD_GAP)
            self._box(x, y, CARD_WIDTH, CARD_HEIGHT, CARD_EDGE, radius=4)
            self._box(x + 1, y + 1, CARD_WIDTH - 2, CARD_HEIGHT - 2, CARD_BACK if card is None else CARD_PAPER, radius=3)
            if card is None:
                for step in range(1, 4):
                    self._line([(x + 3, y + step * 11.5), (x + CARD_WIDTH - 3, y + step * 11.5)], CARD_STRIPE, 3)
                continue
            size = min(15.0, 15 * (CARD_WIDTH - 6) / max(1.0, text_width(card, 15)))
            ink = CARD_RED if RED_SUITS & set(card) else CARD_INK
            self._middle(x + CARD_WIDTH / 2, y + CARD_HEIGHT / 2, card, ink, size)
        if panel.hidden > SHOWN_BACKS:
            self._text(x + CARD_WIDTH + 6, y + CARD_HEIGHT / 2, f"x {panel.hidden}", self._painter.scheme.ink)
        if not panel.cards and not panel.hidden:
            self._text(PAD, top + CARD_HEIGHT / 2, "none", self._painter.scheme.muted)

    def _table(self, panel: TablePanel, top: float) -> None:
        scheme, widths = self._painter.scheme, self._painter.column_widths(panel)
        x = float(PAD)
        for place, (header, cells, is_right) in enumerate(columns_of_table(panel)):
            y = top + LINE_HEIGHT / 2
            rows = [(None, header), *enumerate(cells)] if panel.headers else list(enumerate(cells))
            for row, text in rows:
                seat = cell_seat(panel, row, place) if row is None or not place else 0
                room = widths[place] - COLUMN_GAP
                shift = self._chip(x, y, seat) if text or not place else 0
                left = x + (room - text_width(text, TEXT_SIZE) if is_right else shift)
                self._text(left, y, text, scheme.muted if row is None else scheme.ink)
                y += LINE_HEIGHT
            x += widths[place]
        if panel.headers:
            under = top + LINE_HEIGHT - 1
            self._line([(PAD, under), (min(x, self._width) - PAD, under)], scheme.grid, 1)

    def _plot(self, panel: PlotPanel, top: float) -> None:
        scheme, timeline = self._painter.scheme, self._painter.timeline
        values = timeline.values_of(panel.title)
        every = [value for of_round in values for value in of_round]
        high, low = max(every, default=0.0), min(every, default=0.0)
        high, low = max(high, 0.0), min(low, 0.0)
        left, right = PAD, self._width - PAD
        self._line([(left, top), (right, top)], scheme.grid, 1)
        self._line([(left, top + PLOT_HEIGHT - 8), (right, top + PLOT_HEIGHT - 8)], scheme.grid, 1)
        last = max(1, timeline.last)

        def place(number: int, value: float) -> tuple[float, float]:
            down = (high - value) / ((high - low) or 1.0)
            return left + (right - left) * number / last, top + 2 + (PLOT_HEIGHT - 12) * down

        for line, seat in enumerate(panel.owners):
            points: list[tuple[float, float]] = []
            before: float | None = None
            for number in range(timeline.round + 1):
                of_round = values[min(number, len(values) - 1)]
                if line >= len(of_round):
                    continue
                if before is None or of_round[line] != before:
                    points += [place(number, before)] if before is not None else []
                    points.append(place(number, of_round[line]))
                before = of_round[line]
            if before is not None:
                points.append(place(timeline.round, before))
            # A line that lies on another one leaves an edge of it to be seen.
            self._line(points, self._painter.color(seat), max(1.5, 3.5 - line))
        self._text(left + 3, top + 9, f"{high:g}", scheme.muted, size=10)
        self._text(left + 3, top + PLOT_HEIGHT - 16, f"{low:g}", scheme.muted, size=10)
        a_row = max(1, int((right - left) // LEGEND_WIDTH))
        for line, value in enumerate(panel.values):
            x, y = left + line % a_row * LEGEND_WIDTH, top + PLOT_HEIGHT + (line // a_row + 0.5) * LINE_HEIGHT
            shift = self._chip(x, y, panel.owners[line])
            name = self._painter.name(panel, line)
            amount = f"{value:.6g}"
            room = LEGEND_WIDTH - shift - text_width(f": {amount}", TEXT_SIZE) - 8
            self._text(x + shift, y, f"{cut_to(name, TEXT_SIZE, room)}: {amount}" if name else amount, scheme.ink)

    def _chip(self, x: float, y: float, seat: int) -> float:
        """A seat's number on its colour; how far it moves what follows."""
        if not seat:
            return 0
        color = self._painter.color(seat)
        self._box(x, y - CHIP / 2 + 1, CHIP - 2, CHIP - 2, color, radius=3)
        self._middle(x + CHIP / 2 - 1, y + 0.5, str(seat), contrast(color), 10)
        return CHIP + 2

    def _box(self, x: float, y: float, width: float, height: float, color: str, *, radius: float = 0) -> None:
        scale = self._painter.scale
        moved = (self._place.x + x * scale, self._place.y + y * scale)
        self._drawing.marks.append(box(*moved, width * scale, height * scale, color, radius=radius * scale))

    def _line(self, points: Sequence[tuple[float, float]], color: str, width: float) -> None:
        if len(points) > 1:
            scale = self._painter.scale
            moved = tuple((self._place.x + x * scale, self._place.y + y * scale) for x, y in points)
            self._drawing.marks.append(Line(moved, width * scale, color))

    def _middle(self, x: float, y: float, text: str, color: str, size: float) -> None:
        scale = self._painter.scale
        x, y = self._place.x + x * scale, self._place.y + y * scale
        self._drawing.texts.append(TextLine(x=x, y=y, size=size * scale, text=text, color=color, anchor="middle"))

    def _text(
        self, x: float, y: float, text: str, color: str, *, size: float = TEXT_SIZE, cell: float = 0, bold: bool = False
    ) -> None:
        room = self._width - x - PAD / 2
        if text.strip() and room > 0:
            scale = self._painter.scale
            line = text if cell else cut_to(text, size, room)
            self._drawing.texts.append(
                TextLine(
                    x=self._place.x + x * scale,
                    y=self._place.y + y * scale,
                    size=size * scale,
                    text=line,
                    color=color,
                    cell=cell * scale,
                    bold=bold,
                )
            )
