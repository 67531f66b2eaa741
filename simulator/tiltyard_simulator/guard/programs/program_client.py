"""An external program in a cell, as a game's adapter or a plugin's command uses it."""

from __future__ import annotations

import contextlib
import os
import select
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from tiltyard_engine.errors import ContractError
from tiltyard_engine.programs import (
    DEFAULT_LINE_BYTES,
    RESIDENT_ENVIRONMENT,
    Call,
    Program,
    ProgramError,
    ProgramTeam,
    command_of,
    late_answer,
)
from tiltyard_engine.results import Termination
from tiltyard_engine.seat_kinds.program_turns import ProgramTurn
from tiltyard_engine.texts.lines import LineBuffer
from tiltyard_simulator.guard.cells.cell_client import EXIT_SECONDS
from tiltyard_simulator.guard.cells.messages import ENCODER, Done
from tiltyard_simulator.guard.cells.process_watch import kill_tree
from tiltyard_simulator.guard.cells.wire import CHUNK, CellError
from tiltyard_simulator.guard.programs.flushing import how_to_flush
from tiltyard_simulator.guard.programs.messages import AwaitEnd, Prepare, Ran, Refused, RunCall, StartResident
from tiltyard_simulator.guard.programs.program_cell import ProgramCell
from tiltyard_simulator.guard.programs.program_paths import why_not_found
from tiltyard_simulator.match.limits import Limits


class ProgramClient(Program):
    """One team's program in one match.

    ``readable`` is what it may read, or None where it isn't confined.
    """

    def __init__(self, team: ProgramTeam, cell: ProgramCell, limits: Limits, readable: Sequence[str] | None = None) -> None:
        self.team = team
        self.cell = cell
        self.protocol = team.protocol
        self.error: ProgramError | None = None
        """Its first failure."""
        self._limits = limits
        self._readable = readable
        self._command = command_of(team)
        self._is_prepared = False
        self._input_closed = False
        self._output = LineBuffer()
        self._end_question = 0
        self._turn = ProgramTurn(team)
        self._stdout_ended = False

    @property
    def stderr(self) -> bytes:
        return self.cell.output

    @property
    def hint(self) -> str:
        return self._turn.hint

    @property
    def turn_in_words(self) -> str:
        return self._turn.in_words(self.expected)

    def begin(self, seconds: float, doing: str) -> None:
        if self.cell.is_resident and self.cell.is_held and not self._stdout_ended and not len(self._output):
            self._receive()
        # Who was early once is so from then on, however fast it is.
        self.cell.was_early = self.cell.was_early or len(self._output) > 0
        self._turn = ProgramTurn(self.team, was_early=self.cell.was_early)
        # A slow start of the program's runtime doesn't count for its first turn.
        extra = 0.0 if self._is_prepared else self._limits.startup_seconds
        with self._charging():
            self.cell.begin(seconds + extra, doing)

    def finish(self) -> None:
        """A turn has ended."""
        with self._charging():
            self.cell.finish()

    # One process a call

    def call(self, arguments: Sequence[str], files: Mapping[str, bytes], outputs: Sequence[str] = (), stdin: bytes = b"") -> Call:
        if self.cell.is_resident:
            raise ContractError("call() was used after write() or read(): a program is either resident or run for each call")
        limits = self._limits
        self._turn.arguments = tuple(arguments)
        with self._charging():
            self._prepare()
            request = RunCall(
                [*self._command, *arguments],
                dict(self.team.environment),
                dict(files),
                list(outputs),
                stdin,
                limits.reply_bytes,
                limits.output_bytes,
                limits.reply_bytes,
            )
            reply = self.cell.ask_launcher(request, timed=True)
            if isinstance(reply, Refused):
                self._refuse(reply)
            assert isinstance(reply, Ran)
            self.cell.note_call(reply.end)
            self.cell.keep_printed(reply.stderr)
            self.cell.keep(ENCODER.encode(request), ENCODER.encode(reply))
            self._kill_leftovers()
            if reply.too_large:
                name = reply.too_large[0]
                self._fail(Termination.PROTOCOL, f"wrote more than {limits.reply_bytes} bytes into {name}")
            end = reply.end
            return Call(
                exit_code=end.exit_code,
                signal=end.signal,
                stdout=reply.stdout,
                stderr=reply.stderr,
                files=reply.files,
                left=reply.left,
                cpu_seconds=end.cpu_seconds,
                wall_seconds=reply.wall_seconds,
            )

    def _kill_leftovers(self) -> None:
        """Kill what a call has left behind, where its launcher cannot."""
        if not self.cell.launcher_kills and not kill_tree(self.cell.launcher):
            self._fail(Termination.CRASH, "left processes behind that could not be ended")

    # A resident process

    def write(self, data: bytes) -> None:
        self._turn.request += data
        with self._charging():
            self._start()
            self.cell.keep(data, b"")
            left = memoryview(data)
            while left:
                left = left[self._write_some(left) :]

    def _write_some(self, data: memoryview) -> int:
        cell = self.cell
        if self._input_closed:
            raise ContractError("write() was used after close_input()")
        try:
            return os.write(cell.stdin, data)
        except BlockingIOError:
            pass
        except BrokenPipeError:
            if self._has_ended(EXIT_SECONDS):
                # As if it had ended just after this: what it wrote is judged first, and its end shows where an answer is missing.
                return len(data)
            # What it wrote before that may be its answer.
            while not self._stdout_ended and len(self._output) < self._limits.reply_bytes and self._receive():
                pass
            self._explain_hang_up("closed its standard input", self._output.take(DEFAULT_LINE_BYTES))
        events = [(cell.stdin, select.POLLOUT)]
        # It may be waiting until its output is read. The output is kept for later.
        if not self._stdout_ended and len(self._output) < self._limits.reply_bytes:
            events.append((cell.stdout, select.POLLIN))
        if cell.stdout in cell.wait(*events):
            self._receive()
        return 0

    def read(self, limit: int) -> bytes:
        with self._charging():
            self._start()
            if not len(self._output):
                self._wait_for_output()
            data = self._output.take(limit)
            self.cell.keep(b"", data)
            return data

    def read_line(self, limit: int = DEFAULT_LINE_BYTES) -> bytes:
        with self._charging():
            self._start()
            while (line := self._output.take_line(limit)) is None:
                if self._output.is_too_long(limit):
                    begin = self._output.take(60)
                    self._fail(Termination.PROTOCOL, f"a line of more than {limit} bytes: {begin!r} ...", begin)
                self.cell.half_line = self._output.peek(100)
                if not self._wait_for_output():
                    self._explain_missing_line()
            self.cell.half_line = b""
            self.cell.keep(b"", line)
            self._turn.answer = line
            return line

    def close_input(self) -> None:
        with self._charging():
            self._start()
            if not self._input_closed:
                self._input_closed = True
                os.close(self.cell.stdin)
                self.cell.stdin = -1

    def _wait_for_output(self) -> bool:
        """Wait for more output; False at its end."""
        cell = self.cell
        while not self._stdout_ended:
            has_ended = cell.end is not None
            events = ((cell.stdout, select.POLLIN), (cell.process.answers, select.POLLIN))
            ready = [] if has_ended else cell.wait(*events, for_answer=True)
            if cell.stdout in ready:
                if self._receive():
                    return True
            elif has_ended or self._has_ended(0.0):
                # Its children may still hold its output open, but only the program itself plays.
                while self._receive():
                    pass
                self._stdout_ended = True
                return len(self._output) > 0
        return False

    def _receive(self) -> bool:
        """Read what is there; False if there is nothing now, or at the end of the output."""
        try:
            data = os.read(self.cell.stdout, CHUNK)
        except BlockingIOError:
            return False
        if not data:
            self._stdout_ended = True
            return False
        self._output.add(data)
        return True

    def _has_ended(self, seconds: float) -> bool:
        """Whether the process ends within some seconds."""
        cell = self.cell
        if cell.end is None:
            cell.receive_end(self._end_question, seconds)
        return cell.end is not None

    def _explain_hang_up(self, what: str, received: bytes = b"") -> NoReturn:
        if self._has_ended(EXIT_SECONDS) and self.cell.end is not None:
            termination, message = self.cell.describe_end(self.cell.end)
            self._fail(termination, message, received)
        self._fail(Termination.DISCONNECT, f"the program {what}", received)

    def _explain_missing_line(self) -> NoReturn:
        rest = self._output.take(DEFAULT_LINE_BYTES)
        if rest and self._has_ended(EXIT_SECONDS) and self.cell.end is not None and not self.cell.end.signal:
            what = f"the output ended in the middle of a line, and the program exited with code {self.cell.end.exit_code}"
            self._fail(Termination.PROTOCOL, f"{what}: {rest[:60]!r}", rest)
        self._explain_hang_up("closed its standard output", rest)

    # Starting

    def _prepare(self) -> None:
        """Copy the program's files, once, before its first process starts."""
        self.cell.wait_until_ready()
        if self._is_prepared:
            return
        self._is_prepared = True
        if self.team.files:
            copies = [(str(Path(self.team.folder) / name), name) for name in self.team.files]
            reply = self.cell.ask_launcher(Prepare(copies))
            if isinstance(reply, Refused):
                self._refuse(reply)

    def _start(self) -> None:
        if self.cell.is_resident:
            return
        self._prepare()
        environment = {**RESIDENT_ENVIRONMENT, **dict(self.team.environment)}
        reply = self.cell.ask_launcher(StartResident(self._command, environment))
        if not isinstance(reply, Done):
            assert isinstance(reply, Refused)
            self._refuse(reply)
        self.cell.is_resident = True
        self._end_question = self.cell.send(AwaitEnd())

    # Failures

    @contextlib.contextmanager
    def _charging(self) -> Iterator[None]:
        """Keep the cell's first error as the program's error, and raise it at each later call."""
        if self.error is not None:
            raise self.error
        try:
            yield
        except CellError as error:
            self.error = ProgramError(error.termination, error.message + self._on_last_answer())
            raise self.error from None

    def _on_last_answer(self) -> str:
        """What to say of an answer that came only when the input was closed."""
        last = self.cell.last_answer
        return late_answer(self.cell.half_line + last, how_to_flush(self._command)) if last.strip() else ""

    def _refuse(self, reply: Refused) -> NoReturn:
        message, reason = reply.message, reply.not_started
        why = why_not_found(self._command[0], self._readable) if reason and self._readable is not None else ""
        if why:
            message, reason = f"cannot start {self._command[0]}: {why}", why
        self._fail(Termination.CRASH, message, not_started=reason)

    def _fail(self, termination: Termination, message: str, received: bytes = b"", not_started: str = "") -> NoReturn:
        self.error = ProgramError(termination, f"{self.cell.doing}: {message}", received, not_started)
        self.cell.find_denials()
        self.cell.retire()
        raise self.error
