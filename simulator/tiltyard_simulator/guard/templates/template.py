"""One template as its zygote sees it. The zygote believes nothing of what a template says: it looks at what the kernel shows.

A fork goes like this. The template has called clone(2), which the filter leaves to the zygote, so it waits in that call. When a
cell is wanted, the zygote lets the call go on. The new process asks for its pipes, also by a call that waits; the template
calls clone(2) again. Only when both wait does the zygote give the cell its pipes. From here until the cell has ended and left its
folders as they were, the template does not get to run: what happens in a match can't reach it, nor the cells after this one.

Since Linux 5.19, no signal ends such a wait. On an older kernel one may, and the template then runs while its cell plays. The
zygote looks for that and stops it, and the host counts its clock as the cell's.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import socket
import time
from collections.abc import Sequence
from enum import Enum, auto
from typing import Final

from tiltyard_engine.data_classes import dataclass, field
from tiltyard_engine.texts.quantities import in_seconds
from tiltyard_simulator.guard.cells.messages import Fork
from tiltyard_simulator.guard.confinement.kernel.libc import PR_SET_PDEATHSIG
from tiltyard_simulator.guard.confinement.kernel.process_status import (
    PARENT,
    cpu_clock,
    cpu_seconds,
    shares_memory,
    stat_fields,
)
from tiltyard_simulator.guard.confinement.kernel.seccomp_notify import (
    SeccompNotice,
    check_waiting,
    deny,
    give_descriptor,
    let_go_on,
    receive_notice,
)
from tiltyard_simulator.guard.templates.folder_state import Entry, Identity, UnseenError, entries_in, identity_of
from tiltyard_simulator.guard.templates.forking import FORK_FLAGS
from tiltyard_simulator.guard.templates.template_main import PRIVATE_NUMBERS

MOST_OUTPUT: Final = 60_000
"""A team that prints more when it is imported gets cells of its own. Each cell's output begins with it; it fits into a pipe."""
FORKING_SECONDS: Final = 5.0
"""How long a fork may take. It needs some milliseconds; only a template that does something else is ever late."""
MOST_CPU_BETWEEN: Final = 0.15
CPU_A_FORK: Final = 0.03
"""What a template may compute between its forks, in all and for each of them. Its cells are charged for it, but what it computes
for one match would be there in all later ones. The kernel's own work for a fork counts too: some 10 ms for a gigabyte."""
MOST_CELLS: Final = 500
"""A template is replaced after so many."""
_COARSE_CLOCK: Final = 5
"""CLOCK_REALTIME_COARSE, which files' times come from. It ticks every 1 to 10 ms."""
FILE_CLOCK_SECONDS: Final = 2 * time.clock_getres(_COARSE_CLOCK)
"""Two changes that are this far apart have two times."""
_CLOCK_TICK: Final = 0.01
_CLONE_STACK: Final = 1
_LOWER_HALF: Final = 0xFFFFFFFF


class State(Enum):
    """What a template is doing."""

    STARTING = auto()
    """It is being confined."""
    LOADING = auto()
    """It imports the team."""
    WAITING = auto()
    """It can fork."""
    FORKING = auto()
    PLAYING = auto()
    """Its cell is alive. The template waits."""
    GONE = auto()


class UnfitError(Exception):
    """No cell can be forked from this template. The message says why, for people."""


@dataclass(slots=True)
class Order:
    """A cell that the host wants, and its ends of the cell's pipes."""

    request: Fork
    descriptors: Sequence[int]

    def close(self) -> None:
        """Close the pipes, once the cell has them."""
        for descriptor in self.descriptors:
            os.close(descriptor)


@dataclass(slots=True)
class Template:
    """A template's process and all that belongs to it."""

    process: int
    handle: int
    """A pidfd of it: once it was reaped, its number may be another process's."""
    channel: socket.socket
    """It sends its listener and its folders through this."""
    output: int
    """What it prints while it imports the team; a pipe that doesn't block."""
    limit_seconds: float
    """CPU time for the import."""
    order: Order | None
    """The cell that will be forked next."""
    scratch: str
    """Its scratch folder, whose contents only its own namespace shows at level A."""
    state: State = State.STARTING
    deadline: float = float("inf")
    listener: int = -1
    cell: int = 0
    """Its cell's process, while it plays."""
    forked: int = 0
    import_seconds: float = 0.0
    """CPU time that each of its cells saved, and is charged."""
    fork_seconds: float = 0.0
    """CPU time since the last cell was forked, which the next one is charged."""
    cpu_before: float = 0.0
    """What its clock showed when it last began to wait."""
    import_output: bytes = b""
    last_used: float = field(default_factory=time.monotonic)
    _folders: tuple[int, ...] = ()
    _untouched: list[tuple[Identity, tuple[Entry, ...]]] = field(default_factory=list)
    """The folders and what the import left in them, before the first cell."""
    _between: float = 0.0
    """CPU time since the import."""
    _clone: SeccompNotice | None = None
    """Its call that waits."""
    _arrival: SeccompNotice | None = None
    """A new cell's call that waits."""
    _shows_changes: float = 0.0
    """When, on the monotonic clock, a change in the folders begins to show in their times."""

    @property
    def is_at_rest(self) -> bool:
        """Whether it waits, with a cell or without one, and nothing is due."""
        return self.order is None and self.deadline == float("inf")

    # What comes from it

    def meet(self) -> None:
        """Take its listener and folders. Raises UnfitError if it could not be confined."""
        data, received, _, _ = socket.recv_fds(self.channel, 1, 3)
        if not data or len(received) < 2:
            for descriptor in received:
                os.close(descriptor)
            raise UnfitError("it could not be confined")
        self.listener, *folders = received
        self._folders = tuple(folders)
        self.cpu_before = cpu_seconds(cpu_clock(self.process)) or 0.0
        self.state = State.LOADING
        # It waits for this, because what it computes from here on is measured.
        self.channel.send(b"+")
        self.channel.close()

    def hear_output(self) -> bool:
        """Keep what it prints. Returns whether more may come. Raises UnfitError for too much."""
        try:
            while data := os.read(self.output, MOST_OUTPUT):
                self.import_output += data
                if len(self.import_output) > MOST_OUTPUT:
                    raise UnfitError(f"it prints more than {MOST_OUTPUT:,} bytes while it is imported")
        except BlockingIOError:
            return True
        return False

    def answer_notice(self) -> bool:
        """Answer a call of the template or its cell, or keep it waiting. Returns whether the ordered cell is ready for its pipes.

        Raises:
            UnfitError: it can't go on.
        """
        try:
            notice = receive_notice(self.listener)
        except (FileNotFoundError, InterruptedError):
            return False
        if notice.thread == self.process and self.state in (State.WAITING, State.PLAYING):
            # A signal ended its wait, such as that of a timer, and it ran.
            raise UnfitError("it doesn't wait for the next match")
        with contextlib.suppress(FileNotFoundError):
            if notice.name == "clone" and self._is_fork(notice):
                self._clone = notice
                if self.state is State.LOADING:
                    self._check_loaded()
                self._check_waiting()
            elif notice.name == "prctl" and self._is_arrival(notice):
                self._arrival = notice
            elif self._may_go_on(notice):
                let_go_on(self.listener, notice)
            else:
                deny(self.listener, notice)
        return self.state is State.FORKING and self._clone is not None and self._arrival is not None

    def _is_fork(self, notice: SeccompNotice) -> bool:
        flags, stack = notice.arguments[0], notice.arguments[_CLONE_STACK]
        return notice.thread == self.process and (flags, stack) == (FORK_FLAGS, 0) and self.state in (State.LOADING, State.FORKING)

    def _is_arrival(self, notice: SeccompNotice) -> bool:
        """Whether a new child asks for its pipes."""
        if self.state is not State.FORKING or self._arrival is not None or notice.thread == self.process:
            return False
        option, number, *pipes = notice.arguments[:4]
        is_question = (option, number) == (PR_SET_PDEATHSIG, signal.SIGKILL)
        return is_question and pipes[0] != pipes[1] and all(each in PRIVATE_NUMBERS for each in pipes)

    def _may_go_on(self, notice: SeccompNotice) -> bool:
        """What is harmless if a process does it to itself, or a cell that has nothing but a match."""
        first, second, third = notice.arguments[:3]
        if notice.name == "mmap":
            return notice.thread != self.process
        if notice.name == "prlimit64":
            # The kernel looks at the lower half alone.
            return first == notice.thread and (second & _LOWER_HALF != resource.RLIMIT_CPU or third == 0)
        if notice.name == "tgkill":
            return first == second == notice.thread
        return notice.name in ("kill", "tkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo") and first == notice.thread

    # Checks

    def seconds_to_load(self) -> float:
        """How long its import may still compute; infinite if it doesn't import. Raises UnfitError if that is over."""
        if self.state is not State.LOADING:
            return float("inf")
        cpu = (cpu_seconds(cpu_clock(self.process)) or 0.0) - self.cpu_before
        if cpu > self.limit_seconds:
            raise UnfitError(f"its import used more than {in_seconds(self.limit_seconds)}")
        return self.limit_seconds - cpu + _CLOCK_TICK

    def _check_loaded(self) -> None:
        """When it first wants to fork: what it cost, and whether its folders are empty."""
        self.hear_output()
        self.import_seconds = (cpu_seconds(cpu_clock(self.process)) or 0.0) - self.cpu_before
        if self.import_seconds > self.limit_seconds:
            raise UnfitError(f"its import used {self.import_seconds:.2f} s")
        self._look(touch=True)
        self._untouched = self._look()
        self._shows_changes = time.monotonic() + FILE_CLOCK_SECONDS
        self.cpu_before += self.import_seconds
        self.state = State.WAITING
        self.deadline = float("inf")

    def _check_waiting(self) -> None:
        """While it waits in its call, as whenever a cell is forked: nothing is open, no memory shared, and it has not computed."""
        try:
            open_files = os.listdir(f"/proc/{self.process}/fd")  # noqa: PTH208 -- names alone
            is_shared = shares_memory(self.process)
        except OSError as error:
            raise UnfitError(f"what it keeps open can't be seen: {error.strerror}") from error
        if open_files:
            raise UnfitError("it keeps files open")
        if is_shared:
            raise UnfitError("it shares memory")
        self.fork_seconds = (cpu_seconds(cpu_clock(self.process)) or 0.0) - self.cpu_before
        self.cpu_before += self.fork_seconds
        self._between += self.fork_seconds
        if self._between > MOST_CPU_BETWEEN + CPU_A_FORK * (self.forked + 1):
            raise UnfitError("it computes between two matches")

    def check_rest(self) -> None:
        """Raises UnfitError if it has left the call in which it waits, for the next match or while its cell plays."""
        if self._clone is None or self.state not in (State.WAITING, State.PLAYING):
            return
        try:
            check_waiting(self.listener, self._clone)
        except FileNotFoundError as error:
            raise UnfitError("it doesn't wait for the next match") from error

    @property
    def is_untouched(self) -> bool:
        """Whether its folders are as before the first cell, with all that the import left in them and all times."""
        if [identity_of(os.fstat(folder)) for folder in self._folders] != [folder for folder, _ in self._untouched]:
            return False
        return not any(files for _, files in self._untouched) or self._look() == self._untouched

    def _look(self, *, touch: bool = False) -> list[tuple[Identity, tuple[Entry, ...]]]:
        """Its folders as they are, see ``entries_in``. Raises UnfitError if that can't be compared later."""
        try:
            return [(identity_of(os.fstat(folder)), entries_in(folder, touch=touch)) for folder in self._folders]
        except UnseenError as error:
            raise UnfitError(str(error)) from error

    # Forking

    @property
    def seconds_to_fork(self) -> float:
        """How long the ordered cell has to wait, so that what it leaves in a folder will show. Infinite if none is ordered."""
        if self.state is not State.WAITING or self.order is None:
            return float("inf")
        return max(0.0, self._shows_changes - time.monotonic())

    def begin_fork(self) -> None:
        """Let it fork the ordered cell. It must be waiting."""
        if self._clone is None or self.state is not State.WAITING:
            raise UnfitError("it isn't waiting")
        self.state = State.FORKING
        self.deadline = time.monotonic() + FORKING_SECONDS
        self.last_used = time.monotonic()
        clone, self._clone = self._clone, None
        try:
            let_go_on(self.listener, clone)
        except OSError as error:
            raise UnfitError("it has ended") from error

    def finish_fork(self) -> tuple[Order, int]:
        """Give the new cell its pipes, and let it go. Returns what was ordered, and a pidfd of the cell for the caller to close.

        Raises:
            UnfitError: the new process is not what it must be.
        """
        order, arrival = self.order, self._arrival
        if order is None or arrival is None:
            raise UnfitError("no cell was ordered")
        process = arrival.thread
        # Of this process, not of a later one with its number: it still waits when it is given its pipes.
        handle = os.pidfd_open(process)
        try:
            self._let_cell_go(order, arrival)
        except BaseException:
            os.close(handle)
            raise
        self._arrival = None
        self.order = None
        self.cell = process
        self.forked += 1
        self.state = State.PLAYING
        self.deadline = float("inf")
        return order, handle

    def _let_cell_go(self, order: Order, arrival: SeccompNotice) -> None:
        process = arrival.thread
        if stat_fields(process)[PARENT : PARENT + 1] != [b"%d" % os.getppid()]:
            raise UnfitError("its cell is not the zygote's child")
        questions, answers, output = order.descriptors[:3]
        *_, questions_number, answers_number = arrival.arguments[:4]
        # Each of them takes two switches between processes: the cell makes the other standard streams itself.
        descriptors = ((output, 1), (questions, questions_number), (answers, answers_number))
        try:
            # At level A, the template's cell could otherwise have one of its own. The filter denies it in any case.
            with contextlib.suppress(PermissionError):
                resource.prlimit(process, resource.RLIMIT_NPROC, (1, 1))
            for descriptor, number in descriptors:
                give_descriptor(self.listener, arrival, descriptor, number)
            if self.import_output:
                os.write(output, self.import_output)
            let_go_on(self.listener, arrival)
        except FileNotFoundError as error:
            raise UnfitError("its cell has ended before it was asked anything") from error

    def can_fork_again(self) -> bool:
        """Its cell has ended. Whether it may fork another one; else it must go. Raises UnfitError if it ran meanwhile."""
        self.cell = 0
        if self.state is not State.PLAYING:
            return False
        self.state = State.WAITING
        self.check_rest()
        return self.is_untouched and self.forked < MOST_CELLS

    # Its end

    def stop(self) -> None:
        """It runs no more, but its clock can still be read. Its cell goes on to play."""
        self.state = State.GONE
        self._signal(signal.SIGSTOP)

    def kill(self) -> None:
        """Kill it, and a cell that has no pipes yet."""
        self.state = State.GONE
        self._signal(signal.SIGKILL)
        if self._arrival is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._arrival.thread, signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.handle, number)

    def close(self) -> None:
        """Close its descriptors, once neither it nor its cell needs an answer."""
        self.channel.close()
        for descriptor in (self.handle, self.output, self.listener, *self._folders):
            if descriptor >= 0:
                os.close(descriptor)
        self.handle = self.output = self.listener = -1
        self._folders = ()
