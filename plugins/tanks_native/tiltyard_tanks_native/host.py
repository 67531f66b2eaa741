"""Matches wholly in C++, in a program of its own: for files that are trusted to be held without confinement, at native speed.

    with NativeHost() as host:
        outcome = host.play(HostJob(manager, (algorithm1, algorithm2), tank_map, "arena", ("one", "two"), folder))

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
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final

from tiltyard_engine.results import MANAGER_SEAT, Fault, GameResult
from tiltyard_tanks.maps import TankMap
from tiltyard_tanks_native.building import build_host
from tiltyard_tanks_native.errors import NativeError
from tiltyard_tanks_native.host_answers import Answer, Ended, explain, read_answer, read_load
from tiltyard_tanks_native.host_frames import LENGTH, Writer
from tiltyard_tanks_native.managers import as_bytes, map_bytes
from tiltyard_tanks_native.repairing import repaired

LOAD_CPU_SECONDS: Final = 10.0
LOAD_WALL_SECONDS: Final = 60.0
"""That a file may take to be loaded."""
GRACE_SECONDS: Final = 30.0
"""That the program may take beyond all limits before it is given up."""
MOST_ATTEMPTS: Final = 3
"""How often the program plays a match at most: once again after each seat that ended it."""


@dataclass(frozen=True, slots=True)
class HostJob:
    """A match to be played, and its limits; a limit of 0 is none."""

    manager: Path
    algorithms: tuple[Path, Path]
    tank_map: TankMap
    map_name: str
    names: tuple[str, str]
    folder: Path
    """Where the match's process works: what its code writes lands there."""
    verbose: bool = False
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    file_bytes: int = 16 << 20
    """The longest file that may be written, and the most that may be printed."""
    memory_bytes: int = 0
    """Of addresses."""
    output_bytes: int = 64 << 10
    """How much of what was printed is kept."""
    step_seconds: tuple[tuple[float, float], ...] = ((0.0, 0.0),) * 3
    """CPU and wall seconds of a single call, for the GameManager between two of its asks and for each seat."""


@dataclass(frozen=True, slots=True)
class HostOutcome:
    """What came of a match."""

    result: GameResult | None
    """The GameManager's claim, repaired; None where it came to none."""
    faults: tuple[Fault, ...]
    """In the order of the seats, the GameManager's first."""
    output: bytes
    """What the GameManager and the teams printed, mixed; its beginning."""
    cpu_seconds: float


class NativeHost:
    """The program. It is started when it is first wanted and lives until closed, or until the thread that started it ends."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._loaded: dict[Path, tuple[int, ...]] = {}
        self._unusable: dict[tuple[Path, tuple[int, ...]], Ended] = {}

    def __enter__(self) -> NativeHost:
        """Nothing is started before it is needed."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def start(self) -> None:
        """Start the program now, compiling it if need be; ``play`` does so otherwise.

        Raises:
            NativeError: it cannot be built or started.
        """
        if self._process is None:
            self._start()

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

    def play(self, job: HostJob) -> HostOutcome:
        """Play a match. What its files do wrong is in the outcome's faults.

        Raises:
            NativeError: the program cannot be built or started, the folder cannot be used, or the program was lost twice.
        """
        problems = [self._load(path, job.folder) for path in (job.manager, *job.algorithms)]
        if problems[0] is not None:
            fault = explain(MANAGER_SEAT, problems[0], "run()", -1)
            return HostOutcome(None, (fault,), problems[0].output, 0.0)
        answer = read_answer(self._ask(_request(job, problems), job.wall_seconds * MOST_ATTEMPTS))
        return _outcome(job, answer, problems)

    def _load(self, path: Path, folder: Path) -> Ended | None:
        """Have a file loaded, if it is not; what is wrong with it, if it cannot be."""
        try:
            about = path.stat()
        except OSError as error:
            return Ended.unloadable(f"{path}: {error.strerror}")
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
            problem = Ended.unloadable(str(error))
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
            # Half a conversation is of no use to the next question.
            self.close()
            raise

    def _start(self) -> subprocess.Popen[bytes]:
        program = build_host()
        try:
            self._process = subprocess.Popen([str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        except OSError as error:
            raise NativeError(f"{program}: cannot be started: {error.strerror or error}") from error
        return self._process


def _request(job: HostJob, problems: list[Ended | None]) -> bytes:
    tank_map = job.tank_map
    writer = Writer().number(ord("P"))
    for path, problem in zip((job.manager, *job.algorithms), problems, strict=True):
        writer.text(os.fsencode(path)).text(b"" if problem is None else b"unusable")
    writer.text(as_bytes(job.map_name)).text(as_bytes(job.names[0])).text(as_bytes(job.names[1])).text(map_bytes(tank_map))
    for number in (tank_map.width, tank_map.height, tank_map.max_steps, tank_map.num_shells, job.verbose):
        writer.number(number)
    writer.text(os.fsencode(job.folder))
    for seconds in (job.cpu_seconds, job.wall_seconds):
        writer.number(math.ceil(seconds * 1000))
    for size in (job.file_bytes, job.memory_bytes, job.output_bytes):
        writer.number(size)
    for pair in job.step_seconds:
        for seconds in pair:
            writer.number(math.ceil(seconds * 1000))
    return writer.frame


def _outcome(job: HostJob, answer: Answer, problems: list[Ended | None]) -> HostOutcome:
    if answer.ended is not None and answer.ended.is_machine:
        raise NativeError(f"{job.folder}: the host program for C++ files cannot play there")
    faults: list[Fault] = []
    output = b"".join(problem.output for problem in problems if problem is not None) + answer.output
    if answer.ended is not None:
        faults.append(explain(MANAGER_SEAT, answer.ended, answer.doing, -1))
    for seat, fault in enumerate(answer.faults, start=1):
        if fault is not None:
            faults.append(explain(seat, problems[seat] or fault.ended, fault.doing, fault.round))
    result = None if answer.claim is None else repaired(answer.claim, job.tank_map)
    return HostOutcome(result, tuple(faults), output, answer.cpu_seconds)


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
