"""A program's cell as its host sees it: the launcher to ask, the program's streams, clocks over all its processes, verdicts."""

from __future__ import annotations

import contextlib
import os
import select
import time
from collections.abc import Sequence
from typing import Final, NoReturn

from tiltyard_engine.programs import signal_name
from tiltyard_engine.results import Termination
from tiltyard_simulator.guard.confinement import CellPolicy, Level
from tiltyard_simulator.guard.confinement.rlimits import KEEPERS
from tiltyard_simulator.guard.cpu_clock import queued_seconds
from tiltyard_simulator.guard.held_cell import (
    EXIT_SECONDS,
    PATIENCE_MILLISECONDS,
    SLICE,
    SLICE_MILLISECONDS,
    STANDSTILL_SECONDS,
    CellError,
    HeldCell,
)
from tiltyard_simulator.guard.limits import Limits
from tiltyard_simulator.guard.programs.messages import ENCODER, REPLIES, Ended, LauncherReply, LauncherRequest
from tiltyard_simulator.guard.programs.task_group import TaskGroup
from tiltyard_simulator.guard.programs.watching import CpuMeter, Watcher, children_of, descendants_of, kill_tree, waited_for
from tiltyard_simulator.guard.wire import NUMBERS, Inbox, WireError, frame
from tiltyard_simulator.guard.zygote import CellProcess, Zygote, ZygoteLostError

LARGEST_REPLY: Final = 1 << 31
"""The launcher is the host's own code and keeps to the limits itself."""
UNASKED_SECONDS: Final = 5.0
UNASKED_SECONDS_A_TURN: Final = 0.001
"""CPU time that may be used between turns. It is generous, for the runtimes of some languages compile and tidy up on their own."""
LAUNCHER_SECONDS: Final = 10.0
"""Wall time in which the launcher answers what does not depend on the program."""


class ProgramCell(HeldCell):
    """The cell of one program in one match.

    All waiting is done by ``wait``, in slices, after each of which the clocks are looked at. What the program does is charged by
    a CellError; from the first one on the cell is dead.
    """

    def __init__(self, zygote: Zygote, process: CellProcess, limits: Limits, streams: Sequence[int]) -> None:
        super().__init__(zygote, process, limits)
        self._inbox = Inbox(LARGEST_REPLY)
        self.stdin, self.stdout = streams
        """The host's ends of the program's standard streams; -1 once closed."""
        self.ended: Ended | None = None
        """How the resident program has ended."""
        self._watcher: Watcher | None = None
        self._group: TaskGroup | None = None
        self._excess: tuple[Termination, str] | None = None
        """The watcher's verdict."""
        self._launcher = 0
        self._meter = CpuMeter(0)
        self.is_resident = False
        """Whether the resident program has been started."""
        self.half_line = b""
        """What has arrived of a line that is waited for."""
        self._is_turn = False
        self._seconds = 0.0
        self._doing = "starting"
        self._begun = 0.0
        self._begun_cpu: float | None = None
        """The meter when the turn began; None: to be looked up when it is first needed."""
        self._ended_cpu = 0.0
        """The meter when the last turn ended."""
        self._last_end = 0.0
        self._waited = 0.0
        self._queued: float | None = None
        self._calls_cpu = 0.0
        """CPU seconds of the turn's calls as the launcher measured them."""
        self._unasked_cpu = 0.0
        self._unasked_allowed = UNASKED_SECONDS
        self._peak = 0

    @property
    def peak_bytes(self) -> int:
        """The most memory that all processes held at once, as far as it was seen, or one of them alone."""
        seen = self._watcher.peak_bytes if self._watcher is not None else 0
        return max(seen, self._peak)

    @property
    def launcher(self) -> int:
        """The launcher's process; all below it is the program's. 0 before it is ready."""
        return self._launcher

    @property
    def launcher_kills(self) -> bool:
        """Whether the launcher can kill all that a call leaves behind."""
        return self._zygote.confinement.level is Level.A

    @property
    def doing(self) -> str:
        """What the program is said to fail in."""
        return self._doing

    def note_call(self, ended: Ended) -> None:
        """A process of a call has ended, and the launcher measured it."""
        self._calls_cpu += ended.cpu_seconds
        self._peak = max(self._peak, ended.peak_bytes)

    def wait_until_ready(self) -> None:
        """Until the launcher is confined and can be asked.

        Raises:
            CellError: it never was; the machine's fault.
        """
        if self._watcher is not None or not self.is_held:
            return
        super().wait_until_ready()
        self._launcher = self.process.pid
        if self._zygote.confinement.level is Level.A:
            # The process that was forked waits for the first one of its own process namespace.
            inner = children_of(self.process.pid)
            if len(inner) != 1:
                self._explain_end("confining the cell", died_before_play=True)
            (self._launcher,) = inner
        self._group = TaskGroup.make(self._limits.program_processes + KEEPERS)
        if self._group is not None:
            self._group.add({self.process.pid, self._launcher})
        self._meter = CpuMeter(self._launcher)
        self._watcher = Watcher(self._launcher, self._limits, self._put_an_end)

    def _put_an_end(self, termination: Termination, message: str) -> None:
        """In the watcher's thread: the waiting one finds that the process has ended."""
        self._excess = (termination, message)
        self.process.kill()

    def retire(self) -> None:
        """Kill all of it, keep what it printed, give everything back."""
        if not self.is_held:
            return
        if self._watcher is not None:
            self._watcher.stop()
        if self.process.pid > 0 and self._zygote.confinement.level is not Level.A:
            # Whoever left the process group is still below the launcher.
            kill_tree(self._launcher or self.process.pid)
        super().retire()
        if self._group is not None:
            self._group.close()
        for descriptor in (self.stdin, self.stdout):
            if descriptor >= 0:
                os.close(descriptor)
        self.stdin = self.stdout = -1

    # Turns

    def begin(self, seconds: float, doing: str) -> None:
        """The clocks of a turn begin to run; the last turn's are stopped.

        Raises:
            CellError: too much CPU time was used since the last turn.
        """
        if self._is_turn:
            self.finish()
        now = time.monotonic()
        self._seconds, self._doing = seconds, doing
        self._begun, self._begun_cpu = now, None
        self._waited, self._queued, self._calls_cpu = 0.0, None, 0.0
        self._is_turn = True
        if self.is_resident and self.is_held:
            self._begun_cpu = self._meter.glance() if now - self._last_end < SLICE else self._meter.look()
            self._unasked_cpu += self._begun_cpu - self._ended_cpu
            self._unasked_allowed += UNASKED_SECONDS_A_TURN
            if self._unasked_cpu > self._unasked_allowed:
                self.give_up(Termination.TIMEOUT, f"burnt CPU while it was not asked: {self._unasked_cpu:.2f} s")

    def finish(self) -> None:
        """A turn has ended. What it used is added to the match's; a turn that turns out to have used too much fails.

        Raises:
            CellError: it used too much CPU time.
        """
        if not self._is_turn:
            return
        self._is_turn = False
        used = self._calls_cpu
        if self.is_resident and self.is_held:
            self._ended_cpu = self._meter.look() if self._waited or self._begun_cpu is None else self._meter.glance()
            used += self._ended_cpu - (self._begun_cpu or 0.0)
        self._last_end = time.monotonic()
        elapsed = self._last_end - self._begun
        standstill = elapsed - self._waited - 2 * SLICE
        if self._waited and standstill >= STANDSTILL_SECONDS:
            self.standstill_seconds += standstill
            elapsed -= standstill
        self.cpu_seconds += used
        self.wall_seconds += elapsed
        if self.measure:
            self.calls.append((self._doing, used, self._seconds))
        if self.is_held:
            self._judge_turn(used, 0.0, self.cpu_seconds)

    def _queued_seconds(self) -> float:
        """How long the program's living processes were ready to run but had no core."""
        return sum(queued_seconds(process) for process in descendants_of(self._launcher))

    # Waiting

    def wait(self, *descriptors: tuple[int, int], until: float | None = None) -> list[int]:
        """Those of ``descriptors``, given with their poll events, that are ready; what the program prints is drained meanwhile.

        Empty once ``until`` is over.

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
            begun = time.monotonic()
            ready = [descriptor for descriptor, _ in poller.poll(SLICE_MILLISECONDS)]
            self._waited += min(time.monotonic() - begun, 2 * SLICE)
            if self.process.output in ready:
                self._drain(some=True)
            wanted = [descriptor for descriptor in ready if descriptor not in (self.process.pidfd, self.process.output)]
            if wanted:
                return wanted
            if self.process.pidfd in ready:
                self.explain_lost_cell()
            if self._is_turn:
                self._check_clocks()
        return []

    def _check_clocks(self) -> None:
        if self._begun_cpu is None:
            # What lives now was started in this turn.
            self._begun_cpu = waited_for(self._launcher)
        if self._queued is None:
            self._queued = self._queued_seconds()
        used = self._meter.look() - self._begun_cpu
        self._judge_turn(used, self._waited, self.cpu_seconds + used)

    def _judge_turn(self, used: float, waited: float, total: float) -> None:
        limits, doing, seconds = self._limits, self._doing, self._seconds
        if used > seconds:
            self._run_out(Termination.TIMEOUT, f"{doing} used {used:.2f} s of CPU time, the limit is {seconds:g} s")
        if total > limits.match_seconds:
            what = f"{doing}: the team used {total:.2f} s of CPU time in this match, the limit is {limits.match_seconds:g} s"
            self._run_out(Termination.TIMEOUT, what)
        patience = min(seconds * limits.wall_factor, limits.match_seconds * limits.wall_factor - self.wall_seconds)
        if waited > patience and waited - (self._queued_seconds() - (self._queued or 0.0)) > patience:
            what = f"{doing} did not answer within {waited:.2f} s, of which it used {used:.2f} s of CPU time"
            self._run_out(Termination.STALL, what)

    def _run_out(self, termination: Termination, message: str) -> NoReturn:
        """A clock has run out."""
        if self.half_line:
            self.give_up(Termination.PROTOCOL, f"{self._doing}: half a line, and nothing more in time: {self.half_line[:60]!r}")
        self.give_up(termination, message)

    # The launcher

    def ask_launcher(self, request: LauncherRequest, timed: bool = False) -> LauncherReply:
        """Ask, and wait for the answer.

        Args:
            request: the question.
            timed: whether the answer depends on the program, whose clocks are then looked at.

        Raises:
            CellError: there was none.
        """
        number = self.send(request)
        reply = self.receive(number, None if timed else time.monotonic() + LAUNCHER_SECONDS)
        if reply is None:
            self.give_up(Termination.VOID, "the program's launcher does not answer")
        return reply

    def send(self, request: LauncherRequest) -> int:
        """Ask without waiting for the answer; the number of the question."""
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
        """Whether the resident program has ended by now, or does within some seconds: ``ended`` says how."""
        reply = self.receive(number, time.monotonic() + seconds)
        if isinstance(reply, Ended):
            self.ended = reply
            self._peak = max(self._peak, reply.peak_bytes)

    def keep(self, question: bytes, answer: bytes) -> None:
        """Keep what travelled, in case the program fails."""
        self._keep(question, answer)

    def keep_output(self, printed: bytes) -> None:
        """Keep what a call printed, up to the limit."""
        self._keep_printed(printed)

    # Verdicts

    def give_up(self, termination: Termination, message: str) -> NoReturn:
        """Kill it, and say why."""
        self.retire()
        raise CellError(termination, message)

    def explain_lost_cell(self) -> NoReturn:
        """The launcher is gone."""
        with contextlib.suppress(ZygoteLostError):
            self._zygote.wait_for_exit(self.process, EXIT_SECONDS)
        if self._excess is not None:
            self.give_up(self._excess[0], f"{self._doing}: {self._excess[1]}")
        if not self._zygote.is_alive:
            self.give_up(Termination.VOID, f"{self._doing}: the zygote is gone")
        # The program may have done it itself below level A; from outside it looks the same.
        self.give_up(Termination.VOID, f"{self._doing}: the program's cell was killed from outside")

    def describe_end(self, ended: Ended) -> tuple[Termination, str]:
        """The verdict on a program that should not have ended."""
        if self._excess is not None:
            return self._excess
        if ended.signal:
            return Termination.CRASH, f"the program was killed by {signal_name(ended.signal)}"
        return Termination.CRASH, f"the program exited with code {ended.exit_code}"


def begin_program_cell(zygote: Zygote, policy: CellPolicy, limits: Limits) -> ProgramCell:
    """Ask a zygote for a program's cell, without waiting for it.

    Raises:
        ZygoteLostError: the zygote is gone.
    """
    read_stdin, stdin = os.pipe2(os.O_CLOEXEC)
    stdout, write_stdout = os.pipe2(os.O_CLOEXEC)
    try:
        for descriptor in (stdin, stdout):
            os.set_blocking(descriptor, False)
        process = zygote.begin_fork(policy, (read_stdin, write_stdout))
    except BaseException:
        os.close(stdin)
        os.close(stdout)
        raise
    finally:
        os.close(read_stdin)
        os.close(write_stdout)
    return ProgramCell(zygote, process, limits, (stdin, stdout))
