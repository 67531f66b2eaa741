"""What stands beside the board where there is room: figures, and below them how the scores grew."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tiltyard_engine.replay import Theme
from tiltyard_simulator.viewer.figures import (
    Figure,
    caption,
    draw_figure,
    draw_small,
    figures_of,
    largest_figure,
    small_height,
)
from tiltyard_simulator.viewer.growth import GREY, HEADING, LEAST_COLUMNS, LEAST_LINES, draw_growth, is_worth
from tiltyard_simulator.viewer.options import DrawOptions, Span
from tiltyard_simulator.viewer.timeline import Timeline

GAP: Final = 2
"""Columns between the board and what stands beside it."""
CAPTION: Final = 12
"""Columns that a figure's caption needs at least."""
LEAST_BOARD: Final = 30
"""Columns that a board too large for the screen keeps beside figures."""
MOST_COLUMNS: Final = 60
MOST_LINES: Final = 12
"""Of the graph; more tells nothing more."""

Draw = Callable[[Figure, Theme, DrawOptions], list[list[Span]]]


@dataclass(frozen=True, slots=True)
class Beside:
    """The column beside a board."""

    columns: int = 0
    """With the gap; 0: nothing stands there."""
    draw: Draw | None = None
    """How figures are drawn; None: they are not."""


def plan(timeline: Timeline, theme: Theme, options: DrawOptions, columns: int, lines: int, board: int) -> Beside:
    """What has room beside a board of ``board`` columns, with its frame, on a screen of ``columns``.

    A board that is larger than the screen anyway gives a few columns up for figures. ``lines`` are those of the board.
    """
    free = min(columns - board - GAP, MOST_COLUMNS)
    width, height = largest_figure(timeline, theme)
    if width and height < lines and max(2 * width, CAPTION) <= free:
        return Beside(free + GAP, draw_figure)
    small = max(width, CAPTION)
    if width and small_height(height, options) < lines:
        if small <= free:
            return Beside(free + GAP, draw_small)
        if board > columns and columns - small - GAP >= LEAST_BOARD:
            return Beside(small + GAP, draw_small)
    return Beside(free + GAP) if free >= LEAST_COLUMNS and is_worth(timeline) else Beside()


def compose_beside(beside: Beside, timeline: Timeline, theme: Theme, options: DrawOptions, lines: int) -> list[list[Span]]:
    """At most ``lines`` lines."""
    if not beside.columns:
        return []
    composed: list[list[Span]] = []
    if beside.draw is not None:
        for figure in figures_of(timeline.frame, theme.figures):
            drawn = beside.draw(figure, theme, options)
            if len(composed) + 1 + len(drawn) <= lines:
                composed += [caption(figure, theme, options), *drawn]
        # The graph below stays where it is, whatever the figure of a round.
        height = largest_figure(timeline, theme)[1]
        kept = 2 + (height if beside.draw is draw_figure else small_height(height, options))
        composed += [[] for _ in range(min(kept, lines) - len(composed))]
    left = min(lines - len(composed) - 1, MOST_LINES)
    if left >= LEAST_LINES and is_worth(timeline):
        drawn = draw_growth(timeline, theme, options, beside.columns - GAP, left)
        composed += [[Span(HEADING, options.sgr(GREY))], *drawn] if drawn else []
    return composed
