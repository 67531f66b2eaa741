"""The zygote: a process that has imported everything, and forks cells on request. It never runs a team's code itself."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import gc
import importlib
import os
import random
import select
import signal
import socket
import sys
import traceback
from pathlib import Path
from typing import Final, NoReturn, TextIO

from tiltyard_simulator.guard.cells import cell
from tiltyard_simulator.guard.cells.messages import (
    ENCODER,
    EXIT_UNCONFINED,
    FORK,
    LARGEST,
    SETUP,
    Exited,
    Fork,
    Forked,
    Report,
    Started,
)
from tiltyard_simulator.guard.confinement import Confinement, Level, PreparedPolicy, confine_cell, prepare
from tiltyard_simulator.guard.confinement.own_proc import OwnProcLayer, uncover_proc
from tiltyard_simulator.guard.confinement.privileges import adopt_orphans, end_with_parent
from tiltyard_simulator.guard.confinement.rulesets import paths_of
from tiltyard_simulator.guard.managers.manager_cell import ManagerCell
from tiltyard_simulator.guard.programs import launcher

MOST_GENERATIONS: Final = 10_000
MOST_DESCRIPTORS: Final = 6
"""A cell's three pipes, a program's standard input and output, and the way to its watcher."""
LOWEST_PRIVATE: Final = 200
"""A cell's pipes to its host get random numbers from here up, so that no team writes there by mistake."""


def main(descriptor: int) -> None:
    """Serve the match worker at the other end of the socket until it is gone."""
    channel = socket.socket(fileno=descriptor)
    setup = SETUP.decode(channel.recv(LARGEST))
    if setup.confinement.level is Level.A:
        uncover_proc()
    for name in setup.preload:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    for library in setup.libraries:
        with contextlib.suppress(OSError):
            ctypes.CDLL(library, mode=ctypes.RTLD_GLOBAL | os.RTLD_NOW)
    # What is imported now is never freed. A garbage collection in a cell would only copy pages that all cells share.
    gc.collect()
    gc.freeze()
    zygote = Zygote(channel, setup.confinement)
    zygote.send(Started())
    zygote.serve()


class Zygote:
    """Forks cells, and reports those that have ended."""

    def __init__(self, channel: socket.socket, confinement: Confinement) -> None:
        self._channel = channel
        self._confinement = confinement
        self._cells: dict[int, int] = {}
        """From a process's number to the number that the worker gave the cell."""
        self._wakeup = adopt_orphans()

    def send(self, report: Report, descriptors: tuple[int, ...] = ()) -> None:
        """Send a report to the worker."""
        if descriptors:
            socket.send_fds(self._channel, [ENCODER.encode(report)], descriptors)
        else:
            self._channel.send(ENCODER.encode(report))

    def serve(self) -> None:
        """Serve until the worker is gone, then kill all cells."""
        poller = select.poll()
        poller.register(self._channel, select.POLLIN)
        poller.register(self._wakeup, select.POLLIN)
        try:
            while True:
                ready = {descriptor for descriptor, _ in poller.poll()}
                if self._wakeup in ready:
                    with contextlib.suppress(BlockingIOError):
                        os.read(self._wakeup, 4096)
                    self._reap()
                if self._channel.fileno() in ready:
                    data, descriptors, _, _ = socket.recv_fds(self._channel, LARGEST, MOST_DESCRIPTORS)
                    if not data:
                        return
                    self._fork(FORK.decode(data), descriptors)
        except (BrokenPipeError, ConnectionResetError):
            return
        finally:
            for process in self._cells:
                _kill(process)
            self._end_strays()

    def _fork(self, request: Fork, descriptors: list[int]) -> None:
        # The rules for a policy's files are made once here, and its cells inherit them.
        prepared = prepare(request.policy, self._confinement)
        process = os.fork()
        if process == 0:
            _become_cell(self._confinement, prepared, descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        self._cells[process] = request.cell
        # It has not been reaped yet, so the number cannot belong to another process.
        pidfd = os.pidfd_open(process)
        try:
            self.send(Forked(request.cell), (pidfd,))
        finally:
            os.close(pidfd)

    def _reap(self) -> None:
        ended: list[Exited] = []
        strays = False
        while True:
            try:
                process, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if process == 0:
                break
            number = self._cells.pop(process, None)
            strays = strays or number is None
            if number is not None:
                ended.append(
                    Exited(number, os.waitstatus_to_exitcode(status), usage.ru_maxrss * 1024, usage.ru_utime + usage.ru_stime)
                )
        if ended or strays:
            # When a stray ends, its children become this process's children.
            self._kill_strays()
        for report in ended:
            self.send(report)

    def _kill_strays(self) -> None:
        """Kill what cells left behind: it has become the zygote's own children."""
        with contextlib.suppress(OSError):
            for word in Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="ascii").split():
                if int(word) not in self._cells:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(int(word), signal.SIGKILL)

    def _end_strays(self) -> None:
        """Kill until nothing is left, or give up on something that forks faster than it can be killed."""
        self._cells.clear()
        for _ in range(MOST_GENERATIONS):
            self._kill_strays()
            try:
                os.wait()
            except ChildProcessError:
                return


def _kill(process: int) -> None:
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            kill(process, signal.SIGKILL)


def _become_cell(confinement: Confinement, prepared: PreparedPolicy, descriptors: list[int]) -> NoReturn:
    """Turn the forked child into a cell. It is confined before any code of a team runs."""
    try:
        parent = os.getppid()
        os.setsid()
        end_with_parent(parent)  # confining may undo this, and does it again
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        questions, answers, *streams = _arrange(descriptors)
        listener = confine_cell(confinement, prepared, keep_fds=(questions, answers, *streams))
        if prepared.policy.watched:
            _send_listener(streams.pop(), listener)
        _settle_in()
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(EXIT_UNCONFINED)
    if prepared.policy.python:
        cell.serve(questions, answers, ManagerCell)
    own_proc = OwnProcLayer(paths_of(prepared.policy)) if confinement.level is Level.B else None
    launcher.serve(questions, answers, streams, own_proc)


def _send_listener(watcher: int, listener: int | None) -> None:
    """Give the filter's listener to the host, before this process looks for any file: that would wait for the answer."""
    with socket.socket(fileno=watcher) as channel:
        socket.send_fds(channel, [b"+"], [] if listener is None else [listener])
    if listener is not None:
        os.close(listener)


def _arrange(descriptors: list[int]) -> list[int]:
    """Put the standard streams in place and the pipes to the host at private numbers; close all other descriptors."""
    questions, answers, output, *streams = descriptors
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    lowest = LOWEST_PRIVATE + random.SystemRandom().randrange(300)
    kept = [fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, lowest) for descriptor in (questions, answers, *streams)]
    os.closerange(3, kept[0])
    return kept


def _settle_in() -> None:
    # Line by line, so that nothing that was printed before a crash is lost.
    sys.stdout, sys.stderr = _printer(1), _printer(2)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is not None:
        # Python reseeds its own generator after a fork; numpy's would be the same in both teams' cells.
        numpy_random.seed()


def _printer(descriptor: int) -> TextIO:
    return open(descriptor, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)
