"""``watch``: a match on the terminal, or as text where there is none."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import sys
import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final, TextIO

from tiltyard_engine.replay import Frame, Replay, Theme
from tiltyard_simulator.viewer.feed import Feed
from tiltyard_simulator.viewer.options import DrawOptions, detect_options
from tiltyard_simulator.viewer.panel import compose
from tiltyard_simulator.viewer.playback import Playback
from tiltyard_simulator.viewer.printing import print_match
from tiltyard_simulator.viewer.timeline import Timeline

if TYPE_CHECKING:
    from tiltyard_simulator.viewer.terminal import Terminal

DEFAULT_SPEED: Final = 8.0
"""Rounds a second."""

SHORTEST_BETWEEN_DRAWINGS: Final = 1 / 30
"""Seconds. Faster play skips rounds on the screen: nobody sees more, and a slow line would fall behind."""


def watch(
    replay: Replay,
    theme: Theme | None,
    *,
    frames: Iterable[Frame] | None = None,
    speed: float = DEFAULT_SPEED,
    step: bool = False,
    every_round: bool = False,
    color: bool | None = None,
    ascii_only: bool = False,
    stdout: TextIO | None = None,
    stdin: TextIO | None = None,
) -> None:
    """Show a match until its viewer quits; not on a terminal, print it.

    Args:
        replay: the match; its title, seats and message are looked at whenever they are shown, so they may come late.
        theme: how the game's tokens look; without one they show themselves.
        frames: rounds that follow those in ``replay`` and may still be arriving. Read in a thread, kept for stepping back.
        speed: rounds a second.
        step: begin paused at the start.
        every_round: print every round, even on a terminal, instead of playing.
        color: True or False overrides what the terminal and NO_COLOR say.
        ascii_only: draw with ASCII, as also happens where the encoding is not UTF-8.
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
    if not speed > 0:
        raise ValueError(f"the speed must be above 0 rounds a second, not {speed:g}")
    stdout = sys.stdout if stdout is None else stdout
    theme = Theme({}) if theme is None else theme
    options = detect_options(stdout, color=color, ascii_only=ascii_only)
    if every_round or not _can_play(stdout):
        print_match(replay, frames or (), theme, options, stdout, every_round)
        return
    playback = Playback(Timeline(replay), speed=speed, step=step, growing=frames is not None)
    with _keys(stdin) as keys:
        _play(playback, replay, theme, options, frames, stdout, keys)
    if playback.at_end and replay.message:
        # On the shell's screen the match is gone; how it ended is worth a line there.
        stdout.write(options.clean(replay.message) + "\n")
        stdout.flush()


def _can_play(stdout: TextIO) -> bool:
    """Whether there is a terminal that can move its cursor, on a system with terminals as we know them."""
    return stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb" and importlib.util.find_spec("termios") is not None


@contextlib.contextmanager
def _keys(stdin: TextIO | None) -> Iterator[int | None]:
    """The descriptor of a terminal to read keys from, or None."""
    given = sys.stdin if stdin is None else stdin
    if given is not None and given.isatty():
        yield given.fileno()
        return
    opened: int | None = None
    if stdin is None:
        with contextlib.suppress(OSError):
            opened = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        yield opened
    finally:
        if opened is not None:
            os.close(opened)


def _play(
    playback: Playback,
    replay: Replay,
    theme: Theme,
    options: DrawOptions,
    frames: Iterable[Frame] | None,
    stdout: TextIO,
    keys: int | None,
) -> None:
    # Here, because the module needs termios, which only Unix has.
    from tiltyard_simulator.viewer.terminal import Terminal

    stdout.flush()
    with Terminal(stdout.fileno(), keys, stdout.encoding) as terminal:
        feed = None if frames is None else Feed(frames, terminal.wake)
        try:
            _Show(playback, replay, theme, options, terminal, feed).run()
        finally:
            if feed is not None:
                feed.stop()
    if feed is not None and feed.error is not None:
        raise feed.error


class _Show:
    """The loop: take what arrived, move on, draw, wait for a key or the next thing to do."""

    def __init__(
        self, playback: Playback, replay: Replay, theme: Theme, options: DrawOptions, terminal: Terminal, feed: Feed | None
    ) -> None:
        self._playback = playback
        self._replay = replay
        self._theme = theme
        self._options = options
        self._terminal = terminal
        self._feed = feed
        self._draw_from = 0.0
        """The earliest time of the next drawing."""

    def run(self) -> None:
        playback = self._playback
        while True:
            self._take_frames()
            now = time.monotonic()
            playback.advance(now)
            drawn = now >= self._draw_from
            if drawn:
                self._draw()
                self._draw_from = now + SHORTEST_BETWEEN_DRAWINGS
                # Without keys nobody could end it, so it ends by itself.
                if playback.at_end and not self._terminal.has_keys:
                    return
            for key in self._terminal.wait(self._timeout(drawn)):
                playback.press(key)
            if playback.quitting:
                return

    def _take_frames(self) -> None:
        if self._feed is None:
            return
        taken, finished = self._feed.take()
        for frame in taken:
            self._playback.timeline.append(frame)
        if finished and self._playback.growing:
            self._playback.growing = False
            error = self._feed.error
            if error is not None:
                self._playback.problem = f"broken off after round {self._playback.timeline.last}: {type(error).__name__}: {error}"

    def _draw(self) -> None:
        size = self._terminal.size()
        self._terminal.show(compose(self._playback, self._replay, self._theme, self._options, *size), size)

    def _timeout(self, drawn: bool) -> float | None:
        """Seconds until the next round is due, or until what is not drawn yet may be; None: for ever."""
        due = self._playback.due_at()
        if drawn and due is None:
            return None
        earliest = self._draw_from if due is None else max(due, self._draw_from)
        return max(0.0, earliest - time.monotonic())
