"""``advance --interactive``: a person in a marker's place for programs, at a real terminal and without one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.plugins.advance.boards import sparse
from tests.terminal_session import CTRL_D, TerminalSession

from tiltyard_advance.board_files import read_board_file, write_board_file
from tiltyard_advance.positions import START

ADVANCE = str(Path(sys.executable).with_name("advance"))
MOVED = START[:56] + "Z" + START[57:65] + "." + START[66:]
"""After c8 c7."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in.txt").write_bytes(write_board_file(START))
    return tmp_path


def environment(**more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "ADVANCE_TERMINAL", "COLORTERM")}
    return {**kept, "TERM": "xterm-256color", **more}


def test_at_a_terminal(folder: Path) -> None:
    with TerminalSession([ADVANCE, "--interactive", "white", "in.txt", "out.txt"], folder, environment()) as session:
        session.expect("white> ")
        session.type("c8 c7")
        session.expect("Zombie c8 to c7")
        session.expect("cancels it> ")
        assert not (folder / "out.txt").exists(), "nothing is written before it is confirmed"
        session.type("")
        assert session.end() == 0
    assert "\x1b[" in session.shown
    assert read_board_file((folder / "out.txt").read_bytes()) == MOVED


def test_black_sits_below_and_colours_can_be_left_out(folder: Path) -> None:
    with TerminalSession([ADVANCE, "--interactive", "black", "in.txt", "in.txt"], folder, environment(NO_COLOR="1")) as session:
        session.expect("i   h   g")
        session.expect("black> ")
        session.type("b1 a3")
        session.expect("cannot act on a3")
        session.press("c2 c3\n\n")
        assert session.end() == 0
    assert "\x1b[1;" not in session.shown
    assert all(len(line) <= 80 for line in session.plain.splitlines())
    assert (folder / "in.txt").read_bytes() != write_board_file(START)


def test_a_marker_that_keeps_input_and_output_for_itself(folder: Path) -> None:
    """The controlling terminal is asked then."""
    call = f"{ADVANCE} --interactive white in.txt out.txt </dev/null >said.txt 2>&1"
    with TerminalSession(["/bin/sh", "-c", call], folder, environment()) as session:
        session.expect("white> ")
        session.type("c8 c7")
        session.expect("cancels it> ")
        session.type("")
        assert session.end() == 0
    assert read_board_file((folder / "out.txt").read_bytes()) == MOVED
    assert (folder / "said.txt").read_bytes() == b""


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (["quit\n"], "no move was made: quit"),
        ([CTRL_D], "the input ended before a move was made"),
        (["c8 c7\n", CTRL_D], "the input ended before a move was made"),
    ],
)
def test_without_a_move_nothing_is_written(folder: Path, keys: list[str], message: str) -> None:
    with TerminalSession([ADVANCE, "--interactive", "white", "in.txt", "out.txt"], folder, environment()) as session:
        session.expect("white> ")
        for part in keys:
            session.press(part)
            if part.endswith("\n") and part != keys[-1]:
                session.expect("cancels it> ")
        session.expect(f"advance: {message}")
        assert session.end() == 1
    assert not (folder / "out.txt").exists()


def test_interrupted_before_a_move(folder: Path) -> None:
    with TerminalSession([ADVANCE, "--interactive", "white", "in.txt", "out.txt"], folder, environment()) as session:
        session.expect("white> ")
        session.interrupt("advance: interrupted before a move was made")
        assert session.end() == 1
    assert not (folder / "out.txt").exists()


def run(folder: Path, *words: str, typed: str = "", **more: str) -> subprocess.CompletedProcess[str]:
    """Without a controlling terminal."""
    command = [ADVANCE, "--interactive", *words]
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment(**more),
        input=typed,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        start_new_session=True,
    )
    assert "Traceback" not in done.stderr
    return done


def test_without_any_terminal_what_is_piped_in_counts(folder: Path) -> None:
    done = run(folder, "white", "in.txt", "out.txt", typed="c8 c7\n\n")
    assert (done.returncode, done.stdout) == (0, "")
    assert read_board_file((folder / "out.txt").read_bytes()) == MOVED
    done = run(folder, "white", "in.txt", "out.txt")
    assert done.returncode == 1
    assert done.stderr.endswith("advance: the input ended before a move was made\n")


def test_wrong_calls(folder: Path) -> None:
    done = run(folder, "white", "in.txt", "out.txt", ADVANCE_TERMINAL="/no/such")
    assert (done.returncode, done.stderr) == (
        1,
        "advance: /no/such (in ADVANCE_TERMINAL): cannot be opened: No such file or directory\n",
    )
    assert run(folder, "red", "in.txt", "out.txt").returncode == 2
    assert run(folder, "white", "missing.txt", "out.txt").stderr == (
        "advance: missing.txt: cannot be read: No such file or directory\n"
    )
    trapped = sparse("ga1", "Mb9", "Mi2", "Gi9", "Mc1", "#b1")
    (folder / "in.txt").write_bytes(write_board_file(trapped))
    assert run(folder, "black", "in.txt", "out.txt").stderr == "advance: in.txt: black has no legal move and has lost\n"
    assert run(folder, "name").stdout == "tiltyard person\n"
