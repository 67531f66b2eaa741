"""``tiltyard watch`` on what an engine prints: from a file, and from a pipe while it is printed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.conftest import RunCommand

from tiltyard_engine.replay import Frame, Replay
from tiltyard_simulator.replays.encoding import encode

PRINTED = """\
$$$ exec p1 : [./one]
$$$ exec p2 : [robots/two]
Anfield 3 2:
    012
000 @..
001 ..$
Piece 2 1:
OO
-> Answer (@): 0 0

Anfield 3 2:
    012
000 aa.
001 ..$
Piece 2 1:
OO
-> Answer ($): 1 1

"""
END = "seed: 7\nPlayer1 (x): 2\nPlayer2 (y): 2\nPlayer1 and Player2 have the same score, it's a draw!\n"
TILTYARD = str(Path(sys.executable).with_name("tiltyard"))


def test_a_file(tmp_path: Path, run_command: RunCommand) -> None:
    (tmp_path / "game.txt").write_text(PRINTED + END)
    done = run_command("tiltyard", "watch", "game.txt", "--ascii", "--every-round")
    assert (done.returncode, done.stderr) == (0, "")
    assert "1 one: 2   2 two: 1" in done.stdout
    assert "1 one: 2   2 two: 2" in done.stdout
    assert "1 2x1 at 0 0   2 has 2x1 to place" in done.stdout
    assert "2 2x1 at 1 1" in done.stdout
    assert done.stdout.rstrip().endswith("Player1 and Player2 have the same score, it's a draw! 2 : 2 cells")


def test_a_pipe_is_shown_as_it_comes() -> None:
    command = [TILTYARD, "watch", "-", "--ascii", "--every-round"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(PRINTED)
        process.stdin.flush()
        # Shown while the game is still being printed.
        shown = iter(process.stdout.readline, "")
        assert any("1 2x1 at 0 0" in line for line in shown)
        process.stdin.write(END)
        process.stdin.close()
        assert any("it's a draw!" in line for line in shown)
        assert process.wait(60) == 0


def test_a_game_that_was_broken_off_in_a_pipe() -> None:
    done = subprocess.run([TILTYARD, "watch", "-"], input=PRINTED, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0
    assert "two: 2" in done.stdout


def test_a_replay_in_a_pipe() -> None:
    replay = Replay(
        game="filler",
        width=2,
        height=1,
        squares=("@", "$"),
        seats=("one", "two"),
        title="duel",
        message="over",
        frames=[Frame(((0, "a"),), ("moved",))],
    )
    done = subprocess.run([TILTYARD, "watch", "-"], input=encode(replay), capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"round 1" in done.stdout
    assert b"over" in done.stdout


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hello\n", "error: standard input: isn't a replay or the output of an installed game's engine"),
        (PRINTED[:60], "error: standard input: "),
        (PRINTED + "Anfield 9 9:\n", "error: standard input: "),
    ],
)
def test_other_texts_in_a_pipe(text: str, message: str) -> None:
    done = subprocess.run([TILTYARD, "watch", "-"], input=text, capture_output=True, text=True, timeout=60, check=False)
    assert message in done.stderr
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
