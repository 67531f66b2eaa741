"""Numbers by round, such as the scores, as a small graph with a step line for each seat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tiltyard_engine.replay import Theme
from tiltyard_viewer.drawing.colors import GREY, ColorDepth
from tiltyard_viewer.drawing.options import DrawOptions, Span, seat_color
from tiltyard_viewer.drawing.timeline import Timeline

LEAST_COLUMNS: Final = 20
LEAST_LINES: Final = 4
HEADING: Final = "scores by round"
SEVERAL: Final = "*"
"""Where lines of several seats meet, without colours."""


def is_worth_drawing(timeline: Timeline) -> bool:
    """Whether there is anything to see: a score that changes."""
    scores = timeline.scores
    return len(scores) > 1 and any(later != scores[1] for later in scores[2:])


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """What is drawn: a line for each value."""

    values: Sequence[Sequence[float]]
    """By round, 0 is the start; a round may have fewer."""
    marked_round: int
    """The round that is marked, unless it is the last."""
    last: int
    """The round at the right edge."""
    until: int
    """The round at which the lines end."""
    colors: Sequence[str]
    """``#rrggbb`` a line; empty: grey."""
    signs: Sequence[str]
    """A character a line, where there are no colours."""


def draw_growth(timeline: Timeline, theme: Theme, options: DrawOptions, columns: int, lines: int) -> list[list[Span]]:
    """The scores by round; see :func:`draw_graph`."""
    seats = range(max(map(len, timeline.scores), default=0))
    colors = [seat_color(theme, seat) for seat in seats]
    last = timeline.last
    signs = [str(seat + 1) if seat < 9 else SEVERAL for seat in seats]
    graph = Graph(values=timeline.scores, marked_round=timeline.round, last=last, until=last, colors=colors, signs=signs)
    return draw_graph(graph, options, columns, lines)


def draw_graph(graph: Graph, options: DrawOptions, columns: int, lines: int) -> list[list[Span]]:
    """``lines`` lines of at most ``columns``, the round that is shown marked unless it is the last; none where that is too little.

    With colours a line a seat in its colour, two points a character; without, the seat's number wherever its line runs.
    """
    high = max((value for values in graph.values for value in values), default=0.0)
    low = min(0.0, min((value for values in graph.values for value in values), default=0.0))
    labels = [f"{high:g}", *[""] * (lines - 2), f"{low:g}"]
    gutter = max(map(len, labels)) + 1
    if columns - gutter < LEAST_COLUMNS or lines < LEAST_LINES:
        return []
    halves = 2 if options.unicode and options.colors is not ColorDepth.NONE else 1
    width = columns - gutter
    plotted = _plot(graph, width, lines * halves, low, high)
    # At the end nothing needs a mark.
    now = round(graph.marked_round * (width - 1) / graph.last) if graph.marked_round < graph.last else -1
    grey = options.sgr(GREY)
    rows: list[list[Span]] = []
    for number, label in enumerate(labels):
        spans = [Span(label.rjust(gutter - 1) + " ", grey)]
        for column in range(width):
            owners = [plotted.get((column, number * halves + half), []) for half in range(halves)]
            nothing = Span(("│" if options.unicode else "|") if column == now else " ", grey)
            if any(owners):
                spans.append(_coloured(owners, graph, options) if halves == 2 else _plain(owners[0], graph))
            else:
                spans.append(nothing)
        rows.append(spans)
    return rows


def _plain(owners: Sequence[int], graph: Graph) -> Span:
    return Span(graph.signs[owners[0]] if len(owners) == 1 else SEVERAL)


def _coloured(owners: Sequence[Sequence[int]], graph: Graph, options: DrawOptions) -> Span:
    """Half a character each; where lines of several seats meet, the first one's colour."""
    upper, lower = ((graph.colors[half[0]] or GREY) if half else "" for half in owners)
    if upper and lower:
        return Span("▀", options.sgr(upper, lower)) if upper != lower else Span("█", options.sgr(upper))
    return Span("▀" if upper else "▄", options.sgr(upper or lower))


def _plot(graph: Graph, columns: int, points: int, low: float, high: float) -> dict[tuple[int, int], list[int]]:
    """The lines, from 0, that run through a point; column 0, point 0 is at the upper left."""
    plotted: dict[tuple[int, int], list[int]] = {}
    span = (high - low) or 1.0
    for line in range(len(graph.colors)):
        before: int | None = None
        for column in range(columns):
            number = round(column * graph.last / max(1, columns - 1))
            if not graph.values or number > graph.until:
                break
            values = graph.values[min(number, len(graph.values) - 1)]
            if line >= len(values):
                continue
            point = round((high - values[line]) / span * (points - 1))
            # A jump is a stroke from where the line was.
            start, end = (point, point) if before is None else sorted((point, before))
            for passed in range(start, end + 1):
                plotted.setdefault((column, passed), []).append(line)
            before = point
    return plotted
