"""Programs in a plain process group: tidy, but not confined. For commands of a game that is installed without tiltyard."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NoReturn

from tiltyard_engine.errors import ContractError
from tiltyard_engine.host.interface import NO_LIMITS, Host
from tiltyard_engine.programs import (
    DEFAULT_LINE_BYTES,
    LAST_ANSWER_SECONDS,
    RESIDENT_ENVIRONMENT,
    Call,
    Program,
    ProgramError,
    ProgramTeam,
    command_of,
    kind_of_file,
    late_answer,
    signal_name,
)
from tiltyard_engine.results import Termination
from tiltyard_engine.texts.lines import LineBuffer

KEPT_BYTES: Final = 1 << 20
"""How much is kept of what a call writes to each stream."""
CHUNK: Final = 1 << 16
SLICE: Final = 0.02
NOTHING_MORE: Final[Mapping[str, str]] = {}


class PlainHost(Host):
    """Runs programs as the user who runs the command. The only limit that it enforces is a turn's time."""

    isolation_words = "a plain process group, without isolation"

    @contextlib.contextmanager
    def open_program(self, team: ProgramTeam, limits: Mapping[str, float] = NO_LIMITS) -> Iterator[Program]:
        """A program; see Host. A turn's seconds are wall time here."""
        scratch = Path(tempfile.mkdtemp(prefix="tiltyard-program-"))
        program = PlainProgram(team, scratch)
        try:
            for name in team.files:
                origin, target = Path(team.folder) / name, scratch / name
                target.parent.mkdir(parents=True, exist_ok=True)
                (shutil.copytree if origin.is_dir() else shutil.copyfile)(origin, target)
            yield program
        finally:
            program.end()
            shutil.rmtree(scratch, ignore_errors=True)


class PlainProgram(Program):
    """One program; its standard error goes where the command's own goes."""

    def __init__(self, team: ProgramTeam, scratch: Path) -> None:
        self.protocol = team.protocol
        self._command = command_of(team)
        self._environment = dict(team.environment)
        self._scratch = scratch
        self._error: ProgramError | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._output = LineBuffer()
        self._doing = "starting"
        self._until = float("inf")

    def begin(self, seconds: float, doing: str) -> None:
        self._doing, self._until = doing, time.monotonic() + seconds

    def end(self) -> None:
        """Kill what is left of it."""
        if self._process is not None:
            kill_group(self._process)

    # One process a call

    def call(self, arguments: Sequence[str], files: Mapping[str, bytes], outputs: Sequence[str] = (), stdin: bytes = b"") -> Call:
        if self._process is not None:
            raise ContractError("call() was used after write() or read(): a program is either resident or run for each call")
        for name, data in files.items():
            path = self._scratch / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        start = time.monotonic()
        process = self._spawn(self._command + list(arguments), subprocess.PIPE)
        try:
            stdout, stderr = self._pump(process, stdin)
        finally:
            kill_group(process)
        code = process.returncode
        paths = {name: self._scratch / name for name in outputs}
        kinds = {name: kind_of_file(path.lstat().st_mode) for name, path in paths.items() if os.path.lexists(path)}
        contents = {name: paths[name].read_bytes() for name, kind in kinds.items() if not kind}
        return Call(
            exit_code=max(code, 0),
            signal=max(-code, 0),
            stdout=stdout,
            stderr=stderr,
            files=contents,
            left={name: kind for name, kind in kinds.items() if kind},
            wall_seconds=time.monotonic() - start,
        )

    def _pump(self, process: subprocess.Popen[bytes], stdin: bytes) -> tuple[bytes, bytes]:
        """Feed the process and keep its output until it ends; processes that it leaves behind may keep the pipes open."""
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        outputs = {process.stdout.fileno(): bytearray(), process.stderr.fileno(): bytearray()}
        unsent = memoryview(stdin)
        writing = process.stdin.fileno() if stdin else -1
        if not stdin:
            process.stdin.close()
        reading = set(outputs)
        has_ended = False
        while not has_ended:
            has_ended = process.poll() is not None
            readable, writable, _ = select.select(reading, [writing] if writing >= 0 else [], [], 0 if has_ended else SLICE)
            for descriptor in readable:
                data = os.read(descriptor, CHUNK)
                outputs[descriptor] += data[: KEPT_BYTES - len(outputs[descriptor])]
                if not data:
                    reading.discard(descriptor)
                has_ended = False
            if writable:
                try:
                    unsent = unsent[os.write(writing, unsent[:512]) :]
                except BrokenPipeError:
                    unsent = unsent[:0]
                if not unsent:
                    process.stdin.close()
                    writing = -1
            if time.monotonic() > self._until and not has_ended:
                self._fail(Termination.TIMEOUT, "no answer in time")
        stdout, stderr = (bytes(data) for data in outputs.values())
        return stdout, stderr

    # A resident process

    def write(self, data: bytes) -> None:
        process = self._resident()
        assert process.stdin is not None
        rest = memoryview(data)
        while rest:
            self._wait(process.stdin.fileno(), writing=True)
            try:
                rest = rest[os.write(process.stdin.fileno(), rest[: select.PIPE_BUF]) :]
            except BrokenPipeError:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(1.0)
                    # What it wrote before its end is judged first; its end shows where an answer is missing.
                    return
                self._explain("closed its standard input")

    def read(self, limit: int) -> bytes:
        self._resident()
        if not len(self._output):
            self._receive()
        return self._output.take(limit)

    def read_line(self, limit: int = DEFAULT_LINE_BYTES) -> bytes:
        self._resident()
        while (line := self._output.take_line(limit)) is None:
            if self._output.is_too_long(limit):
                self._fail(Termination.PROTOCOL, f"a line of more than {limit} bytes", self._output.take(60))
            if not self._receive():
                rest = self._output.take(limit)
                if rest:
                    self._fail(Termination.PROTOCOL, f"the output ended in the middle of a line: {rest[:60]!r}", rest)
                self._explain("closed its standard output")
        return line

    def close_input(self) -> None:
        stdin = self._resident().stdin
        assert stdin is not None
        stdin.close()

    def _resident(self) -> subprocess.Popen[bytes]:
        if self._error is not None:
            raise self._error
        if self._process is None:
            self._process = self._spawn(self._command, None, RESIDENT_ENVIRONMENT)
        return self._process

    def _spawn(self, command: list[str], stderr: int | None, more: Mapping[str, str] = NOTHING_MORE) -> subprocess.Popen[bytes]:
        if self._error is not None:
            raise self._error
        try:
            return subprocess.Popen(
                command,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                cwd=self._scratch,
                env={**os.environ, **more, **self._environment},
                start_new_session=True,
            )
        except OSError as error:
            reason = error.strerror or str(error)
            self._fail(Termination.CRASH, f"cannot start {command[0]}: {reason}", not_started=reason)

    def _receive(self) -> bool:
        """Whether there was more; False at the end of the output."""
        process = self._resident()
        assert process.stdout is not None
        self._wait(process.stdout.fileno(), writing=False)
        data = os.read(process.stdout.fileno(), CHUNK)
        self._output.add(data)
        return bool(data)

    def _wait(self, descriptor: int, writing: bool) -> None:
        seconds_left = max(0.0, self._until - time.monotonic())
        descriptors = [descriptor]
        timeout = None if seconds_left == float("inf") else seconds_left
        if not any(select.select([] if writing else descriptors, descriptors if writing else [], [], timeout)):
            received = self._output.take(CHUNK)
            self._fail(Termination.TIMEOUT, f"no answer in time{self._last_answer()}", received)

    def _last_answer(self) -> str:
        """What to say of an answer that comes only when the input is closed."""
        process = self._resident()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.close()
        ready = select.select([process.stdout], [], [], LAST_ANSWER_SECONDS)[0]
        answer = os.read(process.stdout.fileno(), CHUNK) if ready else b""
        return late_answer(answer) if answer.strip() else ""

    def _explain(self, what: str) -> NoReturn:
        process = self._resident()
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = process.wait(1.0)
            how = f"exited with code {code}" if code >= 0 else f"was killed by {signal_name(-code)}"
            self._fail(Termination.CRASH, f"the program {how}")
        self._fail(Termination.DISCONNECT, f"the program {what}")

    def _fail(self, termination: Termination, message: str, received: bytes = b"", not_started: str = "") -> NoReturn:
        self._error = ProgramError(termination, f"{self._doing}: {message}", received, not_started)
        self.end()
        raise self._error


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """The process and all of its group; our ends of its pipes are closed."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()
