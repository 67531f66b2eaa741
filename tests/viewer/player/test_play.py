from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Iterator
from threading import Event

import pytest
from tests.viewer.pseudo_terminal import PseudoTerminal
from tests.viewer.samples import plain

from tiltyard_engine.replay import Frame
from tiltyard_viewer.player.play import Feed

LONG = 30.0

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs pseudo-terminals")

PLAYED_BY_HAND = """
from tests.viewer.samples import THEME, walk
from tiltyard_viewer.player.play import Display, watch
watch(walk(10), THEME, Display(step=True))
"""

ENDLESS = """
from itertools import count
from tests.viewer.samples import THEME, walk
from tiltyard_engine.replay import Frame
from tiltyard_viewer.player.play import Display, watch
import time
def frames():
    for number in count():
        time.sleep(0.001)
        yield Frame(((number % 80, "#"),))
watch(walk(0), THEME, Display(speed=1000), frames=frames())
"""

FROM_STANDARD_INPUT = """
import sys
from tests.viewer.samples import THEME, walk
from tiltyard_engine.replay import Frame
from tiltyard_viewer.player.play import Display, watch
replay = walk(0)
replay.message = ""
def frames():
    for line in sys.stdin:
        if line == "bad\\n":
            raise ValueError("\\x1b[31mnot a frame")
        replay.message = line.strip()
        yield Frame(((0, "#"),), (), (), (line.strip(),))
watch(replay, THEME, Display(speed=1000), frames=frames())
"""


def test_keys_move_through_the_match_and_q_gives_the_terminal_back() -> None:
    with PseudoTerminal(PLAYED_BY_HAND) as terminal:
        assert "\x1b[?1049h" in terminal.wait_for("round 0 of 10")
        terminal.press(".")
        terminal.wait_for("round 1 of 10")
        terminal.press("\x1b[C")
        terminal.wait_for("round 2 of 10")
        terminal.press("\x1b[D")
        terminal.wait_for("round 1 of 10")
        terminal.press("n")
        terminal.wait_for("round 5 of 10")
        assert "lap 1" in terminal.wait_for("lap 1")
        terminal.press("+")
        terminal.wait_for("16/s")
        terminal.press("?")
        terminal.wait_for("any key goes back")
        terminal.press("\x1b")
        terminal.wait_for("round 5 of 10")
        terminal.press("G")
        terminal.wait_for("ann won by walking")
        terminal.press("\x1b[H")
        terminal.wait_for("round 0 of 10")
        terminal.press(" ")
        terminal.wait_for("round 10 of 10")
        terminal.press("q")
        assert terminal.wait_for_end() == 0
        assert terminal.is_restored()
        assert terminal.output.endswith("\x1b[?1049lann won by walking\r\n")


def test_a_frame_is_one_write_of_what_changed() -> None:
    # Too narrow for anything beside the board.
    with PseudoTerminal(PLAYED_BY_HAND, columns=60) as terminal:
        terminal.wait_for("q quit")
        terminal.press(".")
        drawn = terminal.wait_for("round 1 of 10")
        assert "\x1b[2J" not in drawn
        # The first row of the board holds the ant, the other rows are as before.
        assert [f"\x1b[{line};1H" in drawn for line in (2, 3, 4, 5, 7)] == [True, False, False, False, True]


def test_a_resize_draws_anew() -> None:
    with PseudoTerminal(PLAYED_BY_HAND) as terminal:
        terminal.wait_for("q quit")
        terminal.resize(30, 9)
        drawn = terminal.wait_for("round 0 of 10")
        assert "\x1b[2J" in drawn
        assert max(len(plain(line)) for line in re.split(r"\x1b\[\d+;1H", drawn)) <= 30
        terminal.resize(90, 30)
        assert "\x1b[2J" in terminal.wait_for("q quit")
        terminal.press("q")
        assert terminal.wait_for_end() == 0


@pytest.mark.parametrize("code", [PLAYED_BY_HAND, ENDLESS])
def test_ctrl_c_gives_the_terminal_back(code: str) -> None:
    with PseudoTerminal(code) as terminal:
        terminal.wait_for("q quit")
        terminal.press("\x03")
        assert terminal.wait_for_end() == -signal.SIGINT
        assert terminal.is_restored()
        assert "KeyboardInterrupt" in terminal.output


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_being_told_to_end_gives_the_terminal_back(number: signal.Signals) -> None:
    with PseudoTerminal(ENDLESS) as terminal:
        terminal.wait_for("q quit")
        terminal.process.send_signal(number)
        assert terminal.wait_for_end() == 128 + number
        assert terminal.is_restored()


def test_suspending_gives_the_terminal_back_and_takes_it_again() -> None:
    with PseudoTerminal(PLAYED_BY_HAND) as terminal:
        terminal.wait_for("q quit")
        terminal.process.send_signal(signal.SIGTSTP)
        # Without a shell that could continue it, the kernel does not stop it: it comes back at once.
        terminal.wait_for("\x1b[?1049l")
        terminal.wait_for("\x1b[?1049h")
        terminal.wait_for("round 0 of 10")
        terminal.press("q")
        assert terminal.wait_for_end() == 0
        assert terminal.is_restored()


def test_an_error_gives_the_terminal_back() -> None:
    breaking = PLAYED_BY_HAND.replace(
        "watch(", "from tiltyard_viewer.player.playback import Playback\nPlayback.press = lambda *_: 1 / 0\nwatch("
    )
    with PseudoTerminal(breaking) as terminal:
        terminal.wait_for("q quit")
        terminal.press("x")
        assert terminal.wait_for_end() == 1
        assert terminal.is_restored()
        assert "ZeroDivisionError" in terminal.output


def test_arriving_frames_are_shown_and_keys_work_while_it_waits() -> None:
    reading, writing = os.pipe()
    try:
        with PseudoTerminal(FROM_STANDARD_INPUT, stdin=reading, environment={"NO_COLOR": "1"}) as terminal:
            terminal.wait_for("round 0 of 0+  waiting")
            os.write(writing, b"first\nsecond\n")
            terminal.wait_for("round 2 of 2+  waiting")
            terminal.press(",")
            terminal.wait_for("round 1 of 2+  paused")
            os.write(writing, b"third\n")
            terminal.wait_for("round 1 of 3+  paused")
            terminal.press("G")
            terminal.wait_for("round 3 of 3+  waiting")
            os.write(writing, b"bad\n")
            terminal.wait_for("round 3 of 3  end")
            assert "\x1b[31m" not in terminal.wait_for("stopped after round 3: ValueError: not a frame")
            terminal.press("q")
            assert terminal.wait_for_end() == 1
            assert terminal.is_restored()
    finally:
        os.close(reading)
        os.close(writing)


def test_quitting_does_not_wait_for_frames() -> None:
    reading, writing = os.pipe()
    try:
        with PseudoTerminal(FROM_STANDARD_INPUT, stdin=reading, environment={"NO_COLOR": "1"}) as terminal:
            terminal.wait_for("round 0 of 0+  waiting")
            terminal.press("q")
            assert terminal.wait_for_end() == 0
            assert terminal.is_restored()
            assert terminal.output.endswith("\x1b[?1049l")
    finally:
        os.close(reading)
        os.close(writing)


def test_without_keys_it_plays_to_the_end_and_ends() -> None:
    code = PLAYED_BY_HAND.replace("Display(step=True)", "Display(speed=500), stdin=open('/dev/null')")
    with PseudoTerminal(code) as terminal:
        terminal.wait_for("round 10 of 10")
        assert terminal.wait_for_end() == 0
        assert terminal.is_restored()


@pytest.mark.parametrize(
    ("environment", "call", "expected"),
    [
        ({}, "step=True", "\x1b[38;5;231;48;5;25ma→\x1b[0m"),
        ({"COLORTERM": "truecolor"}, "step=True", "\x1b[38;2;255;255;255;48;2;0;114;178ma→\x1b[0m"),
        ({"NO_COLOR": "1"}, "step=True", "│a→  "),
        ({}, "step=True, color=False", "│a→  "),
        ({"NO_COLOR": "1"}, "step=True, ascii_only=True", "|a>  "),
        ({"NO_COLOR": "1", "PYTHONUTF8": "0", "PYTHONIOENCODING": "latin-1"}, "step=True", "|a>  "),
    ],
)
def test_it_shows_what_the_terminal_can(environment: dict[str, str], call: str, expected: str) -> None:
    with PseudoTerminal(PLAYED_BY_HAND.replace("step=True", call), environment=environment) as terminal:
        terminal.wait_for(expected)
        terminal.wait_for("q quit")
        assert ("\x1b[38;" in terminal.output) == ("38;" in expected)
        terminal.press("q")
        assert terminal.wait_for_end() == 0


def test_a_terminal_that_cannot_move_its_cursor_gets_text() -> None:
    with PseudoTerminal(PLAYED_BY_HAND, environment={"TERM": "dumb"}) as terminal:
        assert terminal.wait_for_end() == 0
        assert "\x1b" not in terminal.output
        assert "round 10\r\n" in terminal.output


def take_all(feed: Feed, awake: Event) -> list[Frame]:
    """Take until the end, as the player does: look, then wait to be woken."""
    everything: list[Frame] = []
    while True:
        taken, finished = feed.take()
        everything += taken
        if finished:
            return everything
        assert awake.wait(LONG)
        awake.clear()


def test_frames_come_in_order_and_the_end_is_told() -> None:
    frames = [Frame(((number, "#"),)) for number in range(5000)]
    awake = Event()
    assert take_all(Feed(iter(frames), awake.set), awake) == frames


def test_what_breaks_the_frames_is_kept_for_the_one_who_watches() -> None:
    def broken() -> Iterator[Frame]:
        yield Frame(())
        raise EOFError("half a line")

    awake = Event()
    feed = Feed(broken(), awake.set)
    assert take_all(feed, awake) == [Frame(())]
    assert isinstance(feed.error, EOFError)


def test_nobody_is_woken_after_stop() -> None:
    go_on, read_on = Event(), Event()
    woken: list[int] = []

    def slow() -> Iterator[Frame]:
        assert go_on.wait(LONG)
        yield Frame(())
        read_on.set()

    feed = Feed(slow(), lambda: woken.append(1))
    feed.stop()
    go_on.set()
    assert not read_on.wait(0.05)
    assert not woken
