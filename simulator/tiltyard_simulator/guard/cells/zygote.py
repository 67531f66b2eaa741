"""The zygote as a match worker sees it: a process that forks cells. When it ends, all its cells end."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Final

from tiltyard_engine.data_classes import dataclass
from tiltyard_simulator.guard.cells.messages import (
    ENCODER,
    LARGEST,
    REPORTS,
    Code,
    Exited,
    Fork,
    Forked,
    Setup,
    Started,
    loading_seconds,
)
from tiltyard_simulator.guard.cells.team_venv import FLAGS, TeamEnvironment, interpreter
from tiltyard_simulator.guard.cells.wire import ZygoteLostError
from tiltyard_simulator.guard.confinement.bubblewrap import zygote_command
from tiltyard_simulator.guard.confinement.kernel.process_status import read_small_file
from tiltyard_simulator.guard.policy import CLEAN, CellPolicy, Confinement

START_SECONDS: Final = 30.0
WAIT_SECONDS: Final = 1.0
FORK_SECONDS: Final = 30.0
"""Longer than a template may take to load its team and to fork."""
CLOSE_SECONDS: Final = 1.0
OUTPUT_PIPE_BYTES: Final = 1 << 18
PRELOADED: Final = (
    *("collections", "copy", "dataclasses", "enum", "functools", "heapq", "itertools", "json", "math", "random", "re", "typing"),
    *("linecache", "traceback", "tiltyard_engine", "msgspec"),
)
"""What teams often import."""
BOOT: Final = (
    # What is imported is no garbage: looking for some meanwhile would take a tenth of the start. ``main`` switches it on again.
    "import gc, json, sys; gc.disable(); own = sys.path[:]; sys.path[:] = json.loads(sys.argv[2]); "
    "from tiltyard_simulator.guard.zygote_main import main; main(int(sys.argv[1]), own)"
)


@dataclass(slots=True)
class CellProcess:
    """A cell's process and the host's ends of its pipes."""

    number: int
    questions: int
    answers: int
    output: int
    pidfd: int = -1
    pid: int = 0
    """In this process's own namespace."""
    import_seconds: float = 0.0
    """CPU time of the import that its template did for it."""
    template: int = 0
    """Its template's process, in this process's own namespace."""
    template_began: float = 0.0
    """What the template's clock showed when the cell was forked."""
    unfit: str = ""
    """Why it doesn't come from a template, if it could have."""
    exit: Exited | None = None
    loading_seconds: float = 0.0
    """How long the zygote may wait for a template that loads its code, in wall time."""

    def kill(self) -> None:
        """Kill the process and its group."""
        if self.exit is None and self.pid > 0:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)

    def close(self) -> None:
        """Close all descriptors of the cell's process."""
        for descriptor in (self.questions, self.answers, self.output, self.pidfd):
            if descriptor >= 0:
                os.close(descriptor)
        self.questions = self.answers = self.output = self.pidfd = -1
        self.pid = 0


class Zygote:
    """One zygote process.

    Raises:
        ZygoteLostError: it cannot be started. Raised by any method when the zygote is gone.
    """

    def __init__(
        self,
        confinement: Confinement,
        readable: Sequence[str] = (),
        scratch_root: str = "/tmp",  # noqa: S108 -- a folder below it is made for each cell, with a name by chance
        preload: Sequence[str] = PRELOADED,
        libraries: Sequence[str] = (),
        *,
        environment: TeamEnvironment | None = None,
    ) -> None:
        self.confinement = confinement
        self._cells: dict[int, CellProcess] = {}
        """All cells that have not been reaped yet."""
        self._last_number = 0
        self._complaints: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 -- closed with the zygote
        self._channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._poller = select.poll()
        self._poller.register(self._channel, select.POLLIN)
        try:
            with theirs:
                self._process = self._spawn(theirs.fileno(), readable, scratch_root, environment)
        except BaseException:
            # Also Ctrl-C, after which a notebook's process lives on. Without a channel, what was started ends by itself.
            self._channel.close()
            self._complaints.close()
            raise
        try:
            self._send(ENCODER.encode(Setup(Confinement(confinement.level, (), ()), tuple(preload), tuple(libraries), environment)))
            report = self._report(START_SECONDS)
        except BaseException:
            self.close()
            raise
        if not isinstance(report, Started):
            self.close()
            raise ZygoteLostError("the zygote did not start in time")

    def _spawn(
        self, descriptor: int, readable: Sequence[str], scratch_root: str, environment: TeamEnvironment | None
    ) -> subprocess.Popen[bytes]:
        # Only absolute folders: the zygote has another working folder.
        path = [folder for folder in sys.path if Path(folder).is_absolute()]
        python = [sys.executable, "-P", "-s"] if environment is None else [interpreter(), *FLAGS]
        command = [*python, "-c", BOOT, str(descriptor), json.dumps(path)]
        try:
            return subprocess.Popen(
                zygote_command(self.confinement, command, list(readable), scratch_root),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._complaints,
                pass_fds=(descriptor,),
                env=dict(CLEAN),
                cwd="/",
                start_new_session=True,
            )
        except OSError as error:
            raise ZygoteLostError(f"cannot start the zygote: {error}") from error

    @property
    def pid(self) -> int:
        """The process that was started: the zygote, or bubblewrap around it."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether it can still fork cells."""
        if self._channel.fileno() < 0 or self._process.poll() is not None:
            return False
        try:
            while self._report(0.0) is not None:
                pass
        except ZygoteLostError:
            return False
        return True

    def begin_fork(
        self,
        policy: CellPolicy,
        streams: Sequence[int] = (),
        code: Sequence[Code] = (),
        *,
        version: str = "",
        modules: Sequence[str] = (),
        spare: bool = False,
    ) -> CellProcess:
        """Ask for a cell without waiting for it; see ``finish_fork``.

        Args:
            policy: what it may touch.
            streams: a program's standard input and output.
            code: what it will load, of that version: it may come from a template that has done so.
            version: see ``code``.
            modules: what a template imports before the code.
            spare: whether no match waits for it yet.
        """
        self._last_number += 1
        with contextlib.ExitStack() as theirs:
            pipes = [os.pipe2(os.O_CLOEXEC) for _ in range(3)]
            (questions, ask), (answers, answer), (output, write) = pipes
            for descriptor in (questions, answer, write):
                theirs.callback(os.close, descriptor)
            for descriptor in (ask, answers, output):
                os.set_blocking(descriptor, False)
            with contextlib.suppress(OSError):
                fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, OUTPUT_PIPE_BYTES)
            process = CellProcess(self._last_number, ask, answers, output)
            process.loading_seconds = loading_seconds(policy.limits.startup_seconds) if code else 0.0
            try:
                self._send(
                    ENCODER.encode(Fork(process.number, policy, tuple(code), version, tuple(modules), spare)),
                    (questions, answer, write, *streams),
                )
            except BaseException:
                process.close()
                raise
        self._cells[process.number] = process
        return process

    def finish_fork(self, process: CellProcess, waits: Callable[[float], None] = lambda seconds: None) -> None:
        """Wait until the cell's process has been forked. It may not be confined yet.

        ``waits`` is called now and then, with the seconds until then.
        """
        start = time.monotonic()
        until = start + FORK_SECONDS + process.loading_seconds
        while process.pidfd < 0:
            now = time.monotonic()
            if self._report(min(until - now, WAIT_SECONDS)) is None:
                if now >= until:
                    raise ZygoteLostError("the zygote did not fork a cell in time")
                waits(now - start)

    def wait_for_exit(self, process: CellProcess, seconds: float) -> Exited | None:
        """How the cell's process ended; None if it still runs after ``seconds``."""
        until = time.monotonic() + seconds
        while process.exit is None:
            if self._report(max(0.0, until - time.monotonic())) is None and time.monotonic() >= until:
                break
        return process.exit

    def kill(self) -> None:
        """Kill the zygote, and with it its cells, whatever another thread does with it. It must still be closed."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def close(self) -> None:
        """Kill the zygote and all its cells. Whoever holds a cell still has to close its descriptors."""
        for process in self._cells.values():
            process.kill()
        self._cells.clear()
        self._channel.close()
        # Without its worker it ends by itself. Then bubblewrap can clean up and leaves no zombie to other processes.
        try:
            self._process.wait(CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            self._process.wait()
        self._complaints.close()

    def _send(self, data: bytes, descriptors: Sequence[int] = ()) -> None:
        try:
            if descriptors:
                socket.send_fds(self._channel, [data], list(descriptors))
            else:
                self._channel.send(data)
        except OSError as error:
            raise self._lost() from error

    def _report(self, seconds: float) -> Started | Forked | Exited | None:
        """Read and apply the next report; None if none came."""
        try:
            # Most of the time there is nothing, which an exception would be too long for. Of a closed channel, the next line tells.
            if self._channel.fileno() >= 0 and not self._poller.poll(1000 * max(seconds, 0.0)):
                return None
            data, descriptors, _, _ = socket.recv_fds(self._channel, LARGEST, 2)
        except OSError as error:
            raise self._lost() from error
        if not data:
            raise self._lost()
        report: Started | Forked | Exited = REPORTS.decode(data)
        if isinstance(report, Forked):
            self._welcome(self._cells.get(report.cell), descriptors, report)
        elif isinstance(report, Exited):
            process = self._cells.pop(report.cell, None)
            if process is not None:
                process.exit = report
        return report

    def _welcome(self, process: CellProcess | None, descriptors: list[int], report: Forked) -> None:
        if process is None or process.questions < 0:
            for descriptor in descriptors:
                os.close(descriptor)
            return
        process.pidfd, *of_template = descriptors
        for pidfd in of_template:
            process.template = _pid_of(pidfd)
            os.close(pidfd)
        process.import_seconds, process.unfit = report.import_seconds, report.unfit
        process.template_began = report.template_began
        os.set_inheritable(process.pidfd, False)
        process.pid = _pid_of(process.pidfd)

    def _lost(self) -> ZygoteLostError:
        for process in self._cells.values():
            process.kill()
        self._process.poll()
        complaint = ""
        if not self._complaints.closed:
            size = self._complaints.seek(0, os.SEEK_END)
            self._complaints.seek(max(0, size - 2000))
            complaint = self._complaints.read().decode("utf-8", "replace").strip()
        return ZygoteLostError(f"the zygote is gone{': ' + complaint if complaint else ''}")


def _pid_of(pidfd: int) -> int:
    """The process's number in this process's own namespace; -1 once it has been reaped."""
    for line in read_small_file(f"/proc/self/fdinfo/{pidfd}").splitlines():
        key, _, value = line.partition(b":")
        if key == b"Pid":
            return int(value)
    return -1
