"""The process of a cell as its host sees it: start, clocks, what it prints, end, and a verdict on each way to fail."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from collections.abc import Callable, Collection
from typing import Any, ClassVar, Final, NoReturn, TypeAlias

import msgspec

from tiltyard_engine.programs import signal_name
from tiltyard_engine.results import Termination
from tiltyard_engine.texts.quantities import in_seconds
from tiltyard_simulator.guard.cells.limit_hints import LimitHints
from tiltyard_simulator.guard.cells.messages import EXIT_DISCONNECTED, EXIT_OUT_OF_MEMORY, REPLIES, Done, UnionDecoder
from tiltyard_simulator.guard.cells.wire import CHUNK, FIRST_CHUNK, CellError, Inbox, WireError, ZygoteLostError
from tiltyard_simulator.guard.cells.zygote import CellProcess, Zygote
from tiltyard_simulator.guard.confinement.kernel.control_groups import ControlGroup
from tiltyard_simulator.guard.confinement.kernel.process_status import cpu_clock, peak_bytes, queued_seconds
from tiltyard_simulator.match.limits import Limits

SLICE: Final = 0.02
"""Seconds between two checks of the clocks while the code is working."""
SLICE_MILLISECONDS: Final = int(1000 * SLICE)
PATIENCE_MILLISECONDS: Final = 5
"""How long to wait for the answer alone, before output and clocks are checked too. Nearly every answer comes in this time."""
STANDSTILL_SECONDS: Final = 0.25
"""If a check of the clocks comes so much too late, this process itself was not running."""
CONFINE_SECONDS: Final = 10.0
EXIT_SECONDS: Final = 2.0
"""How long a process may take to end after its pipes were closed. After that, it has hung up."""
LAST_WORDS: Final = 4096
"""How much of what was printed last is searched for the reason of a crash."""
MEMORY_EVIDENCE: Final = 0.9
"""If a process that was killed held so much of its limit, it was killed for its memory."""
KEPT_CONVERSATION_BYTES: Final = 32 << 20
"""How much of the conversation is kept in case the code fails. Of a longer match, the beginning is kept."""
_ALLOWED_EXTRA_BYTES: Final = 1 << 16
AnyDecoder: TypeAlias = UnionDecoder | msgspec.msgpack.Decoder[Any]


class CellClient:
    """A process, its clocks, and what it printed. What it is asked, and how, depends on the kind of cell."""

    is_over_when_killed: ClassVar[bool] = True
    """Whether it has printed all that it will when it is killed. A team's code runs only while it is asked something."""

    def __init__(self, zygote: Zygote, process: CellProcess, limits: Limits, unasked_seconds: float) -> None:
        self.process = process
        self.conversation: list[tuple[bytes, bytes]] = []
        """Questions and answers as the bytes that were sent. The last answer may be missing."""
        self.measure = False
        self.calls: list[tuple[str, float, float]] = []
        """With ``measure``: what was asked, the CPU seconds of the answer, and their limit."""
        self.output = b""
        """What the code wrote to standard output and standard error, up to the limit. Complete once it has been retired."""
        self.was_early = False
        """Whether a turn of a resident program began with something that it had written before."""
        self.cpu_seconds = 0.0
        self.wall_seconds = 0.0
        """Time used for answers, including the start. Time in which this process itself stood still doesn't count."""
        self.standstill_seconds = 0.0
        """How long this process stood still while it waited for answers, because it was stopped or had no core."""
        self.who = "the team"
        """Whose code it holds, for messages."""
        self.hints = LimitHints(limits, zygote.confinement.level)
        self.waits: Callable[[float], None] = lambda seconds: None
        """Called with how long somebody has waited for an import, in seconds of wall time."""
        self.keeps_conversation = True
        self._zygote = zygote
        self._limits = limits
        self._number = 0
        self._conversation_room = KEPT_CONVERSATION_BYTES
        self._waited = 0.0
        """How long the current answer has taken. Time in which this process was not running doesn't count."""
        self._inbox = Inbox(limits.reply_bytes + _ALLOWED_EXTRA_BYTES)
        self._pieces: list[bytes] = []
        self._kept_bytes = 0
        self._clock = 0
        self._queued_at_start = 0.0
        self._groups: list[ControlGroup] = []
        self._excess: tuple[Termination, str] | None = None
        """A watcher's verdict."""
        self._core: int | None = None
        self._peak = 0
        self._unasked = 0.0
        self._allowed = unasked_seconds
        """CPU time that may have been used between questions until now."""
        self._poller = select.poll()
        self._poller.register(process.answers, select.POLLIN)
        self._poller.register(process.output, select.POLLIN)

    @property
    def is_held(self) -> bool:
        """Whether it can still be asked."""
        return self.process.questions >= 0

    @property
    def peak_bytes(self) -> int:
        """The most memory that the process held at once; 0 until it has ended."""
        return self._peak if self.process.exit is None else self.process.exit.peak_bytes

    def pin(self, core: int) -> None:
        """Let the cell run on this core only, once it is ready."""
        self._core = core

    def wait_until_ready(self) -> None:
        """Wait until the process is confined. Its clock starts here: the time until now was the host's own work.

        Raises:
            CellError: it was never confined: the machine's fault.
        """
        if self._clock:
            return
        try:
            self._zygote.finish_fork(self.process, self.waits)
        except ZygoteLostError as error:
            self.give_up(Termination.VOID, str(error))
        # Else no code of a team has run yet.
        has_loaded = self.process.import_seconds > 0
        self._poller.register(self.process.pidfd, select.POLLIN)
        until = time.monotonic() + CONFINE_SECONDS
        body: bytes | None = None
        while body is None and time.monotonic() < until:
            try:
                body = self._answer(0, SLICE_MILLISECONDS)
            except EOFError:
                break
            except WireError as error:
                if has_loaded:
                    self.give_up(Termination.PROTOCOL, f"starting up: {error}")
                break
        if body is None and has_loaded:
            self._explain_end("starting up")
        if body is None or not isinstance(self.decode_as(REPLIES, body, "starting up"), Done):
            self._explain_end("confining the cell", died_before_play=True)
        self._clock = cpu_clock(self.process.pid)
        self._queued_at_start = queued_seconds(self.process.pid)
        if self._core is not None:
            with contextlib.suppress(OSError):
                os.sched_setaffinity(self.process.pid, {self._core})

    def _put_an_end(self, termination: Termination, message: str) -> None:
        """Called in a watcher's thread. The main thread then finds that the process has ended."""
        self._excess = (termination, message)
        self.process.kill()

    def keep(self, question: bytes, answer: bytes) -> None:
        """Keep a question and its answer in case the cell fails."""
        if not self.keeps_conversation:
            return
        self._conversation_room -= len(question) + len(answer)
        if self._conversation_room >= 0:
            self.conversation.append((question, answer))

    @property
    def _cpu_time(self) -> str:
        """What the clock shows, for messages."""
        return "CPU time"

    def _count_unasked(self, cpu: float, allowed: float) -> None:
        """Count CPU time used between two questions, and raise the limit for it by ``allowed``."""
        self._unasked += cpu
        self._allowed += allowed
        if self._unasked > self._allowed:
            self.give_up(Termination.TIMEOUT, f"used {self._cpu_time} between two calls: {self._unasked:.2f} s")

    def _count_long_wait(self, elapsed: float) -> None:
        """Split a long wait into the time of the cell and the time in which this process was not running."""
        standstill = elapsed - self._waited - 2 * SLICE
        if standstill >= STANDSTILL_SECONDS:
            self.standstill_seconds += standstill
            elapsed -= standstill
        self.wall_seconds += elapsed

    def decode_as(self, decoder: AnyDecoder, data: bytes | msgspec.Raw, doing: str) -> Any:
        """Decode an answer, or a part of one, strictly by its type."""
        try:
            return decoder.decode(data)
        except msgspec.ValidationError as error:
            self.give_up(Termination.PROTOCOL, f"{doing}: the answer has the wrong types: {error}")
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            self.give_up(Termination.PROTOCOL, f"{doing}: the answer isn't valid msgpack: {error}")
        except (ValueError, TypeError) as error:
            self.give_up(Termination.PROTOCOL, f"{doing}: the answer has the wrong types: {error}")

    def give_up(self, termination: Termination, message: str, traceback: str = "") -> NoReturn:
        """Kill the cell and raise the verdict."""
        self.retire()
        raise CellError(termination, message, traceback)

    def kill(self, cores: Collection[int] = ()) -> None:
        """Kill the process, on one of these cores if it matters, and don't wait. ``retire`` collects what it leaves."""
        if self.is_held and self.process.exit is None:
            self._peak = max(self._peak, peak_bytes(self.process.pid))
            if cores and self.process.pid > 0:
                with contextlib.suppress(OSError):
                    os.sched_setaffinity(self.process.pid, cores)
        self.process.kill()

    def retire(self) -> None:
        """Kill the process, keep what it printed, and close its pipes. Nobody waits while the kernel frees its memory."""
        if not self.is_held:
            return
        self.kill()
        if self.process.pidfd >= 0 and not self.is_over_when_killed:
            with contextlib.suppress(ZygoteLostError):
                self._zygote.wait_for_exit(self.process, EXIT_SECONDS)
        self._drain()
        self.output = b"".join(self._pieces)
        self._pieces.clear()
        self.process.close()
        while self._groups:
            self._groups.pop().close()

    # Reading

    def _write(self, data: bytes) -> int:
        try:
            return os.write(self.process.questions, data)
        except BlockingIOError:
            return 0

    def _read(self) -> bytes:
        data = os.read(self.process.answers, FIRST_CHUNK if self._inbox.is_empty else CHUNK)
        if not data:
            raise EOFError
        return data

    def _answer(self, number: int, milliseconds: int) -> bytes | None:
        """The answer, if all of it arrives in this time.

        Raises:
            EOFError: the cell closed its end, or ended.
            WireError: it wrote something that is not an answer.
        """
        answers = self.process.answers
        is_closed = False
        for descriptor, _ in self._poller.poll(milliseconds):
            if descriptor == answers:
                return self._inbox.take(self._read(), number)
            if descriptor == self.process.output:
                self._drain(some=True)
            else:
                is_closed = True
        if not is_closed:
            return None
        try:
            # It may have answered between the looks at the two.
            return self._inbox.take(self._read(), number)
        except BlockingIOError as error:
            raise EOFError from error

    # Verdicts of the clocks

    def _judge(self, doing: str, seconds: float, cpu: float, total: float) -> None:
        """Give up if the call or the match has used too much CPU time."""
        limit = self._limits.match_seconds
        if cpu > seconds:
            why = self.hints.time(doing, calls=round(seconds / (self._limits.move_seconds or 1)))
            what = f"{doing} used {cpu:.2f} s of {self._cpu_time}, the limit is {in_seconds(seconds)}{why}"
            self._late(Termination.TIMEOUT, what, doing)
        if total > limit:
            what = f"{doing}: {self.who} used {total:.2f} s of {self._cpu_time} in this match, the limit is {in_seconds(limit)}"
            self._late(Termination.TIMEOUT, what + self.hints.time(doing, of_the_match=True), doing)

    def _judge_wait(self, doing: str, seconds: float, cpu: float, queued: float) -> None:
        """Give up if the call or the match has taken too much wall time, not counting the time in which it waited for a core."""
        limits, waited = self._limits, self._waited
        patience, budget = seconds * limits.wall_factor, limits.match_seconds * limits.wall_factor
        if waited > patience and waited - (self._queued_seconds() - queued) > patience:
            within = f"within {waited:.2f} s, of which it used {cpu:.2f} s of CPU time"
            self._late(Termination.STALL, f"{self._no_answer(doing)} {within}{self.hints.time(doing, waited=True)}", doing)
        total = self.wall_seconds + waited
        if total > budget and total - self._queued_in_match() > budget:
            what = (
                f"{doing}: {self.who} took {total:.2f} s of this match to answer, the limit is {in_seconds(budget)};"
                f" it used {self.cpu_seconds + cpu:.2f} s of CPU time{self.hints.time(doing, of_the_match=True, waited=True)}"
            )
            self._late(Termination.STALL, what, doing)

    def _no_answer(self, doing: str) -> str:
        """How a message begins that says so."""
        return f"{doing} did not answer"

    def _queued_seconds(self) -> float:
        """How long the code has been ready to run without a core."""
        return queued_seconds(self.process.pid)

    def _queued_in_match(self) -> float:
        """How long the code has been ready to run without a core, since the match began."""
        return queued_seconds(self.process.pid) - self._queued_at_start

    def _late(self, termination: Termination, message: str, doing: str) -> NoReturn:
        if self._inbox.is_empty:
            self.give_up(termination, message)
        self.give_up(Termination.PROTOCOL, f"{doing}: the answer was still incomplete at the time limit")

    # What it printed

    def read_output(self) -> bytes:
        """What has been printed until now, up to the limit."""
        if not self.is_held:
            return self.output
        self._drain()
        return b"".join(self._pieces)

    def _drain(self, some: bool = False) -> None:
        """Read what was printed, and keep it up to the limit."""
        while True:
            try:
                data = os.read(self.process.output, CHUNK)
            except BlockingIOError:
                return
            if not data:
                with contextlib.suppress(KeyError):
                    self._poller.unregister(self.process.output)
                return
            self.keep_printed(data)
            if some:
                return

    def keep_printed(self, data: bytes) -> None:
        """Keep printed text, up to the limit."""
        room = self._limits.output_bytes - self._kept_bytes
        if room > 0:
            self._pieces.append(data[:room])
            self._kept_bytes += len(self._pieces[-1])

    # Verdicts on its end

    def _explain_end(self, doing: str, died_before_play: bool = False) -> NoReturn:
        """Find out why the cell's pipe was closed."""
        half = not self._inbox.is_empty
        try:
            end = self._zygote.wait_for_exit(self.process, EXIT_SECONDS)
        except ZygoteLostError as error:
            self.give_up(Termination.VOID, f"{doing}: {error}")
        if self._excess is not None:
            self.give_up(self._excess[0], f"{doing}: {self._excess[1]}")
        # A team's code, which runs only after the cell was confined, could end with any exit code: that alone proves nothing.
        if died_before_play:
            self.retire()
            output = self.output.decode("utf-8", "replace").strip()
            raise CellError(Termination.VOID, f"the cell could not be confined: {output or end}")
        if end is None or end.status == EXIT_DISCONNECTED:
            self.give_up(Termination.DISCONNECT, f"{doing}: the process closed its pipe to the host")
        if end.status == EXIT_OUT_OF_MEMORY:
            self.give_up(Termination.OUT_OF_MEMORY, f"{doing}: out of memory{self.hints.memory()}")
        if end.status >= 0:
            if half:
                self.give_up(Termination.PROTOCOL, f"{doing}: the process exited with code {end.status} in the middle of an answer")
            self._crash(f"{doing}: the process exited with code {end.status}")
        name = signal_name(-end.status)
        if end.status == -signal.SIGKILL:
            if end.peak_bytes >= MEMORY_EVIDENCE * self._limits.memory_bytes:
                what = f"{doing}: killed while it used {end.peak_bytes >> 20} MiB"
                self.give_up(Termination.OUT_OF_MEMORY, f"{what}{self.hints.memory()}")
            if end.cpu_seconds >= self._limits.match_seconds:
                self.give_up(
                    Termination.TIMEOUT,
                    f"{doing}: killed after {end.cpu_seconds:.0f} s of CPU time{self.hints.time(doing, of_the_match=True)}",
                )
            # Neither this host nor a limit killed it.
            self.give_up(Termination.VOID, f"{doing}: the process was killed from outside ({name})")
        self._crash(f"{doing}: the process was killed by {name}")

    def _crash(self, message: str) -> NoReturn:
        """Give up on a process that has ended. What it printed last may say why."""
        self.retire()
        hint = self.hints.find(self.output[-LAST_WORDS:].decode("utf-8", "replace"))
        self.give_up(Termination.CRASH, f"{message}{hint}")
