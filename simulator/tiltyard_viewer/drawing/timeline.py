"""The board and the panels of a match at any round, forwards and back."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from tiltyard_engine.replay import Frame, Replay
from tiltyard_engine.replay.panels import MOST_PANELS, Panel, PlotPanel
from tiltyard_viewer.drawing.shown_panels import MOST_LINES, extent, shown_panel


class Timeline:
    """The frames so far and the board after one of them; a step either way costs what that round changed.

    Args:
        replay: the match.
        most_lines: how many lines of a text and rows of a table are shown.
    """

    def __init__(self, replay: Replay, most_lines: int = MOST_LINES) -> None:
        is_board = replay.width >= 1 or (replay.width, replay.height) == (0, 0)
        if not is_board or len(replay.squares) != replay.width * replay.height:
            raise ValueError(f"the start board has {len(replay.squares)} squares, not {replay.width} x {replay.height}")
        self.width, self.height = replay.width, replay.height
        self.squares = list(replay.squares)
        """The tokens after round ``round``."""
        self.round = 0
        self.frames: list[Frame] = []
        """All rounds that are known."""
        self._replaced: list[list[tuple[int, str]]] = []
        """For each round up to ``round``: what stood where it changed something, last change first."""
        self.rounds_with_notes: list[int] = []
        self.scores: list[tuple[float, ...]] = [()]
        """By round, 0 is the start; a round that tells none keeps those before it."""
        self._most_lines = most_lines
        self._panels: dict[str, tuple[list[int], list[Panel]]] = {}
        """By title, in the order in which they come: rounds, and what the panel shows from each of them on."""
        self._plotted: dict[str, list[tuple[float, ...]]] = {}
        """The values of each plot by round, by title; empty before its first round."""
        self._largest: dict[str, tuple[Panel, Panel]] = {}
        self._take_panels(0, replay.panels)
        for frame in replay.frames:
            self.append(frame)

    @property
    def last(self) -> int:
        """The last round that is known."""
        return len(self.frames)

    @property
    def frame(self) -> Frame:
        """The round that is shown; at the start an empty one."""
        return self.frames[self.round - 1] if self.round else Frame(())

    def append(self, frame: Frame) -> None:
        """Take one more round. A square outside the board is a ValueError, the replay is no use then."""
        for square, _ in frame.changes:
            if not 0 <= square < len(self.squares):
                raise ValueError(f"round {self.last + 1} changes square {square}, but the board has {len(self.squares)}")
        self._take_panels(self.last + 1, frame.panels)
        self.frames.append(frame)
        self.scores.append(frame.scores or self.scores[-1])
        if frame.notes:
            self.rounds_with_notes.append(self.last)

    def _take_panels(self, number: int, panels: Sequence[Panel]) -> None:
        for full_panel in panels:
            panel = shown_panel(full_panel, self._most_lines)
            if panel.title not in self._panels and len(self._panels) >= MOST_PANELS:
                raise ValueError(f"in round {number} there are more than {MOST_PANELS} panels with different titles")
            rounds, panels_so_far = self._panels.setdefault(panel.title, ([], []))
            rounds.append(number)
            panels_so_far.append(panel)
            widest, highest = self._largest.get(panel.title, (panel, panel))
            (width, _), (_, height), own = extent(widest), extent(highest), extent(panel)
            self._largest[panel.title] = (panel if own[0] > width else widest, panel if own[1] > height else highest)
            if isinstance(panel, PlotPanel):
                values = self._plotted.setdefault(panel.title, [])
                before = values[-1] if values else ()
                values += [before] * (number - len(values))
                values.append(tuple(panel.values))

    @property
    def titles(self) -> tuple[str, ...]:
        """Of all panels that are known, in the order in which they came."""
        return tuple(self._panels)

    def panel(self, title: str) -> Panel | None:
        """What a panel shows in the round that is shown; None before its first round."""
        rounds, panels = self._panels[title]
        position = bisect_right(rounds, self.round)
        return panels[position - 1] if position else None

    def largest(self, title: str) -> tuple[Panel, Panel]:
        """Of all that a panel shows in the rounds that are known: the widest, and the highest."""
        return self._largest[title]

    def values_of(self, title: str) -> Sequence[tuple[float, ...]]:
        """The values of a plot by round up to the last one at which it was given."""
        return self._plotted.get(title, [])

    def go_to(self, round_number: int) -> None:
        """Show the board after this round, or after the nearest one known."""
        target = max(0, min(round_number, self.last))
        while self.round < target:
            replaced: list[tuple[int, str]] = []
            for square, token in self.frames[self.round].changes:
                replaced.append((square, self.squares[square]))
                self.squares[square] = token
            replaced.reverse()
            self._replaced.append(replaced)
            self.round += 1
        while self.round > target:
            for square, token in self._replaced.pop():
                self.squares[square] = token
            self.round -= 1

    def recent_notes(self, most: int) -> list[tuple[int, str]]:
        """The latest notes up to the round shown, each with its round, oldest first."""
        events: list[tuple[int, str]] = []
        position = bisect_right(self.rounds_with_notes, self.round)
        while position and len(events) < most:
            position -= 1
            round_number = self.rounds_with_notes[position]
            events.extend((round_number, note) for note in reversed(self.frames[round_number - 1].notes))
        return events[:most][::-1]

    def next_notes(self) -> int | None:
        """The next round with a note, or None."""
        position = bisect_right(self.rounds_with_notes, self.round)
        return self.rounds_with_notes[position] if position < len(self.rounds_with_notes) else None

    def previous_notes(self) -> int | None:
        """The round before this one that has a note, or None."""
        position = bisect_right(self.rounds_with_notes, self.round - 1)
        return self.rounds_with_notes[position - 1] if position else None
