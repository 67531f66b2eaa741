"""The whole screen as lines: the board or the panels, and below it where we are, who plays, and what happened.

Where there is room, figures, panels and the scores by round stand beside the board.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, zip_longest
from typing import Final, TypeAlias

from tiltyard_engine.replay import FigureStyle, Frame, Replay, Theme
from tiltyard_viewer.drawing.colors import GREY
from tiltyard_viewer.drawing.draw import describe, draw_board, frame_size
from tiltyard_viewer.drawing.figures import (
    Figure,
    caption,
    draw_figure,
    draw_small,
    figures_of,
    largest_figure,
    sized,
    small_height,
)
from tiltyard_viewer.drawing.growth import HEADING, LEAST_COLUMNS, LEAST_LINES, draw_growth, is_worth_drawing
from tiltyard_viewer.drawing.options import DrawOptions, Span, fill, render, seat_number
from tiltyard_viewer.drawing.panels import LEAST_PANEL_COLUMNS, draw_panels
from tiltyard_viewer.drawing.text import cut, fit
from tiltyard_viewer.drawing.timeline import Timeline
from tiltyard_viewer.player.playback import KEYS, Playback

LONGEST_NAME: Final = 24
"""Columns of a player's name."""

LONGEST_RANGES: Final = 24
"""Columns for the numbers of those that did the same; beyond, their count has to do."""

HINT: Final = "space play  , . step  + - speed  n p events  ? help  q quit"
PANELS_HINT: Final = "space play  , . step  + - speed  n p events  t panels  ? help  q quit"

GAP: Final = 2
"""Columns between the board and what stands beside it."""
LEAST_CAPTION: Final = 12
"""Columns that a figure's caption needs at least."""
LEAST_BOARD_COLUMNS: Final = 30
"""Columns that a board too large for the screen keeps beside figures."""
MOST_SIDE_COLUMNS: Final = 60
MOST_GRAPH_LINES: Final = 12
"""Of the graph; more tells nothing more."""

_DrawFigure: TypeAlias = Callable[[Figure, Theme, DrawOptions], list[list[Span]]]


@dataclass(frozen=True, slots=True)
class Budget:
    """How many lines each part gets below the board, besides the status line."""

    seats: int = 0
    actions: int = 0
    events: int = 0
    bar: int = 0
    hint: int = 0

    @property
    def lines(self) -> int:
        """All lines of the screen."""
        return 1 + self.seats + self.actions + self.events + self.bar + self.hint


ROOMY: Final = (
    Budget(seats=2, actions=2, events=3, bar=1, hint=1),
    Budget(seats=1, actions=2, events=2, bar=1, hint=1),
    Budget(seats=1, actions=1, events=1, bar=1, hint=1),
)
"""Tried in this order; the first is taken that leaves the board whole."""
COMPACT: Final = Budget(seats=1, actions=1, events=1, bar=1)
"""Where the board is too large for the screen anyway."""
MANY_SEATS: Final = 4
"""With more, a compact panel has a second line for them."""
LEAST_BOARD_LINES: Final = 6
"""Below this the board gets all lines but the status."""


def compose(playback: Playback, replay: Replay, theme: Theme, options: DrawOptions, columns: int, *, rows: int) -> list[str]:
    """At most ``rows`` lines of at most ``columns`` each."""
    if playback.helping:
        lines = _help(playback.timeline, theme, options, columns)
        return lines[:rows]
    timeline = playback.timeline
    if playback.graphing:
        return _graph(playback, replay, theme, options, columns, rows=rows)
    if playback.paneling:
        upper, budget = _panel_part(playback, replay, theme, options, columns, rows=rows)
        side = _SideColumn()
    else:
        budget = _budget(timeline.height + 2, rows, len(replay.seats))
        upper, side = _board_part(playback, replay, theme, options, columns, rows=rows - budget.lines)
    below = chain(
        [_status(playback, replay, options)] if rows else [],
        _padded([[Span(bar(timeline, columns, options), options.sgr(GREY))]], budget.bar),
        _padded(fill(seat_pieces(replay, timeline.frame, theme, options), columns, budget.seats), budget.seats),
        _padded(
            fill(action_pieces(timeline.frame, options, theme.figures if side.draw else None), columns, budget.actions),
            budget.actions,
        ),
        _padded(_events(playback, replay, options, budget.events), budget.events),
        _padded([[Span(_hint(playback), options.sgr(GREY))]], budget.hint),
    )
    return [*upper, *[render(spans, columns, options) for spans in below]][:rows]


def _board_part(
    playback: Playback, replay: Replay, theme: Theme, options: DrawOptions, columns: int, *, rows: int
) -> tuple[list[str], _SideColumn]:
    """The board with what stands beside it in about ``rows`` lines; panels below it where they have room there alone."""
    timeline = playback.timeline
    frame_columns, frame_lines = frame_size((timeline.width, timeline.height))
    board_lines = max(1, min(rows - frame_lines, timeline.height))
    side = _plan_side(timeline, theme, options, columns, board_lines + frame_lines, board=frame_columns + 2 * timeline.width)
    view = playback.viewport(max(1, (columns - side.columns - frame_columns) // 2), board_lines)
    # A screen of a few columns cannot even hold the frame: then only the status is shown.
    if columns < frame_columns + 2 or rows < 1:
        return [], side
    board = draw_board(timeline.squares, timeline.width, theme, options, view)
    beside = _compose_side(side, timeline, theme, options, len(board), seats=replay.seats)
    gap = " " * GAP
    right = [gap + render(spans, side.columns - GAP, options) if spans else "" for spans in beside]
    lines = [line + text for line, text in zip_longest(board, right, fillvalue="")]
    if timeline.titles and not side.panels:
        panels = draw_panels(timeline, replay.seats, theme, options, columns)
        if len(lines) + len(panels) <= rows:
            lines += [render(spans, columns, options) for spans in panels]
    return lines, side


def _panel_part(
    playback: Playback, replay: Replay, theme: Theme, options: DrawOptions, columns: int, *, rows: int
) -> tuple[list[str], Budget]:
    """The panels where the board would be, and the lines that are left below them."""
    panel_lines = draw_panels(playback.timeline, replay.seats, theme, options, columns)
    budget = _budget(len(panel_lines), rows, len(replay.seats))
    room = max(0, rows - budget.lines)
    first = playback.scroll_to(room, len(panel_lines))
    return [render(spans, columns, options) for spans in panel_lines[first : first + room]], budget


def _hint(playback: Playback) -> str:
    return PANELS_HINT if playback.has_both else HINT


@dataclass(frozen=True, slots=True)
class _SideColumn:
    """The column beside a board."""

    columns: int = 0
    """With the gap; 0: nothing stands there."""
    draw: _DrawFigure | None = None
    """How figures are drawn; None: they are not."""
    panels: bool = False
    """Whether panels stand there."""


def _plan_side(timeline: Timeline, theme: Theme, options: DrawOptions, columns: int, lines: int, *, board: int) -> _SideColumn:
    """What has room beside a board of ``board`` columns, with its frame, on a screen of ``columns``.

    A board that is larger than the screen anyway gives a few columns up for figures. ``lines`` are those of the board.
    """
    free = min(columns - board - GAP, MOST_SIDE_COLUMNS)
    panels = bool(timeline.titles) and free >= LEAST_PANEL_COLUMNS
    width, height = largest_figure(timeline, theme)
    if width and height < lines and max(2 * width, LEAST_CAPTION) <= free:
        return _SideColumn(free + GAP, draw_figure, panels)
    small = max(width, LEAST_CAPTION)
    if width and small_height(height, options) < lines:
        if small <= free:
            return _SideColumn(free + GAP, draw_small, panels)
        if board > columns and columns - small - GAP >= LEAST_BOARD_COLUMNS:
            return _SideColumn(small + GAP, draw_small)
    if panels:
        return _SideColumn(free + GAP, None, panels)
    return _SideColumn(free + GAP) if free >= LEAST_COLUMNS and is_worth_drawing(timeline) else _SideColumn()


def _compose_side(
    side: _SideColumn, timeline: Timeline, theme: Theme, options: DrawOptions, lines: int, *, seats: Sequence[str]
) -> list[list[Span]]:
    """At most ``lines`` lines."""
    if not side.columns:
        return []
    composed: list[list[Span]] = []
    if side.draw is not None:
        for figure in figures_of(timeline.frame, theme.figures):
            figure_lines = side.draw(figure, theme, options)
            if len(composed) + 1 + len(figure_lines) <= lines:
                composed += [caption(figure, theme, options), *figure_lines]
        # The graph below stays where it is, whatever the figure of a round.
        height = largest_figure(timeline, theme)[1]
        rows = 2 + (height if side.draw is draw_figure else small_height(height, options))
        composed += [[] for _ in range(min(rows, lines) - len(composed))]
    if side.panels:
        composed += draw_panels(timeline, seats, theme, options, side.columns - GAP)
        if len(composed) > lines:
            more = "t shows all panels"
            composed[lines - 1 :] = [[Span(more, options.sgr(GREY))]]
    left = min(lines - len(composed) - 1, MOST_GRAPH_LINES)
    if left >= LEAST_LINES and is_worth_drawing(timeline):
        figure_lines = draw_growth(timeline, theme, options, side.columns - GAP, left)
        composed += [[Span(HEADING, options.sgr(GREY))], *figure_lines] if figure_lines else []
    return composed


def _graph(playback: Playback, replay: Replay, theme: Theme, options: DrawOptions, columns: int, *, rows: int) -> list[str]:
    """The growth of the scores on the whole screen."""
    timeline = playback.timeline
    heading = [Span("Scores by round", options.sgr(bold=True)), Span("   (any key goes back)")]
    names = fill(seat_pieces(replay, timeline.frame, theme, options), columns, 1)
    graph = draw_growth(timeline, theme, options, columns, rows - 3) if is_worth_drawing(timeline) else []
    graph = graph or [[Span("the screen is too small" if is_worth_drawing(timeline) else "no score changes in this match")]]
    return [render(spans, columns, options) for spans in [heading, *graph, *names, _status(playback, replay, options)]][:rows]


def _budget(board_lines: int, rows: int, seats: int) -> Budget:
    for budget in ROOMY:
        if board_lines + budget.lines <= rows:
            return budget
    compact = replace(COMPACT, seats=2) if seats > MANY_SEATS else COMPACT
    return compact if rows - compact.lines >= LEAST_BOARD_LINES else Budget()


def _padded(lines: Sequence[Sequence[Span]], count: int) -> list[Sequence[Span]]:
    """Exactly ``count`` lines, so that nothing below them jumps."""
    return [*lines[:count], *[()] * (count - len(lines))]


def _status(playback: Playback, replay: Replay, options: DrawOptions) -> list[Span]:
    timeline = playback.timeline
    if playback.waiting:
        state = "waiting"
    elif playback.playing:
        state = "playing"
    else:
        state = "end" if playback.at_end else "paused"
    last = f"{timeline.last}+" if playback.growing else str(timeline.last)
    spans = [Span(f"round {timeline.round} of {last}", options.sgr(bold=True)), Span(f"  {state}  {playback.speed:g}/s")]
    view = playback.view
    if not playback.paneling and (view.width, view.height) != (timeline.width, timeline.height):
        where = f"  x {view.x}-{view.x + view.width - 1} y {view.y}-{view.y + view.height - 1}"
        spans.append(Span(where + ("" if playback.following else " (f: follow)")))
    if playback.paneling and playback.panel_lines > playback.panel_room:
        spans.append(Span(f"  lines {playback.panel_top + 1}-{playback.panel_top + playback.panel_room} of {playback.panel_lines}"))
    if replay.title:
        spans.append(Span("  " + options.clean(replay.title), options.sgr(GREY)))
    return spans


def bar(timeline: Timeline, columns: int, options: DrawOptions) -> str:
    """The match as a line: what is behind, what is ahead, and where something happened."""
    plain, events = ("━─", "┿┼") if options.unicode else ("=-", "Xx")
    if not timeline.last:
        return plain[1] * columns
    behind = timeline.round * columns // timeline.last
    marks = {(round_number - 1) * columns // timeline.last for round_number in timeline.rounds_with_notes}
    return "".join((events if at in marks else plain)[at >= behind] for at in range(columns))


def seat_pieces(replay: Replay, frame: Frame, theme: Theme, options: DrawOptions) -> list[list[Span]]:
    """A piece a seat: its number in its colour, its name, its score."""
    pieces: list[list[Span]] = []
    for index in range(max(len(replay.seats), len(frame.scores))):
        name = options.clean(replay.seats[index]) if index < len(replay.seats) else f"player {index + 1}"
        score = f": {frame.scores[index]:g}" if index < len(frame.scores) else ""
        pieces.append([seat_number(index, theme, options), Span(f" {cut(name, LONGEST_NAME, options.ellipsis)}{score}")])
    return pieces


def action_pieces(frame: Frame, options: DrawOptions, figures: FigureStyle | None = None) -> list[list[Span]]:
    """What each actor did, those that did the same together; a lone actor goes without its number.

    Where ``figures`` are drawn elsewhere, their sizes stand for them here.
    """
    actions = [sized(action, figures) for action in frame.actions]
    if len(actions) == 1:
        return [[Span(options.clean(actions[0]))]]
    actors: dict[str, list[int]] = {}
    for number, action in enumerate(actions, start=1):
        if action:
            actors.setdefault(action, []).append(number)
    pieces: list[list[Span]] = []
    crowds: list[list[Span]] = []
    for action, numbers in actors.items():
        who = ranges(numbers)
        # What very many do, such as being dead, says least: it comes last, where it may be cut off.
        among = crowds if len(who) > LONGEST_RANGES else pieces
        if among is crowds:
            who = f"{cut(who, LONGEST_RANGES, options.ellipsis)} ({len(numbers)})"
        among.append([Span(who, options.sgr(bold=True)), Span(" " + options.clean(action))])
    return pieces + crowds


def ranges(numbers: Sequence[int]) -> str:
    """Rising numbers in short: ``1-3,5``."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and parts[-1][1] == number - 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in parts)


def _events(playback: Playback, replay: Replay, options: DrawOptions, most: int) -> list[list[Span]]:
    """The latest notes, those of this round in bold, and after the last round how it ended."""
    timeline = playback.timeline
    lines = [
        [
            Span(
                f"round {number}: {options.clean(note)}",
                options.sgr(bold=True) if number == timeline.round else options.sgr(GREY),
            )
        ]
        for number, note in timeline.recent_notes(most)
    ]
    ending = playback.problem or replay.message
    if playback.at_end and ending:
        lines.append([Span(options.clean(ending), options.sgr(bold=True))])
    return lines[-most:] if most else []


def _help(timeline: Timeline, theme: Theme, options: DrawOptions, columns: int) -> list[str]:
    """The keys, and what is on the board now."""
    lines = [render([Span("Keys", options.sgr(bold=True)), Span("   (any key goes back)")], columns, options)]
    lines.extend(render([Span(f"  {fit(keys, 18)} {what}")], columns, options) for keys, what in KEYS)
    if timeline.squares:
        lines += ["", render([Span("On the board now", options.sgr(bold=True))], columns, options)]
    for token in sorted(set(timeline.squares)):
        style = theme.styles.get(token)
        if style is None or not style.label:
            continue
        glyph = fit(options.clean(style.glyph if options.unicode else style.plain), 2)
        look = options.sgr(style.foreground, style.background)
        lines.append(render([Span("  "), Span(glyph, look), Span(f"  {describe(token, theme, options)}")], columns, options))
    return lines
