"""``watch``: a match on the terminal, or as text where there is none."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from threading import Lock, Thread
from typing import TYPE_CHECKING, Final, TextIO

from tiltyard_engine.replay import Frame, Replay, Theme
from tiltyard_viewer.drawing.options import DrawOptions, detect_options
from tiltyard_viewer.drawing.theme_colors import owned_colors
from tiltyard_viewer.drawing.timeline import Timeline
from tiltyard_viewer.player.playback import Playback
from tiltyard_viewer.player.printing import print_match
from tiltyard_viewer.player.screen import compose

if TYPE_CHECKING:
    from tiltyard_viewer.player.terminal import Terminal

DEFAULT_SPEED: Final = 8.0
"""Rounds a second."""

SHORTEST_BETWEEN_DRAWINGS: Final = 1 / 30
"""Seconds. Faster play skips rounds on the screen: nobody sees more, and a slow line would fall behind."""


@dataclass(frozen=True, slots=True)
class Display:
    """How a match is shown."""

    speed: float = DEFAULT_SPEED
    """Rounds a second."""
    step: bool = False
    """Begin paused at the start."""
    every_round: bool = False
    """Print every round, even on a terminal, instead of playing."""
    color: bool | None = None
    """True or False overrides what the terminal and NO_COLOR say."""
    ascii_only: bool = False
    """Draw with ASCII, as also happens where the encoding is not UTF-8."""


USUAL_DISPLAY: Final = Display()


def watch(
    replay: Replay,
    theme: Theme | None,
    display: Display = USUAL_DISPLAY,
    *,
    frames: Iterable[Frame] | None = None,
    stdout: TextIO | None = None,
    stdin: TextIO | None = None,
) -> None:
    """Show a match until its viewer quits; not on a terminal, print it.

    Args:
        replay: the match; its title, seats and message are looked at whenever they are shown, so they may come late.
        theme: how the game's tokens look; without one they show themselves.
        display: how fast, and in which colours and characters.
        frames: rounds that follow those in ``replay`` and may still be arriving. Read in a thread, kept for stepping back.
        stdout: where to; ``sys.stdout`` by default.
        stdin: where keys come from, if it is a terminal; by default ``sys.stdin``, or the controlling terminal where
            that is a pipe.

    Raises:
        ValueError: the replay contradicts itself, or the speed is not above 0.
        KeyboardInterrupt: Ctrl-C was pressed. The terminal is as it was before.
        SystemExit: SIGTERM or SIGHUP came. The terminal is as it was before.
        BrokenPipeError: who reads the output has gone; only when printing.

    What ``frames`` raises is raised when the viewer quits; until then the rounds before it can be looked at.
    """
    if not display.speed > 0:
        raise ValueError(f"the speed must be above 0 rounds per second, got {display.speed:g}")
    stdout = sys.stdout if stdout is None else stdout
    theme = owned_colors(theme)
    options = detect_options(stdout, color=display.color, ascii_only=display.ascii_only)
    if display.every_round or not _can_play(stdout):
        print_match(replay, frames or (), theme, options, stdout, every_round=display.every_round)
        return
    playback = Playback(Timeline(replay), speed=display.speed, step=display.step, growing=frames is not None)
    with _keys(stdin) as keys:
        _play(playback, replay, theme, options, frames, stdout=stdout, keys=keys)
    if playback.at_end and replay.message:
        # On the shell's screen the match is gone; how it ended is worth a line there.
        stdout.write(options.clean(replay.message) + "\n")
        stdout.flush()


class Feed:
    """Reads ``frames`` to its end. ``wake`` is called, from the thread, when something arrived or it ended.

    The thread never holds the program up: after ``stop`` it ends with the next frame, or with the program.
    """

    def __init__(self, frames: Iterable[Frame], wake: Callable[[], None]) -> None:
        self._new_frames: deque[Frame] = deque()
        self._wake = wake
        self._lock = Lock()
        self._stopped = False
        self._finished = False
        self.error: BaseException | None = None
        """What ended the frames early."""
        Thread(target=self._read, args=(frames,), name="frames", daemon=True).start()

    def take(self) -> tuple[list[Frame], bool]:
        """The frames that arrived since the last call, and whether these were the last."""
        finished = self._finished  # Looked at first: a frame may arrive between the two.
        frames: list[Frame] = []
        while self._new_frames:
            frames.append(self._new_frames.popleft())
        return frames, finished

    def stop(self) -> None:
        """Want no more; ``wake`` is not called after this returns."""
        with self._lock:
            self._stopped = True

    def _read(self, frames: Iterable[Frame]) -> None:
        try:
            for frame in frames:
                self._new_frames.append(frame)
                # Others that nobody took yet have called already.
                if len(self._new_frames) == 1:
                    self._notify()
                if self._stopped:
                    return
        except BaseException as error:  # Handed on to the one who watches.
            self.error = error
        self._finished = True
        self._notify()

    def _notify(self) -> None:
        with self._lock:
            if not self._stopped:
                self._wake()


def _can_play(stdout: TextIO) -> bool:
    """Whether there is a terminal that can move its cursor, on a system with terminals as we know them."""
    return stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb" and importlib.util.find_spec("termios") is not None


@contextlib.contextmanager
def _keys(stdin: TextIO | None) -> Iterator[int | None]:
    """The descriptor of a terminal to read keys from, or None."""
    source = sys.stdin if stdin is None else stdin
    if source is not None and source.isatty():
        yield source.fileno()
        return
    descriptor: int | None = None
    if stdin is None:
        with contextlib.suppress(OSError):
            descriptor = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _play(
    playback: Playback,
    replay: Replay,
    theme: Theme,
    options: DrawOptions,
    frames: Iterable[Frame] | None,
    *,
    stdout: TextIO,
    keys: int | None,
) -> None:
    # Here, because the module needs termios, which only Unix has.
    from tiltyard_viewer.player.terminal import Terminal

    stdout.flush()
    with Terminal(stdout.fileno(), keys, stdout.encoding) as terminal:
        feed = None if frames is None else Feed(frames, terminal.wake)
        try:
            player = _Player(playback=playback, replay=replay, theme=theme, options=options, terminal=terminal, feed=feed)
            player.run()
        finally:
            if feed is not None:
                feed.stop()
    if feed is not None and feed.error is not None:
        raise feed.error


@dataclass(slots=True, kw_only=True)
class _Player:
    """The loop: take what arrived, move on, draw, wait for a key or the next thing to do."""

    playback: Playback
    replay: Replay
    theme: Theme
    options: DrawOptions
    terminal: Terminal
    feed: Feed | None
    draw_from: float = 0.0
    """The earliest time of the next drawing."""

    def run(self) -> None:
        playback = self.playback
        while True:
            self._take_frames()
            now = time.monotonic()
            playback.advance(now)
            is_drawn = now >= self.draw_from
            if is_drawn:
                self._draw()
                self.draw_from = now + SHORTEST_BETWEEN_DRAWINGS
                # Without keys nobody could end it, so it ends by itself.
                if playback.at_end and not self.terminal.has_keys:
                    return
            for key in self.terminal.wait(self._timeout(is_drawn)):
                playback.press(key)
            if playback.quitting:
                return

    def _take_frames(self) -> None:
        if self.feed is None:
            return
        frames, finished = self.feed.take()
        for frame in frames:
            self.playback.timeline.append(frame)
        if finished and self.playback.growing:
            self.playback.growing = False
            error = self.feed.error
            if error is not None:
                self.playback.problem = f"stopped after round {self.playback.timeline.last}: {type(error).__name__}: {error}"

    def _draw(self) -> None:
        size = self.terminal.size()
        columns, rows = size
        self.terminal.show(compose(self.playback, self.replay, self.theme, self.options, columns, rows=rows), size)

    def _timeout(self, is_drawn: bool) -> float | None:
        """Seconds until the next round is due, or until what is not drawn yet may be; None: for ever."""
        due = self.playback.due_at()
        if is_drawn and due is None:
            return None
        earliest = self.draw_from if due is None else max(due, self.draw_from)
        return max(0.0, earliest - time.monotonic())
