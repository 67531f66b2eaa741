"""``tiltyard play advance``: whole games at a real terminal and through a pipe."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.engine.attack import AS_PROGRAM, assert_harmless
from tests.plugins.advance.boards import sparse
from tests.plugins.advance.marked_bots import script
from tests.plugins.advance.matches import PROGRAMS, PYTHON
from tests.plugins.advance.terminal.test_one_move import environment
from tests.terminal_session import CTRL_D, TerminalSession

from tiltyard_advance.board_files import write_board_file
from tiltyard_simulator.replays.encoding import decode
from tiltyard_simulator.replays.files import is_replay

TILTYARD = str(Path(sys.executable).with_name("tiltyard"))
MATE = sparse("ga1", "Mi2", "Mh9", "Gi9")
"""h9 h1 traps black."""


Play = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def play(forked_commands: Path) -> Play:
    """``play(folder, ..., typed=)``: the command, and what is typed, through a pipe."""

    def run(folder: Path, *words: str, typed: str = "") -> subprocess.CompletedProcess[str]:
        command = [str(forked_commands / "tiltyard"), "play", "advance", *words]
        done = subprocess.run(
            command, cwd=folder, env=environment(), input=typed, capture_output=True, text=True, check=False, timeout=120
        )
        assert "Traceback" not in done.stderr
        return done

    return run


def test_a_game_to_its_end(play: Play, forked_commands: Path, tmp_path: Path) -> None:
    (tmp_path / "mate.txt").write_bytes(write_board_file(MATE))
    done = play(tmp_path, "--board", "mate.txt", "--black", "7", typed="h9 h1\n\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert "won: black has no legal move; material 8 : 0" in done.stdout
    assert "saved the replay in advance-game.jsonl. To show it:\n  tiltyard watch advance-game.jsonl\n" in done.stdout
    assert not (tmp_path / "advance-game.json").exists(), "the game is over"
    data = (tmp_path / "advance-game.jsonl").read_bytes()
    assert is_replay(data)
    replay = decode(data)
    assert (replay.seats, len(replay.frames), replay.frames[0].actions[0]) == (("me", "advance-level-7"), 1, "Miner h9 to h1")
    command = [str(forked_commands / "tiltyard"), "watch", "advance-game.jsonl"]
    shown = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "won: black has no legal move" in shown.stdout


def test_two_people_take_back_save_and_resign(play: Play, tmp_path: Path) -> None:
    typed = "c8 c7\nc2 c3\nundo\nsave other.json\nd2 d3\nsave /no/such/folder\nresign\nn\nresign\ny\n"
    done = play(tmp_path, "--white", "me", "--black", "me", "--no-confirm", "-o", "duel.jsonl", typed=typed)
    assert done.returncode == 0
    assert "taken back: 1 move\n" in done.stdout
    assert "saved in other.json" in done.stdout
    assert "/no/such/folder: cannot be written" in done.stdout
    assert "won; material 48 : 48; white resigned" in done.stdout
    assert json.loads((tmp_path / "other.json").read_text())["moves"] == ["c8 c7"]
    assert [frame.actions for frame in decode((tmp_path / "duel.jsonl").read_bytes()).frames] == [
        ("Zombie c8 to c7", ""),
        ("", "Zombie d2 to d3"),
    ]


def test_taking_back_against_an_algorithm_goes_to_the_own_move(play: Play, tmp_path: Path) -> None:
    done = play(tmp_path, "--black", "4", "--seed", "1", "--no-confirm", typed="undo\nc8 c7\nundo\nundo\nd8 d7\nquit\n")
    assert done.stdout.count("there is no move to take back") == 2
    assert "taken back: 2 moves" in done.stdout
    saved = json.loads((tmp_path / "advance-game.json").read_text())
    assert saved["moves"][0] == "d8 d7"
    assert len(saved["moves"]) == 2


def test_left_and_gone_on_with(play: Play, tmp_path: Path) -> None:
    left = play(tmp_path, "--white", "4", "--black", "me", "--seed", "5", "--no-confirm", typed="d2 d3\n")
    assert left.returncode == 0
    assert left.stdout.endswith(
        "the input ended; the game is saved. To resume it:\n  tiltyard play advance --resume advance-game.json\n"
    )
    before = json.loads((tmp_path / "advance-game.json").read_text())
    assert len(before["moves"]) == 3
    done = play(tmp_path, "--resume", "advance-game.json", "--no-confirm", typed="quit\n")
    assert done.returncode == 0
    assert "Move 2 of 100, black to move" in done.stdout
    assert json.loads((tmp_path / "advance-game.json").read_text()) == before
    other = play(tmp_path, "--no-confirm", typed="c8 c7\n")
    assert "--resume advance-game-2.json" in other.stdout, "an unfinished game is not written over"


def test_interrupted_at_a_terminal(tmp_path: Path) -> None:
    command = [TILTYARD, "play", "advance", "--black", "4", "--seed", "2"]
    with TerminalSession(command, tmp_path, environment()) as session:
        session.expect("white> ")
        session.type("c8 c7")
        session.expect("cancels it> ")
        session.type("")
        session.expect("black: ")
        session.expect("white> ")
        session.interrupt("interrupted; the game is saved. To resume it:\n  tiltyard play advance --resume advance-game.json")
        assert session.end() == 130
    assert all(len(line) <= 80 for line in session.plain.splitlines())
    assert len(json.loads((tmp_path / "advance-game.json").read_text())["moves"]) == 2
    with TerminalSession([TILTYARD, "play", "advance", "--resume", "advance-game.json"], tmp_path, environment()) as session:
        session.expect("Move 2 of 100, white to move")
        session.expect("white> ")
        session.press(CTRL_D)
        session.expect("the input ended; the game is saved")
        assert session.end() == 0


def bot_of(folder: Path, name: str) -> Path:
    """One of the programs written for tests as an executable in a folder of its own."""
    bot = shutil.copytree(PROGRAMS, folder / "bots") / name
    bot.write_text(f"#!{PYTHON} -SB\n" + (PROGRAMS / f"{name}.py").read_text())
    bot.chmod(0o755)
    return bot


def test_against_any_program(play: Play, tmp_path: Path) -> None:
    bot_of(tmp_path, "honest")
    done = play(tmp_path, "--black", "bots/honest", "--no-confirm", typed="c8 c7\nd8 d7\nresign\ny\n")
    assert (done.returncode, done.stderr) == (0, "")
    replay = decode((tmp_path / "advance-game.jsonl").read_bytes())
    assert (len(replay.frames), replay.seats) == (4, ("me", "honest"))


def test_against_a_program_that_fails(play: Play, tmp_path: Path) -> None:
    bot_of(tmp_path, "idle")
    done = play(tmp_path, "--black", "bots/idle", "--no-confirm", typed="c8 c7\n")
    assert done.returncode == 0
    assert "won; material 48 : 48; black: illegal move: made no move: the board is unchanged" in done.stdout
    assert (tmp_path / "advance-game.jsonl").exists()


def test_what_a_program_says_cannot_control_the_terminal(play: Play, tmp_path: Path) -> None:
    script(tmp_path / "bot", AS_PROGRAM)
    assert_harmless(play(tmp_path, "--white", "./bot").stdout)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--black", "nobody"], "no algorithm is called 'nobody'"),
        (["--black", "./missing"], "missing"),
        (["--white", "7", "--black", "6"], "neither player is 'me'"),
        (["--board", "missing.txt"], "missing.txt: cannot be read: No such file or directory"),
        (["--board", "bad.txt"], "bad.txt: line 1, column 1: bad character '?'"),
        (["--plies", "3"], "plies is 3, expected an even number from 0 to 60"),
        (["--board", "bad.txt", "--plies", "2"], "--board and --plies cannot be used together"),
        (["--save", "bad.txt"], "bad.txt: already exists; resume it with --resume, or choose another file"),
        (["--resume", "missing.json"], "missing.json: cannot be read: No such file or directory"),
        (["--resume", "bad.txt"], "bad.txt: not a saved game"),
        (["--resume", "x.json", "--plies", "2"], "--resume: the saved game has its own start"),
    ],
)
def test_mistakes_are_told_in_one_message(play: Play, tmp_path: Path, words: list[str], message: str) -> None:
    (tmp_path / "bad.txt").write_text("?" * 81)
    done = play(tmp_path, *words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert message in done.stderr
