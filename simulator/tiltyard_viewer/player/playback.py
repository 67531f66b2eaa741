"""The state of the player: which round it shows, how fast it goes, what a key does. It knows no terminal and no clock."""

from __future__ import annotations

from typing import Final

from tiltyard_viewer.drawing.draw import Viewport
from tiltyard_viewer.drawing.timeline import Timeline

SLOWEST: Final = 0.125
FASTEST: Final = 1024.0
"""Rounds a second."""

LONGEST_LAG: Final = 1.0
"""Seconds that may be made up for at once; after a longer pause, such as a suspended job, play goes on from where it was."""

SCROLL: Final = {
    "h": (-1, 0),
    "j": (0, 1),
    "k": (0, -1),
    "l": (1, 0),
    "up": (0, -1),
    "down": (0, 1),
    "shift-left": (-1, 0),
    "shift-right": (1, 0),
    "shift-up": (0, -1),
    "shift-down": (0, 1),
}

KEYS: Final = (
    ("space", "play, pause; at the end: play again"),
    ("right left . ,", "one round forward, back"),
    ("page-down page-up", "ten rounds forward, back"),
    ("home end g G", "the start, the last round"),
    ("n p", "the next, the previous event"),
    ("+ -", "faster, slower"),
    ("h j k l up down", "scroll what is larger than the screen"),
    ("f", "follow the action again"),
    ("s", "the scores by round"),
    ("t", "the panels, the board again"),
    ("? q", "help, quit"),
)
"""For the help screen."""


class Playback:
    """Moves a timeline on as time passes and keys are pressed."""

    def __init__(self, timeline: Timeline, *, speed: float, step: bool = False, growing: bool = False) -> None:
        self.timeline = timeline
        self.speed = max(SLOWEST, min(speed, FASTEST))
        """Rounds a second."""
        self.playing = not step
        self.growing = growing
        """Whether more rounds may come."""
        self.problem = ""
        """Why the rounds ended early, if they did."""
        self.helping = False
        self.graphing = False
        """Whether the growth of the scores takes the whole screen."""
        self.paneling = not timeline.squares
        """Whether the panels take the board's place; a game without a board has nothing else."""
        self.panel_top = 0
        """The first line of the panels that is shown, where they are more than have room."""
        self.panel_lines = 0
        self.panel_room = 0
        self.quitting = False
        self.following = True
        self.view = Viewport(0, 0, timeline.width, timeline.height)
        self._next_at: float | None = None
        """When the next round is due; None until the clock is known."""

    @property
    def at_end(self) -> bool:
        """Whether the last round of a finished match is shown."""
        return not self.growing and self.timeline.round == self.timeline.last

    @property
    def has_both(self) -> bool:
        """Whether there are a board and panels, so that one can change between them."""
        return bool(self.timeline.squares and self.timeline.titles)

    @property
    def waiting(self) -> bool:
        """Whether it plays, but the next round has not come yet."""
        return self.playing and self.growing and self.timeline.round == self.timeline.last

    def advance(self, now: float) -> None:
        """Show the rounds that are due."""
        if not self.playing:
            self._next_at = None
            return
        if self.timeline.round == self.timeline.last:
            self.playing = self.growing
            self._next_at = now
            return
        if self._next_at is None:
            self._next_at = now + 1 / self.speed
        if now - self._next_at > LONGEST_LAG:
            self._next_at = now
        if now >= self._next_at:
            due = int((now - self._next_at) * self.speed) + 1
            self.timeline.go_to(self.timeline.round + due)
            self._next_at += due / self.speed
            self.playing = not self.at_end

    def due_at(self) -> float | None:
        """When ``advance`` has something to do; None: not before a key or a new round."""
        return None if not self.playing or self.waiting else self._next_at

    def press(self, key: str) -> None:
        """Do what a key stands for."""
        if key == "q":
            self.quitting = True
        elif self.helping or self.graphing:
            self.helping = self.graphing = False
        elif key == "?":
            self.helping = True
        elif key == "t":
            self.paneling = not self.paneling if self.has_both else self.paneling
        elif key == "s":
            self.graphing = True
        elif key in SCROLL:
            self._scroll(*SCROLL[key])
        elif key == "f":
            self.following = True
        elif key == " ":
            self._play_or_pause()
        elif key in ("+", "="):
            self._change_speed(2)
        elif key in ("-", "_"):
            self._change_speed(0.5)
        else:
            self._jump(key)

    def _play_or_pause(self) -> None:
        if self.at_end:
            self.timeline.go_to(0)
            self.playing = True
        else:
            self.playing = not self.playing
        self._next_at = None

    def _change_speed(self, factor: float) -> None:
        self.speed = max(SLOWEST, min(self.speed * factor, FASTEST))
        self._next_at = None

    def _jump(self, key: str) -> None:
        """Keys that show another round; who looks at one round wants to look at it, so play pauses."""
        timeline = self.timeline
        targets: dict[str, int | None] = {
            "right": timeline.round + 1,
            ".": timeline.round + 1,
            "left": timeline.round - 1,
            ",": timeline.round - 1,
            "page-down": timeline.round + 10,
            "page-up": timeline.round - 10,
            "home": 0,
            "g": 0,
            "end": timeline.last,
            "G": timeline.last,
            "n": timeline.next_notes(),
            "p": timeline.previous_notes(),
        }
        target = targets.get(key)
        if target is not None:
            timeline.go_to(target)
            # At the end of a match that still goes on, "last" means "as it comes".
            self.playing = self.growing and key in ("end", "G")
            self._next_at = None

    def _scroll(self, dx: int, dy: int) -> None:
        if self.paneling:
            # As many lines as are shown are known only when they are drawn.
            self.panel_top += dy * max(1, self.panel_room // 4)
            return
        view = self.view
        step_x, step_y = max(1, view.width // 4), max(1, view.height // 4)
        moved = Viewport(view.x + dx * step_x, view.y + dy * step_y, view.width, view.height)
        self.view = moved.within((self.timeline.width, self.timeline.height))
        self.following = False

    def scroll_to(self, room: int, lines: int) -> int:
        """The first line to draw of this many lines of panels, of which ``room`` can be shown."""
        self.panel_room, self.panel_lines = room, lines
        self.panel_top = max(0, min(self.panel_top, lines - room))
        return self.panel_top

    def viewport(self, width: int, height: int) -> Viewport:
        """The part of the board to draw where there is room for this many squares."""
        board = (self.timeline.width, self.timeline.height)
        self.view = Viewport(self.view.x, self.view.y, width, height).within(board)
        if self.following:
            self.view = self.view.follow([square for square, _ in self.timeline.frame.changes], board)
        return self.view
