"""Robots that misbehave, as real processes: each ends the game as the subject's engine ends it, and none is left over."""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.plugins.filler.recorded import recorded_file

ROBOTS = Path(__file__).resolve().parents[2] / "programs" / "filler"
MAP = b"".join((b"." * 9 + each + b"." * 10 + b"\n") for each in (b".", b".", b"@", *[b"."] * 9, b"$", b".", b"."))
DIFFERENT_IF_TOLERANT = {
    "nonl": "Error: Timeout for player1",
    "extra": "Error: Unexpected error for player1",
    "two": "Player1 won!",
    "flood": "it's a draw!",
}
"""Robots of which the subject's engine makes something wrong, and what comes of them otherwise."""


@dataclass(frozen=True)
class Recording:
    """What was seen of the subject's engine with one robot: lines that stand in this order in what it printed."""

    robot: str
    exit_code: int
    lines: tuple[str, ...]
    errors: str


def recordings() -> list[Recording]:
    found = []
    for part in recorded_file("faults.txt").read_text().split("=== p1=")[1:]:
        head, *lines = part.splitlines()
        errors = next(line for line in lines if line.startswith("stderr: ")).removeprefix("stderr: ").replace("|", "\n")
        exit_code = next(int(line.removeprefix("rc=")) for line in lines if line.startswith("rc="))
        printed = [line for line in lines if line and line != "--" and not line.startswith(("rc=", "stderr: "))]
        found.append(Recording(head.split()[0], exit_code, tuple(printed), errors))
    return found


@pytest.fixture
def engine(forked_commands: Path) -> Path:
    """The command."""
    return forked_commands / "game_engine"


def play(engine: Path, folder: Path, robot: str, *options: str, seconds: int = 60) -> subprocess.CompletedProcess[str]:
    folder.mkdir(exist_ok=True)
    (folder / "map").write_bytes(MAP)
    for name in (robot, "zero"):
        if not (folder / name).exists():
            (folder / name).symlink_to(ROBOTS / name)
    words = ["-f", "map", "-p1", f"./{robot}", "-p2", "./zero", "-s", "42", "-t", str(seconds), *options]
    return subprocess.run([engine, *words], cwd=folder, capture_output=True, text=True, timeout=120, check=False)


def play_all(
    engine: Path, folder: Path, option: str, too_slow: set[str]
) -> list[tuple[Recording, subprocess.CompletedProcess[str]]]:
    """Several at a time, as some do nothing but wait; only those that are to run out of time are given little of it."""

    def play_one(recorded: Recording) -> subprocess.CompletedProcess[str]:
        is_slow = (
            "Timeout" in recorded.errors and (recorded.robot != "flood" or option == "-strict")
        ) or recorded.robot in too_slow
        return play(engine, folder / recorded.robot, recorded.robot, option, seconds=1 if is_slow else 60)

    everything = recordings()
    with ThreadPoolExecutor(6) as pool:
        return list(zip(everything, pool.map(play_one, everything), strict=True))


def stands_in_order(lines: tuple[str, ...], printed: list[str]) -> bool:
    """Long lines were cut when they were recorded."""
    rest = iter(printed)
    return all(any(line == wanted or (len(wanted) >= 79 and line.startswith(wanted)) for line in rest) for wanted in lines)


def test_the_subjects_bytes_with_every_robot(engine: Path, tmp_path: Path) -> None:
    for recorded, done in play_all(engine, tmp_path, "-strict", {"sleep", "late", "flood"}):
        assert done.returncode == recorded.exit_code, recorded
        assert done.stderr.rstrip("\n") == recorded.errors.rstrip("\n"), recorded
        assert stands_in_order(recorded.lines, done.stdout.splitlines()), (recorded, done.stdout)


def test_the_tolerant_way_is_the_same_but_for_what_is_broken(engine: Path, tmp_path: Path) -> None:
    for recorded, done in play_all(engine, tmp_path, "-unconfined", {"sleep", "late", "nonl"}):
        same = done.stderr.rstrip("\n") == recorded.errors.rstrip("\n")
        same = same and stands_in_order(recorded.lines, done.stdout.splitlines())
        assert done.returncode == 0
        if recorded.robot in DIFFERENT_IF_TOLERANT:
            assert DIFFERENT_IF_TOLERANT[recorded.robot] in done.stdout + done.stderr
        else:
            assert same, (recorded, done.stdout, done.stderr)


def test_one_after_the_other_is_tried() -> None:
    assert {each.robot for each in recordings()} <= {path.name for path in ROBOTS.iterdir()}


@pytest.mark.parametrize(("robot", "errors"), [("leaver", ""), ("sleep", "Error: Timeout for player1\n"), ("noread", "")])
@pytest.mark.parametrize("option", ["-strict", "-unconfined", "-q"])
def test_nothing_of_a_robot_is_left(engine: Path, tmp_path: Path, robot: str, errors: str, option: str) -> None:
    # Its own number of seconds makes the processes of this run known, whatever else is running.
    seconds = f"{100_000 + os.getpid()}.{time.time_ns()}"
    (tmp_path / robot).write_text((ROBOTS / robot).read_text().replace("1000", seconds))
    (tmp_path / robot).chmod(0o755)
    done = play(engine, tmp_path, robot, option, seconds=2 if robot == "sleep" else 60)
    assert (done.returncode, done.stderr) == (0, errors)
    assert seconds not in running()


def running() -> str:
    """The command lines of all processes."""
    lines = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            lines.append((process / "cmdline").read_bytes().decode("utf-8", "replace"))
    return "\n".join(lines)
