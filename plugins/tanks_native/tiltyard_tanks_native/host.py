"""Matches entirely in C++, in a program of its own: for files that are trusted, or that share a sandbox, at native speed.

The program is resident: a file is loaded when its first match comes and stays loaded, and each match is played in a process
forked from it. So what a match leaves behind in memory ends with it, and one that crashes or never ends costs itself alone.
What a seat's code did that ended the process, or did not return from, is the seat's fault: the match is played again with
that seat doing nothing from that call on, as it would have gone with each team in a process of its own.
"""

from __future__ import annotations

import contextlib
import math
import os
import select
import subprocess
import time
from pathlib import Path
from typing import Final

from tiltyard_engine.programs import Program, ProgramError
from tiltyard_engine.results import MANAGER_SEAT, Fault, Termination
from tiltyard_engine.seat_kinds.native_matches import NativeHost, NativeMatch, NativeOutcome, Starter
from tiltyard_tanks.maps import TankMap
from tiltyard_tanks_native.builds import build_host
from tiltyard_tanks_native.elf.errors import NativeError
from tiltyard_tanks_native.host_protocol import LENGTH, CodeFailure, Writer, read_load, read_outcome
from tiltyard_tanks_native.library import FailureKind
from tiltyard_tanks_native.managers import as_bytes, check_players, map_bytes

LOAD_CPU_SECONDS: Final = 10.0
LOAD_WALL_SECONDS: Final = 60.0
"""How long loading a file may take."""
GRACE_SECONDS: Final = 30.0
"""How long the program may take beyond all limits before it is stopped."""
MOST_ATTEMPTS: Final = 3
"""How often the program plays a match at most: again after each seat that ended it."""
LARGEST_ANSWER: Final = 256 << 20
NO_LIMIT_SECONDS: Final = 1e6
NO_STEP_LIMITS: Final = ((0.0, 0.0),) * 3
"""For the GameManager and two seats."""


class HostLostError(NativeError):
    """The program ended, or did not answer in time. The next question starts another one."""

    def __init__(self, message: str, termination: Termination = Termination.CRASH) -> None:
        super().__init__(message)
        self.termination = termination


class CompiledHost(NativeHost):
    """The program. It is started when it is first wanted and lives until closed, or until the thread that started it ends.

    Args:
        start: starts it in a sandbox, with only the files of the matches that it will play. None: as a process beside this one.

    Raises:
        NativeError: it cannot be built.
    """

    def __init__(self, start: Starter | None = None) -> None:
        # Now, and not as a fault of the first match's GameManager.
        build_host()
        self._start = start
        self._program: _OwnProgram | _ConfinedProgram | None = None
        self._loaded: dict[Path, tuple[int, ...]] = {}
        self._unusable: dict[tuple[Path, tuple[int, ...]], CodeFailure] = {}

    def close(self) -> None:
        """End the program, if it runs; the next match starts another one."""
        program, self._program = self._program, None
        self._loaded.clear()
        if program is not None:
            program.close()

    def play(self, match: NativeMatch) -> NativeOutcome:
        """Play a match. What its files do wrong is in the outcome's faults.

        Raises:
            NativeError: there are more or fewer than two players, the program cannot be started, the folder cannot be used, or
                the program was lost twice.
        """
        check_players(match.manager, len(match.algorithms))
        problems = [self._load(path, match.folder) for path in (match.manager, *match.algorithms)]
        if problems[0] is not None:
            fault = problems[0].fault(MANAGER_SEAT, "run()")
            return NativeOutcome(claim=None, faults=(fault,), output=problems[0].output, cpu_seconds=0.0)
        try:
            answer = self._ask(_request(match, problems), match.cpu_seconds * MOST_ATTEMPTS, match.wall_seconds * MOST_ATTEMPTS)
        except HostLostError as error:
            if self._start is None:
                raise
            # Only the match's own files can reach it in its sandbox, and the machine: then the termination is VOID.
            fault = Fault(MANAGER_SEAT, error.termination, f"run(): {error}")
            return NativeOutcome(claim=None, faults=(fault,), output=b"", cpu_seconds=0.0)
        return read_outcome(answer, match, problems)

    def _load(self, path: Path, folder: Path) -> CodeFailure | None:
        """Have a file loaded, if it is not; what is wrong with it, if it cannot be."""
        try:
            about = path.stat()
        except OSError as error:
            return CodeFailure(FailureKind.LOADING, f"{path}: {error.strerror}")
        stamp = about.st_dev, about.st_ino, about.st_mtime_ns, about.st_size
        problem = self._unusable.get((path, stamp))
        if problem is not None:
            return problem
        if self._loaded.get(path, stamp) != stamp:
            # The old one is in the program for good.
            self.close()
        if path in self._loaded:
            return None
        request = Writer().number(ord("L")).text(os.fsencode(path)).text(os.fsencode(folder))
        request.number(int(LOAD_CPU_SECONDS * 1000)).number(int(LOAD_WALL_SECONDS * 1000))
        try:
            problem = read_load(self._ask(request.frame, LOAD_CPU_SECONDS, LOAD_WALL_SECONDS))
        except NativeError as error:
            # It was loaded once, in a process of its own, and then was the program's end.
            problem = CodeFailure(FailureKind.LOADING, str(error))
        if problem is None:
            self._loaded[path] = stamp
        else:
            self._unusable[path, stamp] = problem
        return problem

    def _ask(self, frame: bytes, cpu_seconds: float, wall_seconds: float) -> bytes:
        """Send a question and wait for its answer: a little longer than the program itself waits, which stops what is late.

        Raises:
            HostLostError: there was none.
        """
        if self._program is None:
            path = build_host()
            self._program = _OwnProgram(path) if self._start is None else _ConfinedProgram(self._start(path))
        try:
            cpu, wall = (seconds and seconds + GRACE_SECONDS for seconds in (cpu_seconds, wall_seconds))
            return self._program.ask(frame, cpu, wall)
        except BaseException:
            # The rest of this conversation must not reach the next question.
            self.close()
            raise


class _OwnProgram:
    """The program as a process beside this one."""

    def __init__(self, path: Path) -> None:
        try:
            self._process = subprocess.Popen([str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        except OSError as error:
            raise NativeError(f"{path}: cannot be started: {error.strerror or error}") from error

    def ask(self, frame: bytes, _cpu_seconds: float, wall_seconds: float) -> bytes:
        """The answer to a question, in so many seconds on the clock; 0: no limit. Raises HostLostError."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        deadline = time.monotonic() + wall_seconds if wall_seconds else None
        try:
            _write(stdin.fileno(), frame)
            (length,) = LENGTH.unpack(_read(stdout.fileno(), LENGTH.size, deadline))
            return _read(stdout.fileno(), length, deadline)
        except (OSError, EOFError) as error:
            late = isinstance(error, TimeoutError)
            raise HostLostError(f"the host program for C++ files {'did not answer in time' if late else 'ended'}") from error

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()


class _ConfinedProgram:
    """The program in a sandbox."""

    def __init__(self, program: Program) -> None:
        self._program = program

    def ask(self, frame: bytes, cpu_seconds: float, _wall_seconds: float) -> bytes:
        """Send a question and return the answer, with a limit on CPU time. The guard's limit on wall time is a multiple of that."""
        try:
            self._program.begin(cpu_seconds or NO_LIMIT_SECONDS, "the match")
            self._program.write(frame)
            (length,) = LENGTH.unpack(self._read(LENGTH.size))
            if length > LARGEST_ANSWER:
                raise HostLostError("the program that plays the match sent something that is not an answer")
            return self._read(length)
        except ProgramError as error:
            raise HostLostError(f"the program that plays the match: {error}", error.termination) from error
        except EOFError as error:
            raise HostLostError("the program that plays the match ended") from error

    def _read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            part = self._program.read(size - len(data))
            if not part:
                raise EOFError
            data += part
        return data

    def close(self) -> None:
        with contextlib.suppress(ProgramError):
            self._program.close_input()


def _request(match: NativeMatch, problems: list[CodeFailure | None]) -> bytes:
    tank_map: TankMap = match.board
    writer = Writer().number(ord("P"))
    for path, problem in zip((match.manager, *match.algorithms), problems, strict=True):
        writer.text(os.fsencode(path)).text(b"" if problem is None else b"unusable")
    writer.text(as_bytes(match.map_name)).text(as_bytes(match.names[0])).text(as_bytes(match.names[1])).text(map_bytes(tank_map))
    for number in (tank_map.width, tank_map.height, tank_map.max_steps, tank_map.num_shells, match.verbose):
        writer.number(number)
    writer.text(os.fsencode(match.folder))
    for seconds in (match.cpu_seconds, match.wall_seconds):
        writer.number(math.ceil(seconds * 1000))
    for size in (match.file_bytes, match.memory_bytes, match.output_bytes):
        writer.number(size)
    for pair in match.step_seconds or NO_STEP_LIMITS:
        for seconds in pair:
            writer.number(math.ceil(seconds * 1000))
    return writer.frame


def _write(pipe: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(pipe, rest) :]


def _read(pipe: int, size: int, deadline: float | None) -> bytes:
    """So many bytes.

    Raises:
        EOFError: the other side is gone.
        TimeoutError: they did not come in time.
    """
    data = b""
    while len(data) < size:
        if deadline is not None and not select.select([pipe], [], [], max(0.0, deadline - time.monotonic()))[0]:
            raise TimeoutError
        part = os.read(pipe, size - len(data))
        if not part:
            raise EOFError
        data += part
    return data
