"""Lines that are written and asked for."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest
from tests.terminal_session import CTRL_C, CTRL_D, TerminalSession

from tiltyard_kit.terminal.console import Console, InputEndedError, NoTerminalError, open_console

ASKING = """
import sys
from tiltyard_kit.terminal.console import LeftError, open_console
try:
    with open_console() as console:
        console.show(f"{console.width} columns, {console.palette.colors} colours")
        console.say(f"you said {console.ask('what?')!r}")
except LeftError as left:
    print(f"left: {left}", flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def console(typed: str) -> tuple[Console, io.StringIO]:
    screen = io.StringIO()
    return Console(io.StringIO(typed), screen), screen


def test_what_is_piped_in_is_written_behind_the_question() -> None:
    asked, screen = console(" one \r\n\n")
    assert [asked.ask("what?"), asked.ask("what?")] == ["one", ""]
    assert screen.getvalue() == "what? one\nwhat? \n"
    with pytest.raises(InputEndedError, match="the input ended"):
        asked.ask("what?")


def test_a_picture_stands_by_itself_and_long_lines_are_broken() -> None:
    shown, screen = console("")
    shown.show("one", "two")
    shown.say_wrapped("word " * 30)
    lines = screen.getvalue().splitlines()
    assert lines[:3] == ["", "one", "two"]
    assert lines[3:] == ["word " * 15 + "word", "  " + "word " * 13 + "word"]
    assert shown.width == 80


def test_what_an_output_cannot_encode_is_replaced() -> None:
    screen = io.TextIOWrapper(io.BytesIO(), "ascii")
    Console(io.StringIO(), screen).say("Zoë")
    assert screen.detach().getvalue() == b"Zo?\n"


@pytest.mark.parametrize("streams", [True, False])
def test_the_terminal_of_a_person_is_found(tmp_path: Path, streams: bool) -> None:
    """Also where somebody has taken the standard streams."""
    command = [sys.executable, "-c", ASKING]
    with TerminalSession(command, tmp_path, {"TERM": "xterm-256color"}, size=(20, 61), streams=streams) as session:
        session.expect("61 columns, 256 colours\n")
        session.expect("what? ")
        session.type("this")
        session.expect("you said 'this'")
        assert session.end() == 0


@pytest.mark.parametrize(("key", "said"), [(CTRL_D, "left: the input ended"), (CTRL_C, "interrupted")])
def test_leaving_a_question(tmp_path: Path, key: str, said: str) -> None:
    with TerminalSession([sys.executable, "-c", ASKING], tmp_path, {"TERM": "xterm"}) as session:
        session.expect("what? ")
        if key == CTRL_C:
            session.interrupt(said)
        else:
            session.press(key)
            session.expect(said)
        assert session.end() == 0


def test_a_terminal_that_cannot_be_opened_is_told(tmp_path: Path) -> None:
    with pytest.raises(NoTerminalError, match="none: cannot be opened: No such file"), open_console(str(tmp_path / "none")):
        pass


def test_the_engine_is_imported_without_it() -> None:
    code = "import sys, tiltyard_engine; print([name for name in sys.modules if name.startswith('tiltyard_kit.terminal')])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
