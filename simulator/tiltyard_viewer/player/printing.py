"""Plain text output, for pipes, files and terminals that cannot move their cursor."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TextIO

from tiltyard_engine.replay import Frame, Replay, Theme
from tiltyard_viewer.drawing.draw import draw_board
from tiltyard_viewer.drawing.figures import caption, draw_figure, figures_of
from tiltyard_viewer.drawing.growth import HEADING, draw_growth, is_worth_drawing
from tiltyard_viewer.drawing.options import DrawOptions, fill, render
from tiltyard_viewer.drawing.panels import draw_changes, draw_panels
from tiltyard_viewer.drawing.timeline import Timeline
from tiltyard_viewer.player.screen import action_pieces, seat_pieces

WIDEST: Final = 10_000
"""Columns of a line where nothing says how wide the output is."""
MOST_LINES: Final = 1_000
GRAPH_COLUMNS: Final = 78
GRAPH_LINES: Final = 8
PANEL_COLUMNS: Final = 78


def print_match(
    replay: Replay, frames: Iterable[Frame], theme: Theme, options: DrawOptions, stdout: TextIO, *, every_round: bool
) -> None:
    """The match as text: the final board and how it ended, or every round as it comes."""
    timeline = Timeline(replay)
    page = _Page(replay, timeline, theme, options, stdout)
    page.heading()
    if every_round:
        page.round()
    for number in range(1, timeline.last + 1):
        timeline.go_to(number)
        if every_round:
            page.round()
    for frame in frames:
        timeline.append(frame)
        timeline.go_to(timeline.last)
        if every_round:
            page.round()
    if not every_round:
        page.round(whole=True)
        page.growth()
    page.result()


class _Page:
    def __init__(self, replay: Replay, timeline: Timeline, theme: Theme, options: DrawOptions, stdout: TextIO) -> None:
        self._replay = replay
        self._timeline = timeline
        self._theme = theme
        self._options = options
        self._stdout = stdout

    def heading(self) -> None:
        title = " ".join(self._options.clean(part) for part in (self._replay.game, self._replay.title) if part)
        self._print([title] if title else [])

    def round(self, *, whole: bool = False) -> None:
        """Where we are, who has how much, who did what, board and panels, and what happened; a blank line after it.

        Unless it is ``whole``, only the panels that are another now are told, as in a list of all rounds.
        """
        frame, columns = self._timeline.frame, self._options.columns or WIDEST
        pieces = [
            *fill(seat_pieces(self._replay, frame, self._theme, self._options), columns, MOST_LINES),
            *fill(action_pieces(frame, self._options, self._theme.figures), columns, MOST_LINES),
        ]
        # The board stays whole: what reads a pipe has no width.
        timeline = self._timeline
        board = draw_board(timeline.squares, timeline.width, self._theme, self._options) if timeline.squares else []
        panel_columns = min(columns, PANEL_COLUMNS)
        draw = draw_panels if whole else draw_changes
        panels = draw(timeline, self._replay.seats, self._theme, self._options, panel_columns)
        self._print(
            [
                f"round {self._timeline.round}",
                *[render(spans, columns, self._options) for spans in pieces if spans],
                *self._figures(frame, columns),
                *board,
                *[render(spans, panel_columns, self._options).rstrip() for spans in panels],
                *[self._options.clean(note) for note in frame.notes],
                "",
            ]
        )

    def _figures(self, frame: Frame, columns: int) -> list[str]:
        """Each with its caption."""
        lines: list[str] = []
        for figure in figures_of(frame, self._theme.figures):
            spans = [caption(figure, self._theme, self._options), *draw_figure(figure, self._theme, self._options)]
            lines += [render(line, columns, self._options).rstrip() for line in spans]
        return lines

    def growth(self) -> None:
        """How the scores grew, a blank line after it."""
        if self._theme.prints_growth and is_worth_drawing(self._timeline):
            columns = min(self._options.columns or GRAPH_COLUMNS, GRAPH_COLUMNS)
            graph = draw_growth(self._timeline, self._theme, self._options, columns, GRAPH_LINES)
            self._print([HEADING, *[render(spans, columns, self._options).rstrip() for spans in graph], ""] if graph else [])

    def result(self) -> None:
        self._print([self._options.clean(self._replay.message)] if self._replay.message else [])

    def _print(self, lines: list[str]) -> None:
        self._stdout.write("".join(line + "\n" for line in lines))
        self._stdout.flush()
