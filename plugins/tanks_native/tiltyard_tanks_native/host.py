"""Matches wholly in C++, in a program of its own: for files that are trusted to be held without confinement, at native speed.

The program is resident: a file is loaded when its first match comes and stays loaded, and each match is played in a process
forked from it. So what a match leaves behind in memory ends with it, and one that crashes or never ends costs itself alone.
What a seat's code did that ended the process, or did not return from, is the seat's fault: the match is played again with
that seat doing nothing from that call on, as it would have gone with each team in a process of its own.
"""

from __future__ import annotations

import math
import os
import select
import subprocess
import time
from pathlib import Path
from typing import Final

from tiltyard_engine.native_matches import NativeHost, NativeMatch, NativeOutcome
from tiltyard_engine.results import MANAGER_SEAT
from tiltyard_tanks.maps import TankMap
from tiltyard_tanks_native.builds import build_host
from tiltyard_tanks_native.elf.errors import NativeError
from tiltyard_tanks_native.host_protocol import LENGTH, Ended, Writer, read_load, read_outcome
from tiltyard_tanks_native.library import FailureKind
from tiltyard_tanks_native.managers import as_bytes, check_players, map_bytes

LOAD_CPU_SECONDS: Final = 10.0
LOAD_WALL_SECONDS: Final = 60.0
"""How long loading a file may take."""
GRACE_SECONDS: Final = 30.0
"""How long the program may take beyond all limits before it is stopped."""
MOST_ATTEMPTS: Final = 3
"""How often the program plays a match at most: again after each seat that ended it."""
NO_STEP_LIMITS: Final = ((0.0, 0.0),) * 3
"""For the GameManager and two seats."""


class CompiledHost(NativeHost):
    """The program. It is started when it is first wanted and lives until closed, or until the thread that started it ends.

    Raises:
        NativeError: it cannot be built.
    """

    def __init__(self) -> None:
        # Now, and not as a fault of the first match's GameManager.
        build_host()
        self._process: subprocess.Popen[bytes] | None = None
        self._loaded: dict[Path, tuple[int, ...]] = {}
        self._unusable: dict[tuple[Path, tuple[int, ...]], Ended] = {}

    def close(self) -> None:
        """End the program."""
        process, self._process = self._process, None
        self._loaded.clear()
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()

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
        return read_outcome(self._ask(_request(match, problems), match.wall_seconds * MOST_ATTEMPTS), match, problems)

    def _load(self, path: Path, folder: Path) -> Ended | None:
        """Have a file loaded, if it is not; what is wrong with it, if it cannot be."""
        try:
            about = path.stat()
        except OSError as error:
            return Ended(FailureKind.LOADING, f"{path}: {error.strerror}")
        stamp = about.st_dev, about.st_ino, about.st_mtime_ns, about.st_size
        known = self._unusable.get((path, stamp))
        if known is not None:
            return known
        if self._loaded.get(path, stamp) != stamp:
            # The old one is in the program for good.
            self.close()
        if path in self._loaded:
            return None
        request = Writer().number(ord("L")).text(os.fsencode(path)).text(os.fsencode(folder))
        request.number(int(LOAD_CPU_SECONDS * 1000)).number(int(LOAD_WALL_SECONDS * 1000))
        try:
            problem = read_load(self._ask(request.frame, LOAD_WALL_SECONDS))
        except NativeError as error:
            # It was loaded once, in a process of its own, and then was the program's end.
            problem = Ended(FailureKind.LOADING, str(error))
        if problem is None:
            self._loaded[path] = stamp
        else:
            self._unusable[path, stamp] = problem
        return problem

    def _ask(self, frame: bytes, seconds: float) -> bytes:
        """Send a question and wait for its answer.

        Raises:
            NativeError: the program ended, or did not answer in time; the next question starts another one.
        """
        deadline = time.monotonic() + seconds + GRACE_SECONDS if seconds else None
        process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            _write(process.stdin.fileno(), frame)
            (length,) = LENGTH.unpack(_read(process.stdout.fileno(), LENGTH.size, deadline))
            return _read(process.stdout.fileno(), length, deadline)
        except (OSError, EOFError) as error:
            self.close()
            late = isinstance(error, TimeoutError)
            raise NativeError(f"the host program for C++ files {'did not answer in time' if late else 'ended'}") from error
        except BaseException:
            # The rest of this conversation must not reach the next question.
            self.close()
            raise

    def _start(self) -> subprocess.Popen[bytes]:
        program = build_host()
        try:
            self._process = subprocess.Popen([str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        except OSError as error:
            raise NativeError(f"{program}: cannot be started: {error.strerror or error}") from error
        return self._process


def _request(match: NativeMatch, problems: list[Ended | None]) -> bytes:
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
