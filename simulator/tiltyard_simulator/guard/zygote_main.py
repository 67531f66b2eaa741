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
from collections.abc import Callable, Sequence
from functools import partial
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
from tiltyard_simulator.guard.cells.own_environment import enter_environment
from tiltyard_simulator.guard.cells.resource_tracker import replace_tracker
from tiltyard_simulator.guard.confinement import CellPolicy, Confinement, Level, PreparedPolicy, confine_cell, prepare
from tiltyard_simulator.guard.confinement.libc import give_memory_back
from tiltyard_simulator.guard.confinement.own_proc import OwnProcLayer, uncover_proc
from tiltyard_simulator.guard.confinement.privileges import adopt_orphans, end_with_parent
from tiltyard_simulator.guard.confinement.rulesets import paths_of
from tiltyard_simulator.guard.managers.manager_cell import ManagerCell
from tiltyard_simulator.guard.programs import launcher
from tiltyard_simulator.guard.templates.keeper import TemplateKeeper
from tiltyard_simulator.guard.templates.snapshot import reseed_numpy
from tiltyard_simulator.guard.templates.template import Order, Template
from tiltyard_simulator.guard.templates.template_main import become_template

MOST_GENERATIONS: Final = 10_000
MOST_DESCRIPTORS: Final = 6
"""A cell's three pipes, a program's standard input and output, and the way to its watcher."""
LOWEST_PRIVATE: Final = 200
"""A cell's pipes to its host get random numbers from here up, so that no team writes there by mistake."""


def main(descriptor: int, own_path: Sequence[str]) -> None:
    """Serve the match worker at the other end of the socket until it is gone.

    ``own_path`` is ``sys.path`` as the interpreter had it at its start.
    """
    channel = socket.socket(fileno=descriptor)
    setup = SETUP.decode(channel.recv(LARGEST))
    if setup.confinement.level is Level.A:
        uncover_proc()
    if setup.environment is not None:
        enter_environment(setup.environment, own_path)
    for name in setup.preload:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    for library in setup.libraries:
        with contextlib.suppress(OSError):
            ctypes.CDLL(library, mode=ctypes.RTLD_GLOBAL | os.RTLD_NOW)
    # What is imported now is never freed. A garbage collection in a cell would only copy pages that all cells share.
    gc.freeze()
    gc.enable()
    # Nor would memory that is free be of use to them.
    give_memory_back()
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
        self._poller = select.poll()
        self._heard: dict[int, Callable[[], None]] = {}
        """What to do when a descriptor can be read."""
        self._templates = TemplateKeeper(self)

    def send(self, report: Report, descriptors: tuple[int, ...] = ()) -> None:
        """Send a report to the worker."""
        if descriptors:
            socket.send_fds(self._channel, [ENCODER.encode(report)], descriptors)
        else:
            self._channel.send(ENCODER.encode(report))

    def serve(self) -> None:
        """Serve until the worker is gone, then kill all cells."""
        self.watch(self._wakeup, self._wake_up)
        self.watch(self._channel.fileno(), self._take_order)
        try:
            while True:
                seconds = self._templates.look()
                self._templates.fill_rest()
                for descriptor, events in self._poller.poll(None if seconds == float("inf") else 1000 * max(seconds, 0.0) + 1):
                    self._hear(descriptor, events)
                    self._templates.fill_rest()
        except (_WorkerGoneError, BrokenPipeError, ConnectionResetError):
            return
        finally:
            self._templates.close()
            for process in self._cells:
                _kill(process)
            self._end_strays()

    def watch(self, descriptor: int, heard: Callable[[], None]) -> None:
        """Call back when something can be read."""
        self._heard[descriptor] = heard
        self._poller.register(descriptor, select.POLLIN)

    def forget(self, descriptor: int) -> None:
        """No longer."""
        if self._heard.pop(descriptor, None) is not None:
            self._poller.unregister(descriptor)

    def _hear(self, descriptor: int, events: int) -> None:
        heard = self._heard.get(descriptor)
        if heard is None:
            # Another one that was heard at the same time has ended it.
            return
        if events & select.POLLIN:
            heard()
        elif descriptor == self._channel.fileno():
            raise _WorkerGoneError
        else:
            self.forget(descriptor)

    def _wake_up(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.read(self._wakeup, 4096)
        self._reap()

    def _take_order(self) -> None:
        data, descriptors, _, _ = socket.recv_fds(self._channel, LARGEST, MOST_DESCRIPTORS)
        if not data:
            raise _WorkerGoneError
        order = Order(FORK.decode(data), descriptors)
        if order.request.code:
            self._templates.fill(order)
        else:
            self.fork_fresh(order)

    def fork_fresh(self, order: Order, unfit: str = "") -> None:
        """Fork a cell that has loaded nothing yet, for the reason ``unfit``."""
        # The rules for a policy's files are made once here, and its cells inherit them.
        prepared = prepare(order.request.policy, self._confinement)
        with contextlib.suppress(FileExistsError):
            os.mkdir(order.request.policy.scratch, 0o700)  # noqa: PTH102 -- a match waits for it
        process = os.fork()
        if process == 0:
            _become_cell(self._confinement, prepared, order.descriptors)
        order.close()
        self.admit(process, order, unfit=unfit)

    def admit(self, process: int, order: Order, template: Template | None = None, unfit: str = "") -> None:
        """A cell was forked, by a template or by this process."""
        self._cells[process] = order.request.cell
        report = Forked(order.request.cell, unfit=unfit)
        if template is not None:
            report = Forked(order.request.cell, template.import_seconds + template.fork_seconds, template.cpu_before)
        # They have not been reaped yet, so the numbers cannot belong to other processes.
        pidfds = tuple(os.pidfd_open(each) for each in (process, *([] if template is None else [template.process])))
        try:
            self.send(report, pidfds)
        finally:
            for pidfd in pidfds:
                os.close(pidfd)

    def start_template(self, policy: CellPolicy, order: Order, channel: socket.socket, output: int) -> int:
        """Fork a template that loads the order's code; its process."""
        prepared = prepare(policy, self._confinement)
        process = os.fork()
        if process == 0:
            _become_template(self._confinement, prepared, channel, output, order.request)
        return process

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
            if number is None:
                strays = strays or process not in self._templates.processes
                self._templates.template_ended(process)
                continue
            exited = Exited(number, os.waitstatus_to_exitcode(status), usage.ru_maxrss * 1024, usage.ru_utime + usage.ru_stime)
            ended.append(exited)
            self._templates.cell_ended(process)
        if ended or strays:
            # When a stray ends, its children become this process's children.
            self._kill_strays()
        for report in ended:
            self.send(report)

    def _kill_strays(self) -> None:
        """Kill what cells left behind: it has become the zygote's own children."""
        if self._templates.is_forking:
            # A cell that is just being forked would look like a stray. The next cell that ends brings us here again.
            return
        templates = self._templates.processes
        with contextlib.suppress(OSError):
            for word in Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="ascii").split():
                if int(word) not in self._cells and int(word) not in templates:
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


class _WorkerGoneError(Exception):
    """Nobody is at the channel's other end."""


def _kill(process: int) -> None:
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            kill(process, signal.SIGKILL)


def _leave_zygote() -> None:
    """What a forked child of the zygote does first."""
    parent = os.getppid()
    os.setsid()
    end_with_parent(parent)  # confining may undo this, and does it again
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)


def _become_template(
    confinement: Confinement, prepared: PreparedPolicy, channel: socket.socket, output: int, request: Fork
) -> NoReturn:
    try:
        _leave_zygote()
        _set_streams(output)
    except BaseException:
        os._exit(EXIT_UNCONFINED)

    def settle_in() -> None:
        _open_streams()
        replace_tracker(confinement, prepared.policy)

    become_template(confinement, prepared, channel, request, settle_in=settle_in, serve=partial(cell.serve, kind=ManagerCell))


def _become_cell(confinement: Confinement, prepared: PreparedPolicy, descriptors: Sequence[int]) -> NoReturn:
    """Turn the forked child into a cell. It is confined before any code of a team runs."""
    try:
        _leave_zygote()
        questions, answers, *streams = _arrange(descriptors)
        listener = confine_cell(confinement, prepared, keep_fds=(questions, answers, *streams))
        if prepared.policy.watched:
            _send_listener(streams.pop(), listener)
        _settle_in()
        replace_tracker(confinement, prepared.policy)
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


def _set_streams(output: int) -> None:
    nothing = os.open(os.devnull, os.O_RDONLY)
    for descriptor, number in ((nothing, 0), (output, 1), (output, 2)):
        os.dup2(descriptor, number)


def _arrange(descriptors: Sequence[int]) -> list[int]:
    """Put the standard streams in place and the pipes to the host at private numbers; close all other descriptors."""
    questions, answers, output, *streams = descriptors
    _set_streams(output)
    lowest = LOWEST_PRIVATE + random.SystemRandom().randrange(300)
    kept = [fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, lowest) for descriptor in (questions, answers, *streams)]
    os.closerange(3, kept[0])
    return kept


def _open_streams() -> None:
    # Line by line, so that nothing that was printed before a crash is lost.
    sys.stdout, sys.stderr = _printer(1), _printer(2)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115


def _settle_in() -> None:
    _open_streams()
    reseed_numpy()


def _printer(descriptor: int) -> TextIO:
    return open(descriptor, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)
