from __future__ import annotations

import os
import re
import signal
import sys

import pytest
from tests.simulator.viewer.pseudo_terminal import PseudoTerminal
from tests.simulator.viewer.samples import plain

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs pseudo-terminals")

PLAYED_BY_HAND = """
from tests.simulator.viewer.samples import THEME, walk
from tiltyard_simulator.viewer import watch
watch(walk(10), THEME, step=True)
"""

ENDLESS = """
from itertools import count
from tests.simulator.viewer.samples import THEME, walk
from tiltyard_engine.replay import Frame
from tiltyard_simulator.viewer import watch
import time
def frames():
    for number in count():
        time.sleep(0.001)
        yield Frame(((number % 80, "#"),))
watch(walk(0), THEME, frames=frames(), speed=1000)
"""

FROM_STANDARD_INPUT = """
import sys
from tests.simulator.viewer.samples import THEME, walk
from tiltyard_engine.replay import Frame
from tiltyard_simulator.viewer import watch
replay = walk(0)
replay.message = ""
def frames():
    for line in sys.stdin:
        if line == "bad\\n":
            raise ValueError("\\x1b[31mnot a frame")
        replay.message = line.strip()
        yield Frame(((0, "#"),), (), (), (line.strip(),))
watch(replay, THEME, frames=frames(), speed=1000)
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
        "watch(", "from tiltyard_simulator.viewer.playback import Playback\nPlayback.press = lambda *_: 1 / 0\nwatch("
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
            assert "\x1b[31m" not in terminal.wait_for("broken off after round 3: ValueError: not a frame")
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
    code = PLAYED_BY_HAND.replace("step=True", "speed=500, stdin=open('/dev/null')")
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
