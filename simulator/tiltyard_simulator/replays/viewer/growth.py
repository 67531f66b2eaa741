"""The scores by round, as a small graph with a step line for each seat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tiltyard_engine.replay import Theme
from tiltyard_simulator.replays.viewer.colors import GREY, ColorDepth
from tiltyard_simulator.replays.viewer.options import DrawOptions, Span, seat_color
from tiltyard_simulator.replays.viewer.timeline import Timeline

LEAST_COLUMNS: Final = 20
LEAST_LINES: Final = 4
HEADING: Final = "scores by round"
SEVERAL: Final = "*"
"""Where lines of several seats meet, without colours."""


def is_worth_drawing(timeline: Timeline) -> bool:
    """Whether there is anything to see: a score that changes."""
    scores = timeline.scores
    return len(scores) > 1 and any(later != scores[1] for later in scores[2:])


def draw_growth(timeline: Timeline, theme: Theme, options: DrawOptions, columns: int, lines: int) -> list[list[Span]]:
    """``lines`` lines of at most ``columns``, the round that is shown marked unless it is the last; none where that is too little.

    With colours a line a seat in its colour, two points a character; without, the seat's number wherever its line runs.
    """
    high = max((score for scores in timeline.scores for score in scores), default=0.0)
    low = min(0.0, min((score for scores in timeline.scores for score in scores), default=0.0))
    labels = [f"{high:g}", *[""] * (lines - 2), f"{low:g}"]
    gutter = max(map(len, labels)) + 1
    if columns - gutter < LEAST_COLUMNS or lines < LEAST_LINES:
        return []
    halves = 2 if options.unicode and options.colors is not ColorDepth.NONE else 1
    width = columns - gutter
    plotted = _plot(timeline, width, lines * halves, low, high)
    # At the end nothing needs a mark.
    now = round(timeline.shown * (width - 1) / timeline.last) if timeline.shown < timeline.last else -1
    grey = options.sgr(GREY)
    drawn: list[list[Span]] = []
    for number, label in enumerate(labels):
        spans = [Span(label.rjust(gutter - 1) + " ", grey)]
        for column in range(width):
            owners = [plotted.get((column, number * halves + half), []) for half in range(halves)]
            nothing = Span(("│" if options.unicode else "|") if column == now else " ", grey)
            spans.append(nothing if not any(owners) else _coloured(owners, theme, options) if halves == 2 else _plain(owners[0]))
        drawn.append(spans)
    return drawn


def _plain(owners: Sequence[int]) -> Span:
    return Span(str(owners[0] + 1) if len(owners) == 1 and owners[0] < 9 else SEVERAL)


def _coloured(owners: Sequence[Sequence[int]], theme: Theme, options: DrawOptions) -> Span:
    """Half a character each; where lines of several seats meet, the first one's colour."""
    upper, lower = ((seat_color(theme, half[0]) or GREY) if half else "" for half in owners)
    if upper and lower:
        return Span("▀", options.sgr(upper, lower)) if upper != lower else Span("█", options.sgr(upper))
    return Span("▀" if upper else "▄", options.sgr(upper or lower))


def _plot(timeline: Timeline, columns: int, points: int, low: float, high: float) -> dict[tuple[int, int], list[int]]:
    """The seats, from 0, whose lines run through a point; column 0, point 0 is at the upper left."""
    plotted: dict[tuple[int, int], list[int]] = {}
    span = (high - low) or 1.0
    for seat in range(max(map(len, timeline.scores), default=0)):
        before: int | None = None
        for column in range(columns):
            scores = timeline.scores[round(column * timeline.last / max(1, columns - 1))]
            if seat >= len(scores):
                continue
            point = round((high - scores[seat]) / span * (points - 1))
            # A jump is a stroke from where the line was.
            start, end = (point, point) if before is None else sorted((point, before))
            for passed in range(start, end + 1):
                plotted.setdefault((column, passed), []).append(seat)
            before = point
    return plotted
