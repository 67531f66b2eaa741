"""The command: its flags, its files, what it leaves to whoever started it."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.plugins.filler.recorded import recorded_file

from tiltyard_filler import game_engine
from tiltyard_filler.engine import REFRESH_SECONDS

ENGINE = [sys.executable, "-m", "tiltyard_filler.game_engine"]
Engine = Callable[..., "subprocess.CompletedProcess[str]"]
ROBOTS = Path(__file__).resolve().parents[2] / "programs" / "filler"
MAP00 = Path(game_engine.__file__).with_name("shipped_maps") / "map00"
MAPS = {
    "m_small": b"@..$\n....\n....\n",
    "m_crlf": b"@....\r\n....$\r\n",
    "m_rag": b"@....\n...$\n",
    "m_nop2": b".....\n" * 4 + b"..@..\n",
    "m_multi": b"......\n" * 4 + b"@.@.@.\n.$...$\n",
    "m_bad": b"@....\n.x..$\n",
    "m_blank": b"\n@....\n....$\n",
    "m_empty": b"",
    "m_lower": b"......\n" * 4 + b"a.a..s\n",
}


@dataclass(frozen=True)
class Recorded:
    words: tuple[str, ...]
    exit_code: int
    lines: tuple[str, ...]
    errors: str


def recorded_calls() -> list[Recorded]:
    """Calls of the subject's engine with what was seen of them: the beginning and the end of what it printed."""
    found = []
    for part in re.split(r"^--- (?=-)", recorded_file("command-line.txt").read_text(), flags=re.MULTILINE)[1:]:
        head, exit_code, *lines = part.splitlines()
        errors = next((line for line in lines if line.startswith("stderr: ")), "stderr: ").removeprefix("stderr: ")
        head = head.replace("../docker_image/maps/map00", "map00").replace("./zero --arg", "'./zero --arg'")
        words = tuple(word.strip("'").replace("\0", " ") for word in head.replace("zero --arg", "zero\0--arg").split())
        printed = tuple(line for line in lines if line and line != "..." and not line.startswith("stderr: "))
        found.append(Recorded(words, int(exit_code.removeprefix("rc=")), printed, errors))
    return found


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """With robots and the maps of the recorded calls, in which the games are played."""
    monkeypatch.chdir(tmp_path)
    for name, data in MAPS.items():
        (tmp_path / name).write_bytes(data)
    shutil.copyfile(MAP00, tmp_path / "map00")
    for robot in ("zero", "sleep"):
        (tmp_path / robot).symlink_to(ROBOTS / robot)
    (tmp_path / "notexec").write_text("#!/bin/sh\n")
    (tmp_path / "garbage").write_text("neither a script nor a program\n")
    (tmp_path / "garbage").chmod(0o755)
    return tmp_path


@pytest.fixture
def engine(forked_commands: Path) -> Engine:
    """``engine("-f", ...)`` runs the command in the current folder."""

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([forked_commands / "game_engine", *words], capture_output=True, text=True, timeout=60, check=False)

    return run


def normal(text: str) -> str:
    """Without what is different in every run, or from one name of the program to another."""
    text = re.sub(r"Usage of [^|]*:", "Usage of engine:", text.replace("\n", "|"))
    return re.sub(r"seed: \d{15,}", "seed: N", text)


def test_recorded_calls(engine: Engine, folder: Path) -> None:
    calls = recorded_calls()
    assert len(calls) == 24
    with ThreadPoolExecutor(4) as pool:
        played = list(pool.map(lambda recorded: engine("-strict", *recorded.words), calls))
    for recorded, done in zip(calls, played, strict=True):
        assert done.returncode == recorded.exit_code, (recorded, done)
        printed = iter(normal(done.stdout).split("|"))
        assert all(normal(line) in printed for line in dict.fromkeys(recorded.lines)), (recorded, done.stdout)
        wanted = normal(recorded.errors)
        if recorded.exit_code == 2 and wanted.startswith("panic"):
            wanted = wanted[: wanted.index("strings.Repeat")]
        assert normal(done.stderr).startswith(wanted), (recorded, done.stderr)
        assert wanted or not done.stderr


def test_a_map_that_cannot_be_read_is_told_on_standard_output(engine: Engine, folder: Path) -> None:
    """As seen of the subject's engine, unlike all other errors."""
    (folder / "maps").mkdir()
    for option in ("-strict", "-unconfined"):
        done = engine("-f", "maps", "-p1", "./zero", "-p2", "./zero", option)
        assert (done.returncode, done.stdout, done.stderr) == (1, "read maps: is a directory\n", "")


def test_a_robot_by_its_bare_name_is_looked_for_in_the_path(engine: Engine, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("-f", "map00", "-p1", "zero", "-p2", "./zero", "-s", "1", "-unconfined")
    why = 'exec: "zero": executable file not found in $PATH'
    assert engine(*words).stderr == f"{why}{why}\n{why}\nError: Unexpected error for player1\n"
    (folder / "bin").mkdir()
    (folder / "bin" / "zero").symlink_to(ROBOTS / "zero")
    monkeypatch.setenv("PATH", f"{folder / 'bin'}:{os.environ['PATH']}")
    done = engine(*words)
    assert "Player1 (                                    zero): 1\n" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("robot", "why"), [("notexec", "permission denied"), ("garbage", "exec format error"), (".", "permission denied")]
)
def test_a_robot_in_a_sandbox_cannot_be_started_for_the_same_reasons(engine: Engine, folder: Path, robot: str, why: str) -> None:
    done = engine("-f", "map00", "-p1", f"./{robot}", "-p2", "./zero", "-s", "1")
    line = f"fork/exec ./{robot}: {why}"
    assert done.stderr == f"{line}{line}\n{line}\nError: Unexpected error for player1\n"
    assert done.stdout == f"$$$ exec p1 : [./{robot}]\n$$$ exec p2 : [./zero]\nseed: 1\n"
    assert done.returncode == 0


@pytest.mark.parametrize("options", [["-unconfined"], []])
def test_robots_are_told_which_player_they_are(engine: Engine, folder: Path, options: list[str]) -> None:
    """The robot gives back what it reads first, so that the game shows it."""
    (folder / "echo").write_text('#!/bin/sh\nread -r hello\necho "$hello"\n')
    (folder / "echo").chmod(0o755)
    done = engine("-f", "map00", "-p1", "./zero", "-p2", "./echo", "-s", "1", *options)
    assert "-> Answer ($): $$$ exec p2 : [./echo]\n" in done.stdout


def test_unconfined_robots_have_the_folder_and_the_environment_of_the_game(
    engine: Engine, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GREETING", "hello")
    (folder / "curious").write_text('#!/bin/sh\nread -r line\necho "$GREETING $PWD $# $0"\n')
    (folder / "curious").chmod(0o755)
    done = engine("-f", "map00", "-p1", "./curious", "-p2", "./zero", "-unconfined")
    assert f"-> Answer (@): hello {folder} 0 ./curious\n" in done.stdout


def test_a_sandboxed_robot_may_read_what_lies_beside_it_and_is_told_no_secrets(
    engine: Engine, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "hello")
    (folder / "robots").mkdir()
    (folder / "robots" / "book").write_text("opening")
    (folder / "robots" / "curious").write_text('#!/bin/sh\nread -r line\necho "[$SECRET] $(cat "${0%/*}/book")"\n')
    (folder / "robots" / "curious").chmod(0o755)
    done = engine("-f", "map00", "-p1", "robots/curious", "-p2", "./zero")
    assert "-> Answer (@): [] opening\n" in done.stdout


def test_throttling_waits_after_every_turn(engine: Engine, folder: Path) -> None:
    words = ("-f", "map00", "-p1", "./zero", "-p2", "./zero", "-s", "1", "-unconfined")
    begun = time.monotonic()
    throttled = engine(*words, "-r")
    assert time.monotonic() - begun > 2 * REFRESH_SECONDS
    assert throttled.stdout == engine(*words).stdout


@pytest.mark.parametrize("seconds", ["0", "-1", "10000000000"])
def test_times_that_are_none(engine: Engine, folder: Path, seconds: str) -> None:
    """The last one is more nanoseconds than 64 bits hold, which come out negative."""
    done = engine("-f", "map00", "-p1", "./zero", "-p2", "./zero", "-s", "1", f"-t={seconds}", "-unconfined")
    assert done.stderr == "Error: Timeout for player1\n"


def test_whoever_reads_may_go_away(folder: Path) -> None:
    command = [*ENGINE, "-f", "map00", "-p1", "./zero", "-p2", "./sleep", "-unconfined"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.wait(60) == 128 + signal.SIGPIPE
        assert process.stderr.read() == b""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_game_that_is_stopped_stops_its_robots(folder: Path, number: signal.Signals) -> None:
    command = [*ENGINE, "-f", "map00", "-p1", "./sleep", "-p2", "./sleep", "-unconfined", "-t", "100"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        # The robots hold the game's standard error no longer than they live.
        assert process.stdout.readline().startswith(b"$$$ exec p1")
        assert process.stdout.readline().startswith(b"$$$ exec p2")
        process.send_signal(number)
        assert process.wait(60) == 128 + number
        assert process.stderr.read() == b""
