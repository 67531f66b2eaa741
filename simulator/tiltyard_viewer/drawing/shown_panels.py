"""Panels as viewers show them: texts of strangers made harmless, and no more of anything than somebody looks at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from tiltyard_engine.replay.panels import CardsPanel, Panel, PlotPanel, TablePanel, TextPanel
from tiltyard_engine.texts.sanitize import LONGEST_NAME, shortened
from tiltyard_viewer.drawing.text import clean, visible_width

T = TypeVar("T")

MOST_LINES: Final = 100
"""Of a text, and rows of a table; what is more is left out in the middle."""
MOST_CARDS: Final = 100
MOST_COLUMNS: Final = 20
MOST_SERIES: Final = 16
LONGEST_TEXT: Final = 400
LONGEST_CELL: Final = 60
LONGEST_CARD: Final = 12


def shown_panel(panel: Panel, most_lines: int = MOST_LINES) -> Panel:
    """The panel with harmless texts, and at most so many lines or rows."""
    title = shortened(clean(panel.title), LONGEST_NAME) or "?"
    match panel:
        case TextPanel():
            lines = _fewer(panel.lines, most_lines, lambda left: f"... {left} more lines ...")
            return replace(panel, title=title, lines=[shortened(clean(line.expandtabs()), LONGEST_TEXT) for line in lines])
        case CardsPanel():
            cards = _fewer(panel.cards, MOST_CARDS, lambda left: f"+{left}")
            return replace(panel, title=title, cards=[shortened(clean(card), LONGEST_CARD) or "?" for card in cards])
        case TablePanel():
            places = _fewer(range(len(panel.rows)), most_lines, lambda left: -left)
            rows = [[f"... {-place} more ..."] if place < 0 else _cells(panel.rows[place]) for place in places]
            seats = panel.row_seats
            of_rows = [seats[place] if 0 <= place < len(seats) else 0 for place in places] if seats else ()
            return replace(panel, title=title, headers=_cells(panel.headers), rows=rows, row_seats=of_rows)
        case PlotPanel():
            most = slice(MOST_SERIES)
            names = [shortened(clean(name), LONGEST_NAME) for name in panel.names[most]]
            return PlotPanel(title, panel.values[most], names, panel.seats[most])
    raise TypeError(f"{type(panel).__name__} is no panel")


def extent(panel: Panel) -> tuple[int, int]:
    """How many columns and lines a panel that is shown takes, where there is room for all of them."""
    match panel:
        case TextPanel():
            return max(map(visible_width, panel.lines), default=0), len(panel.lines)
        case CardsPanel():
            return sum(visible_width(card) + 3 for card in panel.cards) + min(panel.hidden, 3) * 5, 1
        case TablePanel():
            widths = [max(map(visible_width, (header, *cells))) for header, cells, _ in columns_of_table(panel)]
            return sum(widths) + 2 * len(widths), len(panel.rows) + bool(panel.headers)
    return 0, 0


def columns_of_table(panel: TablePanel) -> list[tuple[str, list[str], bool]]:
    """Header and cells of each column of a table that is shown, and whether it belongs on the right, as numbers do."""
    count = max(map(len, (panel.headers, *panel.rows)), default=0)
    columns: list[tuple[str, list[str], bool]] = []
    for place in range(count):
        header = panel.headers[place] if place < len(panel.headers) else ""
        cells = [row[place] if place < len(row) else "" for row in panel.rows]
        filled = [cell for cell in cells if cell]
        columns.append((header, cells, bool(filled) and all(map(_is_number, filled))))
    return columns


def cell_seat(panel: TablePanel, row: int | None, column: int) -> int:
    """Whose a cell is: its row's, else its column's, else the table's; the row None is that of the headers."""
    of_row = panel.row_seats[row] if row is not None and row < len(panel.row_seats) else 0
    of_column = panel.column_seats[column] if column < len(panel.column_seats) else 0
    return of_row or of_column


def _fewer(values: Sequence[T], most: int, stand_in: Callable[[int], T]) -> list[T]:
    """The values, or as many as are allowed, with something in place of those in the middle."""
    if len(values) <= most:
        return list(values)
    half = (most - 1) // 2
    return [*values[:half], stand_in(len(values) - 2 * half), *values[-half:]] if half else [stand_in(len(values))]


def _cells(row: Sequence[str]) -> list[str]:
    return [shortened(clean(cell), LONGEST_CELL) for cell in row[:MOST_COLUMNS]]


def _is_number(text: str) -> bool:
    return text.strip("+-%").replace(".", "", 1).isdigit()
