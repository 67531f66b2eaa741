"""A program's cell as its host sees it: the launcher, the program's streams, the clocks of all its processes, verdicts."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from collections.abc import Sequence
from typing import Final, NoReturn

from tiltyard_engine.programs import LAST_ANSWER_SECONDS, signal_name
from tiltyard_engine.results import Termination
from tiltyard_simulator.guard.cells.cell_client import EXIT_SECONDS, PATIENCE_MILLISECONDS, SLICE, CellClient
from tiltyard_simulator.guard.cells.messages import ENCODER, Exited
from tiltyard_simulator.guard.cells.process_watch import (
    CpuMeter,
    ProgramWatcher,
    children_of,
    descendants_of,
    kill_tree,
    waited_for,
)
from tiltyard_simulator.guard.cells.wire import NUMBERS, CellError, Inbox, WireError, ZygoteLostError, frame
from tiltyard_simulator.guard.cells.zygote import CellProcess, Zygote
from tiltyard_simulator.guard.confinement.denials import DenialWatcher, PathLookup, denied_among
from tiltyard_simulator.guard.confinement.kernel.control_groups import CpuGroup, TaskGroup
from tiltyard_simulator.guard.confinement.kernel.process_status import queued_seconds
from tiltyard_simulator.guard.confinement.kernel.rlimits import KEEPERS
from tiltyard_simulator.guard.policy import CellPolicy, Level
from tiltyard_simulator.guard.programs.input_waits import Waits, waits_for_input
from tiltyard_simulator.guard.programs.messages import REPLIES, LauncherReply, LauncherRequest, ProcessEnd, Tried, Try
from tiltyard_simulator.match.limits import Limits

LARGEST_REPLY: Final = 1 << 31
"""The launcher is the host's own code and observes the limits itself."""
UNASKED_SECONDS: Final = 5.0
UNASKED_SECONDS_A_TURN: Final = 0.001
"""CPU time that may be used between turns. Some languages' runtimes compile and collect garbage in the background."""
LAUNCHER_SECONDS: Final = 10.0
"""Wall time for the launcher's answers that do not depend on the program."""
BUILD_SLICE: Final = 0.1
"""Between two looks at a build, which takes seconds. Looks as often as at a player would cost 6 % of a core, these cost 1.5 %."""
BUILD_CLOCK_SLICE: Final = 0.5
"""Between two looks at the clocks alone, where a build has minutes: its processes and their memory are still looked at as above."""
CLOCK_SHARE: Final = 200
"""With less time, the clocks are looked at so often before it is over."""
WAITS_SLICE: Final = 0.1
"""Between two looks whether the program only waits for input, which cost more than those at its clocks."""
LONGEST_LAST_ANSWER: Final = 30.0
"""How long a late program's last answer is waited for on the clock, where it gets no core."""
LAST_ANSWER_BYTES: Final = 4096


class ProgramCell(CellClient):
    """The cell of one program in one match.

    All waiting is done by ``wait``, in slices; the clocks are checked after each. A fault of the program is a CellError, which
    ends the cell.
    """

    def __init__(
        self,
        zygote: Zygote,
        process: CellProcess,
        limits: Limits,
        streams: Sequence[int],
        denials: DenialWatcher | None = None,
        *,
        slice_seconds: float = SLICE,
        clock_seconds: float = SLICE,
    ) -> None:
        super().__init__(zygote, process, limits, UNASKED_SECONDS)
        self._slice = slice_seconds
        """How long to wait before memory and processes are looked at."""
        self._clock_slice = clock_seconds
        """The same for clocks."""
        self._denials = denials
        self.denied: list[str] = []
        """With a watcher, once ``find_denials`` was called: calls and paths that were denied to the program, the latest last."""
        self._inbox = Inbox(LARGEST_REPLY)
        self.stdin, self.stdout = streams
        """The host's ends of the program's standard streams; -1 once closed."""
        self.end: ProcessEnd | None = None
        """How the resident program has ended."""
        self._watcher: ProgramWatcher | None = None
        self.launcher = 0
        """The launcher's process; all processes below it belong to the program. 0 before it is ready."""
        self._meter = CpuMeter(0)
        self._counts_all = False
        """Whether the meter also counts processes that nobody waited for."""
        self.is_resident = False
        """Whether the resident program has been started."""
        self.half_line = b""
        """The part of the expected line that has arrived."""
        self.last_answer = b""
        """What it wrote when its input was closed because it was late."""
        self._waits: Waits | None = None
        """What it waited in when that was last looked at."""
        self._waits_looked_at = 0.0
        """How long the current answer had taken then."""
        self._waits_in_vain = False
        """Whether it was late because it only waited for more input."""
        self._is_turn = False
        self._seconds = 0.0
        self.doing = "starting"
        """The name of the current turn, for messages."""
        self._turn_began = 0.0
        self._begun_cpu: float | None = None
        """The meter when the turn began; None: not read yet."""
        self._ended_cpu = 0.0
        """The meter when the last turn ended."""
        self._last_end = 0.0
        self._queued = 0.0
        """How long its processes had waited for a core when the turn began."""
        self._queued_seen = 0.0
        """The same when they were last looked at."""
        self._queued_before = 0.0
        """The same of processes that have ended, as far as that was seen."""
        self._calls_cpu = 0.0
        """CPU seconds of the turn's calls as the launcher measured them."""
        self._peak = 0

    is_over_when_killed = False

    @property
    def peak_bytes(self) -> int:
        """The most memory that was found in all processes together, or in one of them."""
        watched_bytes = self._watcher.peak_bytes if self._watcher is not None else 0
        return max(watched_bytes, self._peak)

    @property
    def launcher_kills(self) -> bool:
        """Whether the launcher can kill all that a call leaves behind."""
        return self._zygote.confinement.level is Level.A

    def note_call(self, end: ProcessEnd) -> None:
        """Count what the launcher measured of a call."""
        self._calls_cpu += end.cpu_seconds
        self._peak = max(self._peak, end.peak_bytes)

    def wait_until_ready(self) -> None:
        """Wait until the launcher is confined and can be asked.

        Raises:
            CellError: it was never confined: the machine's fault.
        """
        if self._watcher is not None or not self.is_held:
            return
        super().wait_until_ready()
        self.launcher = self.process.pid
        if self._zygote.confinement.level is Level.A:
            # The forked process only waits for the first process of its new namespace, which is the launcher.
            inner = children_of(self.process.pid)
            if len(inner) != 1:
                self._explain_end("confining the cell", died_before_play=True)
            (self.launcher,) = inner
        tasks = TaskGroup.make(self._limits.program_processes + KEEPERS)
        cpu = CpuGroup.make(tasks)
        if tasks is not None:
            tasks.add({self.process.pid, self.launcher})
        if cpu is not None:
            cpu.add({self.launcher})
        self._groups = [group for group in (tasks, cpu) if group is not None]
        self._counts_all = cpu is not None
        self._meter = CpuMeter(self.launcher, cpu)
        self._watcher = ProgramWatcher(self.launcher, self._limits, self._put_an_end, self._slice)
        if self._denials is not None:
            self._denials.clear()

    def retire(self) -> None:
        """Kill all processes, keep what they printed, and close the pipes."""
        if not self.is_held:
            return
        if self._watcher is not None:
            self._watcher.stop()
        if self.process.pid > 0 and self._zygote.confinement.level is not Level.A:
            # A process that left the process group is still below the launcher.
            kill_tree(self.launcher or self.process.pid)
        super().retire()
        for descriptor in (self.stdin, self.stdout):
            if descriptor >= 0:
                os.close(descriptor)
        self.stdin = self.stdout = -1

    # Turns

    def begin(self, seconds: float, doing: str) -> None:
        """Start the clocks of a turn, and stop those of the last one.

        Raises:
            CellError: too much CPU time was used since the last turn.
        """
        if self._is_turn:
            self.finish()
        now = time.monotonic()
        self._seconds, self.doing = seconds, doing
        self._turn_began, self._begun_cpu = now, None
        self._waited, self._queued, self._calls_cpu = 0.0, self._queued_seen, 0.0
        self._waits, self._waits_looked_at = None, 0.0
        self._is_turn = True
        if self.is_resident and self.is_held:
            self._begun_cpu = self._meter.glance() if now - self._last_end < SLICE else self._meter.look()
            self._count_unasked(self._begun_cpu - self._ended_cpu, UNASKED_SECONDS_A_TURN)
        elif self._counts_all and self.is_held:
            self._begun_cpu = self._meter.look()

    def finish(self) -> None:
        """End a turn and add what it used to the match's total.

        Raises:
            CellError: it used too much CPU time.
        """
        if not self._is_turn:
            return
        self._is_turn = False
        cpu = self._calls_cpu
        if self.is_resident and self.is_held:
            self._ended_cpu = self._meter.look() if self._waited or self._begun_cpu is None else self._meter.glance()
            cpu += self._ended_cpu - (self._begun_cpu or 0.0)
        elif self._counts_all and self.is_held and self._begun_cpu is not None:
            cpu = max(cpu, self._meter.look() - self._begun_cpu)
        if not self.is_resident:
            # A new call starts with new processes.
            self._queued_before += self._queued_seen
            self._queued_seen = 0.0
        self._last_end = time.monotonic()
        self.cpu_seconds += cpu
        if self._waited:
            self._count_long_wait(self._last_end - self._turn_began)
        else:
            self.wall_seconds += self._last_end - self._turn_began
        if self.measure:
            self.calls.append((self.doing, cpu, self._seconds))
        if self.is_held:
            self._judge(self.doing, self._seconds, cpu, self.cpu_seconds)

    def _queued_seconds(self) -> float:
        # What has ended meanwhile is not found any more.
        self._queued_seen = max(self._queued_seen, sum(queued_seconds(process) for process in descendants_of(self.launcher)))
        return self._queued_seen

    def _queued_in_match(self) -> float:
        return self._queued_before + self._queued_seen

    # Waiting

    def wait(self, *descriptors: tuple[int, int], until: float | None = None, for_answer: bool = False) -> list[int]:
        """Wait for descriptors, given with their poll events; return those that are ready, or none at the time ``until``.

        What the program prints is read meanwhile. ``for_answer`` says that nothing will be sent before it has answered.

        Raises:
            CellError: a limit was reached.
        """
        poller = select.poll()
        for descriptor, events in descriptors:
            poller.register(descriptor, events)
        quick = poller.poll(PATIENCE_MILLISECONDS)
        if quick:
            return [descriptor for descriptor, _ in quick]
        poller.register(self.process.pidfd, select.POLLIN)
        poller.register(self.process.output, select.POLLIN)
        self._waited += PATIENCE_MILLISECONDS / 1000
        while until is None or time.monotonic() < until:
            start = time.monotonic()
            ready = [descriptor for descriptor, _ in poller.poll(int(1000 * self._clock_slice))]
            self._waited += min(time.monotonic() - start, 2 * self._clock_slice)
            if self.process.output in ready:
                self._drain(some=True)
            answers = [descriptor for descriptor in ready if descriptor not in (self.process.pidfd, self.process.output)]
            if answers:
                return answers
            if self.process.pidfd in ready:
                self.explain_lost_cell()
            if self._is_turn:
                self._check_clocks()
                if for_answer and self._waits_for_ever():
                    self._waits_in_vain = True
                    self._late(Termination.STALL, f"{self._no_answer(self.doing)}, and it waits for more input", self.doing)
        return []

    def _waits_for_ever(self) -> bool:
        """Whether it has done nothing since the last look but wait for input that will not come."""
        if self._waited < self._waits_looked_at + WAITS_SLICE:
            return False
        self._waits_looked_at = self._waited
        before, self._waits = self._waits, waits_for_input(self.launcher, os.fstat(self.stdin).st_ino) if self.stdin >= 0 else None
        return self._waits is not None and self._waits == before

    def _check_clocks(self) -> None:
        if self._begun_cpu is None:
            # All running processes were started in this turn.
            self._begun_cpu = waited_for(self.launcher)
        self._queued_seconds()
        cpu = self._meter.look() - self._begun_cpu
        self._judge(self.doing, self._seconds, cpu, self.cpu_seconds + cpu)
        self._judge_wait(self.doing, self._seconds, cpu, self._queued)

    def _no_answer(self, doing: str) -> str:
        return f"{doing}: no answer"

    def _late(self, termination: Termination, message: str, doing: str) -> NoReturn:
        if termination is Termination.STALL and self.is_resident and self.stdin >= 0:
            self._end_input()
        if self.half_line:
            when = "when it waited for more input" if self._waits_in_vain else "at the time limit"
            self.give_up(Termination.PROTOCOL, f"{doing}: the line was still incomplete {when}: {self.half_line[:60]!r}")
        self.give_up(termination, message)

    def _end_input(self) -> None:
        """Close the input of a program that is late anyway, and keep what it then writes: many keep their output in a buffer."""
        os.close(self.stdin)
        self.stdin = -1
        poller = select.poll()
        poller.register(self.stdout, select.POLLIN)
        poller.register(self.process.output, select.POLLIN)
        start, queued = time.monotonic(), self._queued_seconds()
        while b"\n" not in self.last_answer and len(self.last_answer) < LAST_ANSWER_BYTES:
            passed = time.monotonic() - start
            if passed > LONGEST_LAST_ANSWER or passed - (self._queued_seconds() - queued) > LAST_ANSWER_SECONDS:
                return
            ready = [descriptor for descriptor, _ in poller.poll(int(1000 * SLICE))]
            if self.process.output in ready:
                self._drain(some=True)
            if self.stdout in ready:
                data = os.read(self.stdout, LAST_ANSWER_BYTES)
                if not data:
                    return
                self.last_answer += data

    # The launcher

    def ask_launcher(self, request: LauncherRequest, timed: bool = False) -> LauncherReply:
        """Ask, and wait for the answer.

        Args:
            request: the question.
            timed: whether the answer depends on the program, so that its clocks are checked.

        Raises:
            CellError: there was none.
        """
        number = self.send(request)
        reply = self.receive(number, None if timed else time.monotonic() + LAUNCHER_SECONDS)
        if reply is None:
            self.give_up(Termination.VOID, "the program's launcher did not answer")
        return reply

    def send(self, request: LauncherRequest) -> int:
        """Ask without waiting for the answer. Returns the number of the question."""
        number = self._number = (self._number + 1) % NUMBERS
        data = memoryview(frame(number, ENCODER.encode(request)))
        try:
            while data:
                data = data[self._write(bytes(data[: 1 << 16])) :]
                if data:
                    self.wait((self.process.questions, select.POLLOUT))
        except BrokenPipeError:
            self.explain_lost_cell()
        return number

    def receive(self, number: int, until: float | None = None) -> LauncherReply | None:
        """The answer to a question; None if it has not come by ``until``."""
        body: bytes | None = None
        try:
            while body is None:
                if not self.wait((self.process.answers, select.POLLIN), until=until):
                    return None
                body = self._inbox.take(self._read(), number)
        except (EOFError, WireError):
            self.explain_lost_cell()
        reply: LauncherReply = REPLIES.decode(body)
        return reply

    def receive_end(self, number: int, seconds: float) -> None:
        """Set ``end`` if the resident program ends within some seconds."""
        reply = self.receive(number, time.monotonic() + seconds)
        if isinstance(reply, ProcessEnd):
            self.end = reply
            self._peak = max(self._peak, reply.peak_bytes)

    def find_denials(self) -> None:
        """Find out what was denied to the program, if it is watched. Its launcher tries again to open what it looked for."""
        if self._denials is None or self.denied:
            return
        noted = self._denials.noted
        lookups = [each for each in noted if isinstance(each, PathLookup)]
        reply: LauncherReply | None = None
        # While the resident program runs, the launcher owes another answer.
        if self.is_held and self._watcher is not None and (not self.is_resident or self.end is not None):
            with contextlib.suppress(CellError):
                reply = self.ask_launcher(Try([(each.path, each.flags) for each in lookups]))
        errors = dict(zip(lookups, reply.errors, strict=True)) if isinstance(reply, Tried) else {}
        self.denied = denied_among(noted, errors)

    # Verdicts

    def explain_lost_cell(self) -> NoReturn:
        """Find out why the launcher is gone."""
        end: Exited | None = None
        with contextlib.suppress(ZygoteLostError):
            end = self._zygote.wait_for_exit(self.process, EXIT_SECONDS)
        if self._excess is not None:
            self.give_up(self._excess[0], f"{self.doing}: {self._excess[1]}")
        if not self._zygote.is_alive:
            self.give_up(Termination.VOID, f"{self.doing}: the zygote is gone")
        if end is not None and end.status < 0 and end.status != -signal.SIGKILL:
            # No machine ends a process in that way, but the program may have sent its launcher such a signal.
            self.give_up(Termination.CRASH, f"{self.doing}: the program's cell was killed by {signal_name(-end.status)}")
        # At level C the program may have killed it, which looks the same from outside.
        self.give_up(Termination.VOID, f"{self.doing}: the program's cell was killed from outside")

    def describe_end(self, end: ProcessEnd) -> tuple[Termination, str]:
        """The verdict on a program that should not have ended."""
        if self._excess is not None:
            return self._excess
        if end.signal:
            return Termination.CRASH, f"the program was killed by {signal_name(end.signal)}"
        return Termination.CRASH, f"the program exited with code {end.exit_code}"


def begin_program_cell(zygote: Zygote, policy: CellPolicy, limits: Limits) -> ProgramCell:
    """Ask a zygote for a program's cell, without waiting for it.

    Raises:
        ZygoteLostError: the zygote is gone.
    """
    denials = DenialWatcher() if policy.watched else None
    read_stdin, stdin = os.pipe2(os.O_CLOEXEC)
    stdout, write_stdout = os.pipe2(os.O_CLOEXEC)
    try:
        for descriptor in (stdin, stdout):
            os.set_blocking(descriptor, False)
        theirs = () if denials is None else (denials.theirs.fileno(),)
        process = zygote.begin_fork(policy, (read_stdin, write_stdout, *theirs))
    except BaseException:
        os.close(stdin)
        os.close(stdout)
        raise
    finally:
        os.close(read_stdin)
        os.close(write_stdout)
        if denials is not None:
            denials.theirs.close()
    if not policy.builds:
        return ProgramCell(zygote, process, limits, (stdin, stdout), denials)
    clock = min(BUILD_CLOCK_SLICE, max(BUILD_SLICE, limits.move_seconds / CLOCK_SHARE))
    return ProgramCell(zygote, process, limits, (stdin, stdout), denials, slice_seconds=BUILD_SLICE, clock_seconds=clock)
