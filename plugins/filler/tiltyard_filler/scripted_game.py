"""A game of the real command between two robots that answer from a list."""

from __future__ import annotations

import io
import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from tiltyard_filler.answers import Channel
from tiltyard_filler.engine import Engine, Settings
from tiltyard_filler.map_files import read_board
from tiltyard_filler.robots import StartedRobot

ROBOT: Final = '''\
"""Plays what is written in the file beside it, a line a turn; which file, the first line tells."""
import os, sys
read = sys.stdin.buffer.readline
folder = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(folder, "answers" + read()[10:11].decode()), "rb") as file:
    for answer in file:
        for extra in (1, 0):
            header = read().split()
            if not header:
                sys.exit()
            for _ in range(int(header[2].rstrip(b":")) + extra):
                read()
        os.write(1, answer)
        if not answer.endswith(b"\\n"):
            sys.exit()
'''
SECONDS: Final = 600
"""For a game: the longest recorded ones take a minute."""


@dataclass(frozen=True, slots=True)
class GameRun:
    """What a game wrote, and its exit code."""

    stdout: bytes
    stderr: bytes
    exit_code: int


def play_scripted(
    scratch: Path, map_data: bytes, seed: int, *, paths: Sequence[str], answers: Sequence[bytes], options: Sequence[str] = ()
) -> GameRun:
    """Play one game.

    Args:
        scratch: an empty folder.
        map_data: the map's file.
        seed: of the pieces.
        paths: of both robots, as they are to be printed.
        answers: of both robots, a line a turn; a robot that is asked for more ends.
        options: further words of the command line.
    """
    # Deep enough for paths that lead out of the folder in which the game is started.
    depth = max(path.count("..") for path in paths)
    folder = scratch.joinpath("game", *["in"] * depth)
    try:
        folder.mkdir(parents=True)
        has_robots = all(_put_robot(scratch, folder, path) for path in paths)
    except (OSError, ValueError):
        # Such as a name that is too long for a file.
        has_robots = False
    if not has_robots:
        return _play_here(map_data, seed, paths, answers, options)
    (scratch / "map").write_bytes(map_data)
    (scratch / "robot.py").write_text(ROBOT)
    for player, script in enumerate(answers, start=1):
        (scratch / f"answers{player}").write_bytes(script)
    words = ["-f", str(scratch / "map"), f"-p1={paths[0]}", f"-p2={paths[1]}", f"-s={seed}", *options]
    process = subprocess.run(
        [sys.executable, "-P", "-m", "tiltyard_filler.game_engine", "-unconfined", *words],
        cwd=folder,
        # A robot that is named without a slash is looked for in $PATH.
        env={**os.environ, "PATH": f"{folder}:{os.environ.get('PATH', '')}"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    return GameRun(process.stdout, process.stderr, process.returncode)


def _put_robot(scratch: Path, folder: Path, path: str) -> bool:
    """Put a robot that answers as recorded at a path; False if it would lie outside of the game's folder.

    Raises:
        OSError, ValueError: no file can have this path.
    """
    robot = Path(os.path.normpath(folder / path))
    if not robot.is_relative_to(scratch / "game") or robot.is_dir():
        return False
    robot.parent.mkdir(parents=True, exist_ok=True)
    command = shlex.join([sys.executable, "-I", "-S", str(scratch / "robot.py")])
    robot.write_text(f"#!/bin/sh\nexec {command}\n")
    robot.chmod(0o755)
    return True


def _play_here(map_data: bytes, seed: int, paths: Sequence[str], answers: Sequence[bytes], options: Sequence[str]) -> GameRun:
    """Play a scripted game without processes, for paths at which no file can be put without touching what is not ours."""
    is_strict = "-strict" in options
    channels = [partial(_ScriptedChannel, script) for script in answers]
    robots = [StartedRobot(path, channel, SECONDS, is_strict) for path, channel in zip(paths, channels, strict=True)]
    output, errors = bytearray(), bytearray()
    settings = Settings(seed, is_quiet="-q" in options, is_strict=is_strict)
    engine = Engine(read_board("map", map_data), robots, settings, output.extend, lambda text: errors.extend(text.encode()))
    status = engine.run()
    return GameRun(bytes(output), bytes(errors), status)


class _ScriptedChannel(Channel):
    """A channel to a robot that is no process: it answers from a script."""

    def __init__(self, answers: bytes, path: str) -> None:
        self._lines = io.BytesIO(answers)

    def begin(self, seconds: float, doing: str) -> None:
        """Begin a turn; nothing is timed, as no process answers."""

    def write(self, data: bytes) -> None:
        """Ignore what is asked: the answers are fixed."""

    def read(self, limit: int) -> bytes:
        return self._lines.readline(limit)
