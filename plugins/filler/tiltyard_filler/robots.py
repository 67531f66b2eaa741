"""The two robots of a game: started in a sandbox where tiltyard is installed, or as the subject's engine does it."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from tiltyard_engine.host import Host, find_host
from tiltyard_engine.host.plain_host import PlainHost
from tiltyard_engine.programs import Program, ProgramError, ProgramTeam
from tiltyard_filler.answers import HUNG_UP, Answer, Channel, Listener
from tiltyard_filler.engine import Robot, StartError
from tiltyard_filler.robot_process import RobotProcess, adopt_orphans, kill_children

WALL_SHARE: Final = 0.01
"""Of the seconds that the guard gives a program, so much may pass on the clock: the subject limits that alone, not CPU time."""
LIMITS: Final = {"wall_factor": WALL_SHARE, "startup_seconds": 0.01, "match_seconds": 1e9, "memory_bytes": float(4 << 30)}
START_SECONDS: Final = 30.0

StartChannel = Callable[[str], Channel]


class StartedRobot(Robot):
    """A robot that is started by its path.

    Args:
        path: as it was given.
        start_channel: starts what lies there; StartError.
        seconds: for an answer.
        is_strict: whether to read its answers as the subject's engine does.
    """

    def __init__(self, path: str, start_channel: StartChannel, seconds: float, is_strict: bool = False) -> None:
        self.path = path
        self._start_channel = start_channel
        self._seconds = seconds
        self._is_strict = is_strict
        self._listener: Listener | None = None

    def start(self, hello: bytes) -> None:
        channel = self._start_channel(self.path)
        channel.begin(START_SECONDS, "starting")
        try:
            channel.write(hello)
        except ProgramError as error:
            if error.not_started:
                raise StartError(f"fork/exec {self.path}: {error.not_started[0].lower()}{error.not_started[1:]}") from error
            if error.termination not in HUNG_UP:
                raise StartError(error.message) from error
            # It has ended already: its first turn will show that.
        self._listener = Listener(channel, self._seconds, self._is_strict)

    def ask(self, turn: bytes) -> Answer:
        assert self._listener is not None
        return self._listener.ask(turn)


@contextlib.contextmanager
def open_robots(paths: Sequence[str], seconds: float, is_confined: bool, is_strict: bool) -> Iterator[list[Robot]]:
    """The robots, not started yet; at the end of the context nothing of any is left.

    Raises:
        UserError: nothing can be run in a sandbox here.
    """
    # The host says so itself where there is no sandbox.
    host = find_host() if is_confined else PlainHost()
    with host, contextlib.ExitStack() as stack:
        if isinstance(host, PlainHost):
            adopt_orphans()
            stack.callback(kill_children)
        yield [StartedRobot(path, _starter(host, stack, is_strict), seconds, is_strict) for path in paths]


def _starter(host: Host, stack: contextlib.ExitStack, is_strict: bool) -> StartChannel:
    def start_plain(path: str) -> Channel:
        try:
            process = RobotProcess(_find(path), path, reads_stderr=not is_strict)
        except OSError as error:
            raise StartError(f"fork/exec {path}: {(error.strerror or '').lower()}") from error
        stack.callback(process.end)
        return process

    def start_guarded(path: str) -> Channel:
        return _Guarded(stack.enter_context(host.open_program(team_of(Path(_find(path))), LIMITS)))

    return start_plain if isinstance(host, PlainHost) else start_guarded


def team_of(path: Path) -> ProgramTeam:
    """The robot whose program is that file."""
    file = path.resolve()
    return ProgramTeam(name=file.name, game="filler", command=(f"./{file.name}",), folder=str(file.parent))


class _Guarded:
    """A guarded program whose time is that on the clock."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self.write = program.write
        self.read = program.read

    def begin(self, seconds: float, doing: str) -> None:
        self._program.begin(seconds / WALL_SHARE, doing)


def _find(path: str) -> str:
    """What to run: a name without a slash is looked for in $PATH, wherever else it may lie."""
    if "/" in path:
        return path
    program = shutil.which(path)
    if program is None:
        raise StartError(f'exec: "{path}": executable file not found in $PATH')
    return os.path.realpath(program)
