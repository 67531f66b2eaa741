"""A cell as its host sees it: questions with deadlines, and a verdict where there is no answer."""

from __future__ import annotations

import contextlib
import os
import select
import time
from typing import Any, Final, NoReturn

import msgspec

from tiltyard_engine.results import Termination
from tiltyard_simulator.guard.cells.cell_client import (
    EXIT_SECONDS,
    PATIENCE_MILLISECONDS,
    SLICE,
    SLICE_MILLISECONDS,
    STANDSTILL_SECONDS,
    AnyDecoder,
    CellClient,
)
from tiltyard_simulator.guard.cells.limit_hints import STARTING
from tiltyard_simulator.guard.cells.messages import ENCODER, REPLIES, Done, Failed, Failure, WatchInfos
from tiltyard_simulator.guard.cells.process_watch import OtherProcesses, RestingProcess, TaskWatcher
from tiltyard_simulator.guard.cells.wire import CHUNK, FIRST_CHUNK, CellError, WireError, ZygoteLostError, frame, question_numbers
from tiltyard_simulator.guard.cells.zygote import CellProcess, Zygote
from tiltyard_simulator.guard.confinement.kernel.control_groups import CpuGroup, TaskGroup
from tiltyard_simulator.match.limits import LONG_WAIT, Limits

UNASKED_SECONDS: Final = 0.1
UNASKED_SECONDS_A_CALL: Final = 0.0005
"""CPU time that may be used between two questions. A cell needs some to finish its answer and to wait for the next one."""
SHORT_GAP: Final = 0.001
"""CPU time used in a shorter gap between two questions counts for the second answer. That saves reading a clock."""
QUESTIONS_A_LOOK: Final = 64
"""However short the gaps are, after so many questions the clock is read."""
SHOWN_SECONDS: Final = 0.01
"""Other processes are spoken of once they have used so much CPU time."""


class TeamClient(CellClient):
    """A cell whose code, a team's or a GameManager, answers questions."""

    def __init__(self, zygote: Zygote, process: CellProcess, limits: Limits) -> None:
        super().__init__(zygote, process, limits, UNASKED_SECONDS)
        self.watch_infos = False
        """Whether to check that the team's tanks don't keep their BattleInfo. Only before it has loaded the team."""
        self.starts_in = 0.0
        """CPU seconds that its code took to load and to get ready."""
        self.plugin = ""
        """What its code is called where it is spoken of."""
        self.why_alone = ""
        """Why there is no template for it, if it could have come from one."""
        self._task_watcher: TaskWatcher | None = None
        self._other_processes: OtherProcesses | RestingProcess | None = None
        """Those that the team has started, if it may start any, or its template."""
        self._is_alone = limits.processes == 1
        self._others_used = 0.0
        """Their CPU time, as last looked at."""
        self._unpaid_seconds = 0.0
        """CPU time that counts for the first answer: of the import, if a template did it, and all that the cell used since then."""
        self._numbers = question_numbers()
        self._last_cpu = 0.0
        self._last_wall = 0.0
        self._quick = select.poll()
        self._quick.register(process.answers, select.POLLIN)

    def wait_until_ready(self) -> None:
        """As for any process; then count what the team uses from here on."""
        if self._clock:
            return
        super().wait_until_ready()
        self._limit_tasks()
        if self.process.template > 0:
            self._other_processes = RestingProcess(self.process.template, self.process.template_began)
        with contextlib.suppress(OSError):
            self._last_cpu = self._cpu_now()
        if self.process.import_seconds:
            # The team's code has run in it since it was forked, which may be long ago.
            self._unpaid_seconds = self.process.import_seconds + self._last_cpu
        if self.watch_infos:
            # Not kept: it is no part of what the team is asked.
            keeps, self.keeps_conversation = self.keeps_conversation, False
            self.ask(WatchInfos(), self._limits.startup_seconds, "starting up", Done)
            self.keeps_conversation = keeps

    def _limit_tasks(self) -> None:
        """Let the kernel count exactly the cell's processes and their CPU time, where it can.

        With one process, the filter refuses all others.
        """
        if self._is_alone:
            return
        tasks = TaskGroup.make(self._limits.processes)
        cpu = CpuGroup.make(tasks)
        self._groups += [group for group in (tasks, cpu) if group is not None]
        if tasks is not None:
            tasks.add({self.process.pid})
        self._other_processes = OtherProcesses(self.process.pid, cpu)
        if tasks is None or cpu is None:
            self._task_watcher = TaskWatcher(self.process.pid, self._limits, self._put_an_end, self._other_processes)

    def retire(self) -> None:
        """Kill the cell, keep what it printed, and close its pipes."""
        if self.is_held and self._task_watcher is not None:
            self._task_watcher.stop()
        super().retire()

    def ask(self, request: msgspec.Struct, seconds: float, doing: str, *expected: type[Any], decoder: AnyDecoder = REPLIES) -> Any:
        """Ask a question and wait for the answer.

        Args:
            request: the question.
            seconds: CPU time that the answer may take.
            doing: what the team's code does meanwhile, for messages.
            expected: the types of the possible answers.
            decoder: decodes all messages that the cell may send.

        Raises:
            CellError: there was no valid answer in time, or the answer says that the team's code failed.
        """
        reply = self.decode_as(decoder, self.exchange(request, seconds, doing), doing)
        if type(reply) not in expected:
            if type(reply) is Failed:
                self.fail(reply.failure)
            self.give_up(Termination.PROTOCOL, f"{doing}: {type(reply).__name__} is not an answer to this question")
        return reply

    def exchange(self, request: msgspec.Struct, seconds: float, doing: str) -> bytes:
        """As ``ask``, but return the bytes of the answer."""
        if not self._clock:
            self.wait_until_ready()
        body = ENCODER.encode(request)
        number = next(self._numbers)
        start = time.perf_counter()
        answer = None
        try:
            cpu = self._last_cpu
            if start - self._last_wall > SHORT_GAP or not number % QUESTIONS_A_LOOK:
                cpu = self._check_gap()
            try:
                if self._inbox.surplus:
                    self._inbox.take(b"", number)
                data = frame(number, body)
                count = self._write(data)
                self._waited = 0.0
                if self._quick.poll(PATIENCE_MILLISECONDS):
                    answer = self._inbox.take(os.read(self.process.answers, FIRST_CHUNK), number)
                if answer is None:
                    answer = self._wait(number, data[count:], cpu, seconds, doing)
                # Without a call where one clock shows all, or nearly always does: this happens for each team in each round.
                spent = time.clock_gettime(self._clock) + self._others_used if self._is_alone else self._cpu_now()
            except (EOFError, OSError):
                # It has ended, but what it wrote before is judged first. If that is all of the answer, its end shows the next time.
                answer = self._take_rest(number) if answer is None else answer
                if answer is None:
                    raise
                spent = self._cpu_now()
        except (EOFError, OSError):
            self.keep(body, b"")
            self._explain_end(doing)
        except WireError as error:
            self.keep(body, b"")
            self.give_up(Termination.PROTOCOL, f"{doing}: {error}")
        except CellError:
            self.keep(body, b"")
            self._count_long_wait(time.perf_counter() - start)
            raise
        if self.keeps_conversation:
            self.keep(body, answer)
        end = self._last_wall = time.perf_counter()
        self._last_cpu = spent
        spent -= cpu
        self.cpu_seconds += spent
        if end - start < STANDSTILL_SECONDS:
            self.wall_seconds += end - start
        else:
            self._count_long_wait(end - start)
        if self.measure:
            self.calls.append((doing, spent, seconds))
        if spent > seconds or self.cpu_seconds > self._limits.match_seconds:
            self._judge(doing, seconds, spent, self.cpu_seconds)
        return answer

    def _check_gap(self) -> float:
        """Read the CPU clock, and count what the cell used since the last answer."""
        cpu = self._cpu_now()
        self._count_unasked(cpu - self._last_cpu, UNASKED_SECONDS_A_CALL)
        unpaid, self._unpaid_seconds = self._unpaid_seconds, 0.0
        return cpu - unpaid

    def _cpu_now(self) -> float:
        """The CPU clock of all the cell's processes together.

        Raises:
            OSError: nobody knows how much it was: the zygote is gone.
        """
        if self._other_processes is not None:
            self._others_used = self._other_processes.look()
        return self._own_cpu() + self._others_used

    def _own_cpu(self) -> float:
        try:
            return time.clock_gettime(self._clock)
        except OSError:
            with contextlib.suppress(ZygoteLostError):
                end = self._zygote.wait_for_exit(self.process, EXIT_SECONDS)
                if end is not None:
                    return end.cpu_seconds
            raise

    def _take_rest(self, number: int) -> bytes | None:
        """Read what a cell that has ended left in its pipe; the answer, if that is there."""
        answer = None
        # An open pipe that is empty belongs to a cell that goes on without the other one.
        with contextlib.suppress(BlockingIOError):
            while answer is None and (piece := os.read(self.process.answers, CHUNK)):
                answer = self._inbox.take(piece, number)
        return answer

    @property
    def _cpu_time(self) -> str:
        """What the clock shows, for messages."""
        others = self._other_processes
        return "CPU time" if others is None or others.last < SHOWN_SECONDS else "CPU time in all its processes"

    def fail(self, failure: Failure) -> NoReturn:
        """Give up with a failure that the cell reported itself."""
        hint = self.hints.find(failure.message, failure.traceback)
        self.give_up(Termination(failure.kind.value), f"{failure.message}{hint}", failure.traceback)

    def _wait(self, number: int, unsent: bytes, cpu: float, seconds: float, doing: str) -> bytes:
        """Wait in slices. If this process was stopped during a slice, it counts no longer than two slices."""
        self._waited = SLICE
        queued = self._queued_seconds()
        while True:
            start = time.monotonic()
            if unsent:
                unsent = unsent[self._write(unsent) :]
            answer = self._answer(number, 1 if unsent else SLICE_MILLISECONDS)
            if answer is not None:
                return answer
            self._waited += min(time.monotonic() - start, 2 * SLICE)
            try:
                spent = self._cpu_now() - cpu
            except OSError:
                # The next look at its pipe tells why it is gone.
                continue
            if self._waited >= LONG_WAIT and doing in STARTING:
                self.waits(self._waited)
            self._judge(doing, seconds, spent, self.cpu_seconds + spent)
            self._judge_wait(doing, seconds, spent, queued)
