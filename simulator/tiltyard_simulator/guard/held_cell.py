"""One cell as its host sees it: questions with deadlines, and a verdict for every way in which it may not answer."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from typing import Any, Final, NoReturn

import msgspec

from tiltyard_engine.results import Termination
from tiltyard_simulator.guard.cpu_clock import cpu_clock, cpu_seconds, queued_seconds
from tiltyard_simulator.guard.limits import Limits
from tiltyard_simulator.guard.messages import (
    ENCODER,
    EXIT_DISCONNECTED,
    EXIT_OUT_OF_MEMORY,
    EXIT_UNCONFINED,
    REPLIES,
    Done,
    Failed,
    Failure,
    Reply,
    Request,
)
from tiltyard_simulator.guard.wire import CHUNK, FIRST_CHUNK, NUMBERS, Inbox, WireError, frame
from tiltyard_simulator.guard.zygote import CellProcess, Zygote, ZygoteLostError

SLICE: Final = 0.02
"""Seconds between two looks at the clocks while a cell is at work."""
SLICE_MILLISECONDS: Final = int(1000 * SLICE)
PATIENCE_MILLISECONDS: Final = 5
"""How long only the answer is looked for: nearly every answer is there by then."""
STANDSTILL_SECONDS: Final = 0.25
"""A look at the clocks that comes so much later than it should tells that this process itself was not running."""
CONFINE_SECONDS: Final = 10.0
EXIT_SECONDS: Final = 2.0
"""How long a process whose pipes are closed may take to end before that counts as hanging up."""
UNASKED_SECONDS: Final = 0.1
UNASKED_SECONDS_A_CALL: Final = 0.0005
"""CPU time that may be used between two questions: a cell needs some to finish its answer and to wait for the next."""
SHORT_GAP: Final = 0.001
"""CPU time burnt in a shorter gap between two questions counts as used for the second answer: one clock less to read."""
MEMORY_EVIDENCE: Final = 0.9
"""Killed while it held so much of its limit, a cell was killed for its memory."""
KEPT_CONVERSATION_BYTES: Final = 32 << 20
"""Of what is asked and answered so much is kept, in case the cell fails; a longer match is kept from its beginning."""
_ALLOWED_EXTRA_BYTES: Final = 1 << 16


class CellError(Exception):
    """The cell did not answer as it should; it is dead now."""

    def __init__(self, termination: Termination, message: str, traceback: str = "") -> None:
        super().__init__(message)
        self.termination = termination
        self.message = message
        self.traceback = traceback


class HeldCell:
    """A cell process, its clocks, and what it printed."""

    def __init__(self, zygote: Zygote, process: CellProcess, limits: Limits) -> None:
        self.process = process
        self.conversation: list[tuple[bytes, bytes]] = []
        """Questions and their answers, as they travelled; the answer to the last one may be missing."""
        self.measure = False
        self.calls: list[tuple[str, float, float]] = []
        """With ``measure``: what was asked, the CPU seconds of the answer, and how many it might have had."""
        self.watch_infos = False
        """Whether its team is checked for tanks that keep their BattleInfo."""
        self.output = b""
        """What the team's code wrote to standard output and standard error, up to the limit."""
        self.cpu_seconds = 0.0
        self.wall_seconds = 0.0
        """Used in answering, start-up included, and without the time in which this process itself stood still."""
        self.standstill_seconds = 0.0
        """How long this process stood still while it waited for answers: stopped, or without a core."""
        self.who = "the team"
        """Whose code it holds, for messages."""
        self.keeps_conversation = True
        self._zygote = zygote
        self._limits = limits
        self._number = 0
        self._conversation_room = KEPT_CONVERSATION_BYTES
        self._slices = 0.0
        """How long the current answer has been waited for, as far as this process was running."""
        self._inbox = Inbox(limits.reply_bytes + _ALLOWED_EXTRA_BYTES)
        self._kept: list[bytes] = []
        self._kept_bytes = 0
        self._clock = 0
        self._core: int | None = None
        self._last_cpu = 0.0
        self._last_wall = 0.0
        self._unasked = 0.0
        self._allowed = UNASKED_SECONDS
        self._quick = select.poll()
        self._quick.register(process.answers, select.POLLIN)
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
        return self.process.exit.peak_bytes if self.process.exit is not None else 0

    def pin(self, core: int) -> None:
        """Let it run on one core only, once it is ready."""
        self._core = core

    def wait_until_ready(self) -> None:
        """Until it is confined. Its clock starts here: what it took so far was the host's own work.

        Raises:
            CellError: it never was; the machine's fault.
        """
        if self._clock:
            return
        try:
            self._zygote.finish_fork(self.process)
        except ZygoteLostError as error:
            self._give_up(Termination.VOID, str(error))
        self._poller.register(self.process.pidfd, select.POLLIN)
        until = time.monotonic() + CONFINE_SECONDS
        body: bytes | None = None
        while body is None and time.monotonic() < until:
            try:
                body = self._arrived(0, SLICE_MILLISECONDS)
            except (EOFError, WireError):
                break
        if body is None or not isinstance(REPLIES.decode(body), Done):
            self._explain_end("confining the cell", died_before_play=True)
        self._clock = cpu_clock(self.process.pid)
        self._last_cpu = cpu_seconds(self._clock) or 0.0
        if self._core is not None:
            with contextlib.suppress(OSError):
                os.sched_setaffinity(self.process.pid, {self._core})

    def ask(self, request: Request, seconds: float, doing: str) -> Reply:
        """Ask, and wait for the answer.

        Args:
            request: the question.
            seconds: CPU time that the answer may take.
            doing: what the team's code does meanwhile, for messages.

        Raises:
            CellError: there was no sound answer in time, or it says that the team's code failed.
        """
        reply: Reply = self.decode_as(REPLIES, self.exchange(request, seconds, doing), doing)
        if type(reply) is Failed:
            self.fail(reply.failure)
        return reply

    def exchange(self, request: msgspec.Struct, seconds: float, doing: str) -> bytes:
        """Ask as ``ask`` does; the answer as it travelled."""
        body = ENCODER.encode(request)
        number = self._number = (self._number + 1) % NUMBERS
        begun = time.perf_counter()
        try:
            cpu = self._last_cpu
            if begun - self._last_wall > SHORT_GAP:
                cpu = self._check_gap()
            data = frame(number, body)
            written = self._write(data)
            answer = None
            self._slices = 0.0
            if self._quick.poll(PATIENCE_MILLISECONDS):
                answer = self._inbox.take(self._read(), number)
            if answer is None:
                answer = self._wait(number, data[written:], cpu, seconds, doing)
            used = time.clock_gettime(self._clock)
        except (EOFError, OSError):
            self._keep(body, b"")
            self._explain_end(doing)
        except WireError as error:
            self._keep(body, b"")
            self._give_up(Termination.PROTOCOL, f"{doing}: {error}")
        except CellError:
            self._keep(body, b"")
            self._count_long_wait(time.perf_counter() - begun)
            raise
        self._keep(body, answer)
        ended = self._last_wall = time.perf_counter()
        self._last_cpu = used
        used -= cpu
        self.cpu_seconds += used
        if ended - begun < STANDSTILL_SECONDS:
            self.wall_seconds += ended - begun
        else:
            self._count_long_wait(ended - begun)
        if self.measure:
            self.calls.append((doing, used, seconds))
        if used > seconds or self.cpu_seconds > self._limits.match_seconds:
            self._judge(used, 0.0, seconds, doing, 0.0)
        return answer

    def _count_long_wait(self, elapsed: float) -> None:
        """Part the time of a long wait into what the cell had and what this process slept through."""
        standstill = elapsed - self._slices - 2 * SLICE
        if standstill >= STANDSTILL_SECONDS:
            self.standstill_seconds += standstill
            elapsed -= standstill
        self.wall_seconds += elapsed

    def _keep(self, question: bytes, answer: bytes) -> None:
        if not self.keeps_conversation:
            return
        self._conversation_room -= len(question) + len(answer)
        if self._conversation_room >= 0:
            self.conversation.append((question, answer))

    def _check_gap(self) -> float:
        """The CPU clock now; what it moved since the last answer, the cell burnt unasked."""
        cpu = time.clock_gettime(self._clock)
        self._unasked += cpu - self._last_cpu
        self._allowed += UNASKED_SECONDS_A_CALL
        if self._unasked > self._allowed:
            self._give_up(Termination.TIMEOUT, f"burnt CPU while it was not asked: {self._unasked:.2f} s")
        return cpu

    def fail(self, failure: Failure) -> NoReturn:
        """The cell says itself that the team's code failed."""
        self._give_up(Termination(failure.kind.value), failure.message, failure.traceback)

    def refuse(self, doing: str, reply: Reply, why: str = "") -> NoReturn:
        """An answer of the wrong kind, or with the wrong things in it."""
        self._give_up(Termination.PROTOCOL, f"{doing}: {why or f'{type(reply).__name__} is no answer to that'}")

    def decode_as(self, decoder: msgspec.msgpack.Decoder[Any], data: bytes | msgspec.Raw, doing: str) -> Any:
        """An answer or what is within one, strictly of its type."""
        try:
            return decoder.decode(data)
        except msgspec.ValidationError as error:
            self._give_up(Termination.PROTOCOL, f"{doing}: an answer of the wrong types: {error}")
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            self._give_up(Termination.PROTOCOL, f"{doing}: an answer that is not msgpack: {error}")
        except (ValueError, TypeError) as error:
            self._give_up(Termination.PROTOCOL, f"{doing}: an answer of the wrong types: {error}")

    def condemn(self, termination: Termination, message: str) -> NoReturn:
        """What it answered was sound by itself, but may not be: end it."""
        self._give_up(termination, message)

    def retire(self) -> None:
        """Kill it, keep what it printed, give everything back."""
        if not self.is_held:
            return
        self.process.kill()
        with contextlib.suppress(ZygoteLostError):
            if self.process.pidfd >= 0:
                self._zygote.wait_for_exit(self.process, EXIT_SECONDS)
        self._drain()
        self.output = b"".join(self._kept)
        self._kept.clear()
        self.process.close()

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

    def _arrived(self, number: int, milliseconds: int) -> bytes | None:
        """The whole answer, if it arrives now.

        Raises:
            EOFError: the cell closed its end, or died.
            WireError: it wrote what is no answer.
        """
        answers = self.process.answers
        ended = False
        for descriptor, _ in self._poller.poll(milliseconds):
            if descriptor == answers:
                return self._inbox.take(self._read(), number)
            if descriptor == self.process.output:
                self._drain(some=True)
            else:
                ended = True
        if ended:
            raise EOFError
        return None

    def _wait(self, number: int, unsent: bytes, cpu: float, seconds: float, doing: str) -> bytes:
        """Wait in slices; a slice in which this process itself was stopped counts as no longer than two."""
        waited = SLICE
        queued = queued_seconds(self.process.pid)
        while True:
            begun = time.monotonic()
            if unsent:
                unsent = unsent[self._write(unsent) :]
            answer = self._arrived(number, 1 if unsent else SLICE_MILLISECONDS)
            if answer is not None:
                return answer
            waited += min(time.monotonic() - begun, 2 * SLICE)
            self._slices = waited
            now = cpu_seconds(self._clock)
            if now is not None:
                self._judge(now - cpu, waited, seconds, doing, queued)

    def _judge(self, used: float, waited: float, seconds: float, doing: str, queued: float) -> None:
        """Give up if a limit is reached: on CPU time, or on wall time less the time that it had to wait for a core."""
        limits = self._limits
        if used > seconds:
            self._late(Termination.TIMEOUT, f"{doing} used {used:.2f} s of CPU time, the limit is {seconds:g} s", doing)
        total = self.cpu_seconds + (used if waited else 0.0)
        if total > limits.match_seconds:
            what = f"{doing}: {self.who} used {total:.2f} s of CPU time in this match, the limit is {limits.match_seconds:g} s"
            self._late(Termination.TIMEOUT, what, doing)
        patience = min(seconds * limits.wall_factor, limits.match_seconds * limits.wall_factor - self.wall_seconds)
        if waited > patience and waited - (queued_seconds(self.process.pid) - queued) > patience:
            what = f"{doing} did not answer within {waited:.2f} s, of which it used {used:.2f} s of CPU time"
            self._late(Termination.STALL, what, doing)

    def _late(self, termination: Termination, message: str, doing: str) -> NoReturn:
        if self._inbox.is_empty:
            self._give_up(termination, message)
        self._give_up(Termination.PROTOCOL, f"{doing}: half an answer, and nothing more in time")

    def _drain(self, some: bool = False) -> None:
        """Read what was printed; keep no more than the limit."""
        while True:
            try:
                data = os.read(self.process.output, CHUNK)
            except BlockingIOError:
                return
            if not data:
                with contextlib.suppress(KeyError):
                    self._poller.unregister(self.process.output)
                return
            self._keep_printed(data)
            if some:
                return

    def _keep_printed(self, data: bytes) -> None:
        room = self._limits.output_bytes - self._kept_bytes
        if room > 0:
            self._kept.append(data[:room])
            self._kept_bytes += len(self._kept[-1])

    # Verdicts

    def _give_up(self, termination: Termination, message: str, traceback: str = "") -> NoReturn:
        self.retire()
        raise CellError(termination, message, traceback)

    def _explain_end(self, doing: str, died_before_play: bool = False) -> NoReturn:
        """The cell's pipe closed: find out why."""
        half = not self._inbox.is_empty
        try:
            end = self._zygote.wait_for_exit(self.process, EXIT_SECONDS)
        except ZygoteLostError as error:
            self._give_up(Termination.VOID, f"{doing}: {error}")
        if died_before_play or (end is not None and end.status == EXIT_UNCONFINED):
            self.retire()
            said = self.output.decode("utf-8", "replace").strip()
            raise CellError(Termination.VOID, f"the cell could not be confined: {said or end}")
        if end is None or end.status == EXIT_DISCONNECTED:
            self._give_up(Termination.DISCONNECT, f"{doing}: the process closed its pipe to the host")
        if end.status == EXIT_OUT_OF_MEMORY:
            self._give_up(Termination.OUT_OF_MEMORY, f"{doing}: out of memory")
        if end.status >= 0:
            if half:
                self._give_up(Termination.PROTOCOL, f"{doing}: half an answer, then the process exited with code {end.status}")
            self._give_up(Termination.CRASH, f"{doing}: the process exited with code {end.status}")
        name = _signal_name(-end.status)
        if end.status == -signal.SIGKILL:
            if end.peak_bytes >= MEMORY_EVIDENCE * self._limits.memory_bytes:
                self._give_up(Termination.OUT_OF_MEMORY, f"{doing}: killed while it held {end.peak_bytes >> 20} MiB")
            if end.cpu_seconds >= self._limits.match_seconds:
                self._give_up(Termination.TIMEOUT, f"{doing}: killed after {end.cpu_seconds:.0f} s of CPU time")
            # Neither this host nor a limit did it.
            self._give_up(Termination.VOID, f"{doing}: the process was killed from outside ({name})")
        self._give_up(Termination.CRASH, f"{doing}: the process was killed by {name}")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
