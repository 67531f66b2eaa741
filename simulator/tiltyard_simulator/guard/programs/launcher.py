"""What runs in a program's cell: it starts the team's command, waits for it, and kills what it leaves behind.

The launcher is confined like the program itself, but its code is the host's own, and it cannot be traced. At level A it is the
first process of the cell's process namespace: all orphans become its children, and all can be killed at once. A resident program
talks to the host directly, not through the launcher.
"""

from __future__ import annotations

import contextlib
import os
import resource
import select
import signal
import time
import traceback
from collections.abc import Sequence
from typing import Final, NoReturn

from tiltyard_simulator.guard.cells.messages import ENCODER, EXIT_DISCONNECTED, Done
from tiltyard_simulator.guard.cells.wire import CHUNK, read_frame, write_frame
from tiltyard_simulator.guard.confinement.denials import try_lookups
from tiltyard_simulator.guard.confinement.kernel.privileges import adopt_orphans
from tiltyard_simulator.guard.confinement.kernel.proc_mount import ProcMountLayer
from tiltyard_simulator.guard.programs.messages import (
    REQUESTS,
    AwaitEnd,
    LauncherReply,
    LauncherRequest,
    ListFiles,
    ProcessEnd,
    Ran,
    Refused,
    RunCall,
    StartResident,
    TakeFiles,
    Tried,
    Try,
    WriteFiles,
)
from tiltyard_simulator.guard.programs.scratch_files import (
    kind_of,
    list_files,
    prepare,
    read_file,
    take_files,
    write_file,
    write_files,
)
from tiltyard_simulator.guard.programs.starting import ProcessStart, start

PIPE_BYTES: Final = 1 << 18
IGNORED: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
"""A program may send these signals to its whole group, but they are not meant for this process."""


def serve(questions: int, answers: int, streams: Sequence[int], proc_mount: ProcMountLayer | None) -> NoReturn:
    """Answer questions until the host is gone. Never returns into the zygote's code.

    ``proc_mount`` restricts what the processes that it starts read of /proc, where their cell has none of its own.
    """
    try:
        launcher = Launcher(questions, answers, streams, proc_mount)
        launcher.reply(0, Done())
        launcher.serve()
    except (EOFError, BrokenPipeError):
        pass
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(EXIT_DISCONNECTED)


class Launcher:
    """The launcher of one cell."""

    def __init__(self, questions: int, answers: int, streams: Sequence[int], proc_mount: ProcMountLayer | None = None) -> None:
        self._proc_mount = proc_mount
        self._questions = questions
        self._answers = answers
        # Their numbers may be above the limit of open files, which posix_spawn does not accept.
        self._streams = tuple(os.dup(stream) for stream in streams)
        for stream in streams:
            os.close(stream)
        self._is_first = os.getpid() == 1
        self._resident = 0
        self._last_end: ProcessEnd | None = None
        """How the last process that the host started has ended."""
        self._awaited = 0
        """The number of the host's question about the end of the resident process."""
        for number in IGNORED:
            signal.signal(number, signal.SIG_IGN)
        self._wakeup = adopt_orphans()

    def reply(self, number: int, message: LauncherReply) -> None:
        """Answer a question of the host."""
        write_frame(self._answers, number, ENCODER.encode(message))

    def serve(self) -> NoReturn:
        """Answer questions and report ends of processes, as they come."""
        poller = select.poll()
        poller.register(self._questions, select.POLLIN)
        poller.register(self._wakeup, select.POLLIN)
        while True:
            ready = [descriptor for descriptor, _ in poller.poll()]
            if self._wakeup in ready:
                self._reap(self._resident)
                self._report_end()
            if self._questions in ready:
                number, body = read_frame(self._questions)
                self._answer(number, REQUESTS.decode(body))

    def _answer(self, number: int, request: LauncherRequest) -> None:
        if isinstance(request, RunCall):
            self.reply(number, self._run(request))
        elif isinstance(request, StartResident):
            self.reply(number, self._start_resident(request))
        elif isinstance(request, AwaitEnd):
            self._awaited = number
            self._report_end()
        elif isinstance(request, Try):
            self.reply(number, Tried(try_lookups(request.lookups)))
        elif isinstance(request, WriteFiles):
            self.reply(number, write_files(request))
        elif isinstance(request, ListFiles):
            self.reply(number, list_files(request))
        elif isinstance(request, TakeFiles):
            self.reply(number, take_files(request))
        else:
            self.reply(number, prepare(request))

    # The resident process

    def _start_resident(self, request: StartResident) -> LauncherReply:
        stdin, stdout = self._streams
        try:
            self._resident = start(ProcessStart(request.command, request.environment, (stdin, stdout, 2)), self._proc_mount)
        except OSError as error:
            return _not_started(request.command, error)
        finally:
            os.close(stdin)
            os.close(stdout)
        return Done()

    def _report_end(self) -> None:
        if self._awaited and self._resident and self._last_end is not None:
            self._kill_rest()
            self.reply(self._awaited, self._last_end)
            self._awaited = 0

    # Calls

    def _run(self, request: RunCall) -> LauncherReply:
        try:
            for name, data in request.files.items():
                write_file(name, data)
        except OSError as error:
            return Refused(f"cannot write its files to the scratch folder: {error.strerror}")
        began = time.monotonic()
        self._last_end = None
        with contextlib.ExitStack() as stack:
            pipes = _Pipes(stack, request)
            try:
                process = start(ProcessStart(request.command, request.environment, pipes.theirs), self._proc_mount)
            except OSError as error:
                return _not_started(request.command, error)
            finally:
                pipes.close_theirs()
            pipes.poller.register(self._wakeup, select.POLLIN)
            end: ProcessEnd | None = None
            while end is None:
                pipes.move()
                end = self._reap(process)
            wall = time.monotonic() - began
            self._kill_rest()
            pipes.empty()
        files: dict[str, bytes] = {}
        too_large: list[str] = []
        left: dict[str, str] = {}
        for name in request.outputs:
            content = read_file(name, request.file_bytes)
            if content is None:
                if kind := kind_of(name):
                    left[name] = kind
                continue
            if len(content) > request.file_bytes:
                too_large.append(name)
            else:
                files[name] = content
        return Ran(end, wall, bytes(pipes.stdout), bytes(pipes.stderr), files, too_large, left)

    # Processes

    def _reap(self, process: int) -> ProcessEnd | None:
        """Reap all processes that have ended; how ``process`` ended, if it is one of them."""
        with contextlib.suppress(BlockingIOError):
            os.read(self._wakeup, 4096)
        end: ProcessEnd | None = None
        with contextlib.suppress(ChildProcessError):
            while True:
                reaped, status, usage = os.wait4(-1, os.WNOHANG)
                if reaped == 0:
                    break
                if reaped == process:
                    code = os.waitstatus_to_exitcode(status)
                    cpu = usage.ru_utime + usage.ru_stime
                    # Before a new process runs the program, it has the memory of this process.
                    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
                    peak = usage.ru_maxrss * 1024 if usage.ru_maxrss > own else 0
                    end = self._last_end = ProcessEnd(max(code, 0), max(-code, 0), cpu, peak)
        return end

    def _kill_rest(self) -> None:
        """Kill all that a process left behind. If this is not the first process of a namespace, the host does it."""
        if not self._is_first:
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                while True:
                    os.wait4(-1, 0)


def _not_started(command: list[str], error: OSError) -> Refused:
    reason = error.strerror or str(error)
    return Refused(f"cannot start {command[0]}: {reason}", reason)


class _Pipes:
    """The standard streams of a call."""

    def __init__(self, stack: contextlib.ExitStack, request: RunCall) -> None:
        self.stdout, self.stderr = bytearray(), bytearray()
        self.poller = select.poll()
        self._stack = stack
        self._unsent = memoryview(request.stdin)
        self._theirs = contextlib.ExitStack()
        self._to = -1
        if request.stdin:
            stdin, self._to = self._pipe(ours_writes=True)
            self.poller.register(self._to, select.POLLOUT)
        else:
            stdin = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
            self._theirs.callback(os.close, stdin)
        stdout, out = self._pipe()
        stderr, err = self._pipe()
        self._outputs = {out: (self.stdout, request.stdout_bytes), err: (self.stderr, request.stderr_bytes)}
        for descriptor in self._outputs:
            self.poller.register(descriptor, select.POLLIN)
        self.theirs = (stdin, stdout, stderr)

    def _pipe(self, ours_writes: bool = False) -> tuple[int, int]:
        """A pipe to the program, as the program's end and our end."""
        read, write = os.pipe2(os.O_CLOEXEC)
        theirs, ours = (read, write) if ours_writes else (write, read)
        self._theirs.callback(os.close, theirs)
        if not ours_writes:
            self._stack.callback(os.close, ours)
        os.set_blocking(ours, False)
        return theirs, ours

    def close_theirs(self) -> None:
        """Close this side's copies of the program's ends."""
        self._theirs.close()

    def move(self) -> None:
        """Wait until something can be read or written, and do that, or until a process has ended."""
        for descriptor, _ in self.poller.poll():
            if descriptor in self._outputs:
                if not self._read(descriptor):
                    self.poller.unregister(descriptor)
            elif descriptor == self._to:
                self._write()

    def empty(self) -> None:
        """Read what is still in the pipes, even if another process holds them open."""
        if self._to >= 0:
            os.close(self._to)
        for descriptor, (output, most) in self._outputs.items():
            with contextlib.suppress(BlockingIOError):
                # A process that goes on writing must not keep this loop running.
                for _ in range(2 + (PIPE_BYTES + most) // CHUNK):
                    if not self._take(descriptor, output, most):
                        break

    def _read(self, descriptor: int) -> bool:
        try:
            return self._take(descriptor, *self._outputs[descriptor])
        except BlockingIOError:
            return True

    def _take(self, descriptor: int, output: bytearray, most: int) -> bool:
        data = os.read(descriptor, CHUNK)
        output += data[: most - len(output)]
        return bool(data)

    def _write(self) -> None:
        try:
            self._unsent = self._unsent[os.write(self._to, self._unsent) :]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._unsent = self._unsent[:0]
        if not self._unsent:
            self.poller.unregister(self._to)
            os.close(self._to)
            self._to = -1
