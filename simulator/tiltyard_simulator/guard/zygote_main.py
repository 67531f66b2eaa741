"""The zygote: a process that has imported everything, and forks cells on request. It never runs a team's code itself.

All that is in its memory, freed or not, a cell can read. So it never learns of any team: orders go to its clerk, another process,
and what a new process is to be only that one reads. See docs/decisions/0047-a-zygote-and-its-clerk.md.
"""

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
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, NoReturn, TextIO

from tiltyard_engine.data_classes import compile_waiting
from tiltyard_simulator.guard.cells.cell import serve
from tiltyard_simulator.guard.cells.messages import EXIT_UNCONFINED, LARGEST, SETUP, Become
from tiltyard_simulator.guard.cells.resource_tracker import replace_tracker
from tiltyard_simulator.guard.cells.team_venv import enter_environment
from tiltyard_simulator.guard.clerk import Clerk
from tiltyard_simulator.guard.confinement.confining import confine_cell, warm_up_for_cells
from tiltyard_simulator.guard.confinement.kernel.libc import give_memory_back
from tiltyard_simulator.guard.confinement.kernel.privileges import adopt_orphans, end_with_parent
from tiltyard_simulator.guard.confinement.kernel.proc_mount import ProcMountLayer, uncover_proc
from tiltyard_simulator.guard.confinement.rulesets import paths_of
from tiltyard_simulator.guard.fork_line import ClerksEnd, ExitReport, LineClosedError, ZygotesEnd, read_order
from tiltyard_simulator.guard.managers.manager_cell import ManagerCell
from tiltyard_simulator.guard.policy import Confinement, Level
from tiltyard_simulator.guard.programs import launcher
from tiltyard_simulator.guard.templates.snapshot import reseed_numpy
from tiltyard_simulator.guard.templates.template_main import become_template

MOST_GENERATIONS: Final = 10_000
LOWEST_PRIVATE: Final = 200
"""A cell's pipes to its host get random numbers from here up, so that no team writes there by mistake."""


def main(descriptor: int, own_path: Sequence[str]) -> None:
    """Serve the match worker at the other end of the socket until it is gone.

    ``own_path`` is ``sys.path`` as the interpreter had it at its start.
    """
    channel = socket.socket(fileno=descriptor)
    setup = SETUP.decode(channel.recv(LARGEST))
    if setup.confinement.level is Level.A:
        _uncover_proc()
    if setup.environment is not None:
        enter_environment(setup.environment, own_path)
    for name in setup.preload:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    for library in setup.libraries:
        with contextlib.suppress(OSError):
            ctypes.CDLL(library, mode=ctypes.RTLD_GLOBAL | os.RTLD_NOW)
    # What is imported now is never freed. A garbage collection in a cell would only copy pages that all cells share.
    compile_waiting()
    gc.freeze()
    gc.enable()
    # Nor would memory that is free be of use to them.
    give_memory_back()
    warm_up_for_cells(setup.confinement)
    clerks, zygotes = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    zygote = os.getpid()
    if os.fork() == 0:
        zygotes.close()
        _become_clerk(Clerk(channel, ClerksEnd(clerks), zygote, setup.confinement), zygote)
    clerks.close()
    channel.close()
    ZygoteServer(ZygotesEnd(zygotes), setup.confinement).serve()
    # At once: a worker waits for it.
    sys.stderr.flush()
    os._exit(0)


def _become_clerk(clerk: Clerk, zygote: int) -> NoReturn:
    code = 1
    try:
        end_with_parent(zygote)
        clerk.serve()
        code = 0
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(code)


def _uncover_proc() -> None:
    """In a child: it reads the names of all mounted files, and cells inherit this process's memory."""
    process = os.fork()
    if process == 0:
        try:
            uncover_proc()
        finally:
            os._exit(0)
    os.waitpid(process, 0)


class ZygoteServer:
    """Forks processes for its clerk, and reports those that have ended.

    Args:
        line: leads to the clerk.
        confinement: of all cells.
    """

    def __init__(self, line: ZygotesEnd, confinement: Confinement) -> None:
        self._line = line
        self._confinement = confinement
        self._wakeup = adopt_orphans()

    def serve(self) -> None:
        """Serve until the clerk is gone, then kill all that is left."""
        poller = select.poll()
        poller.register(self._wakeup, select.POLLIN)
        poller.register(self._line.fileno(), select.POLLIN)
        try:
            while True:
                ready = [descriptor for descriptor, _ in poller.poll()]
                if self._wakeup in ready:
                    with contextlib.suppress(BlockingIOError):
                        os.read(self._wakeup, 4096)
                    self._reap()
                if self._line.fileno() in ready:
                    self._fork(self._line.take_order())
        except LineClosedError:
            return
        finally:
            _end_children()

    def _fork(self, order: int) -> None:
        process = os.fork()
        if process == 0:
            _become(self._confinement, order)
        os.close(order)
        self._line.tell_forked(process)

    def _reap(self) -> None:
        while True:
            try:
                process, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if process == 0:
                return
            self._line.tell_end(ExitReport(process, status, usage.ru_maxrss, usage.ru_utime + usage.ru_stime))


def _end_children() -> None:
    """Kill until nothing is left, or give up on something that forks faster than it can be killed."""
    own = os.getpid()
    for _ in range(MOST_GENERATIONS):
        with contextlib.suppress(OSError):
            for word in Path(f"/proc/self/task/{own}/children").read_text(encoding="ascii").split():
                _kill(int(word))
        try:
            os.wait()
        except ChildProcessError:
            return


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


def _become(confinement: Confinement, order: int) -> NoReturn:
    """Turn the forked child into what its order says. It is confined before any code of a team runs."""
    try:
        _leave_zygote()
        request, descriptors = read_order(order)
        prepared = request.prepared
        if prepared.policy.template:
            _become_template(confinement, request, descriptors)
        questions, answers, *streams = _arrange(descriptors)
        if prepared.ruleset >= 0:
            prepared = replace(prepared, ruleset=streams.pop())
        listener = confine_cell(confinement, prepared, keep_fds=(questions, answers, *streams))
        if prepared.policy.watched:
            _send_listener(streams.pop(), listener)
        _settle_in()
        replace_tracker(confinement, prepared.policy)
        own_cell = ManagerCell(questions, answers)
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(EXIT_UNCONFINED)
    if prepared.policy.python:
        serve(own_cell)
    proc_mount = ProcMountLayer(paths_of(prepared.policy)) if confinement.level is Level.B else None
    launcher.serve(questions, answers, streams, proc_mount)


def _become_template(confinement: Confinement, request: Become, descriptors: Sequence[int]) -> NoReturn:
    channel, output, ruleset = descriptors
    prepared = replace(request.prepared, ruleset=ruleset)
    _set_streams(output)

    def settle_in() -> None:
        _open_streams()
        replace_tracker(confinement, prepared.policy)

    become_template(
        confinement,
        prepared,
        socket.socket(fileno=channel),
        request,
        settle_in=settle_in,
        new_cell=ManagerCell,
    )


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
    copies = [fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, lowest) for descriptor in (questions, answers, *streams)]
    os.closerange(3, copies[0])
    return copies


def _open_streams() -> None:
    # Line by line, so that nothing that was printed before a crash is lost.
    sys.stdout, sys.stderr = _printer(1), _printer(2)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115


def _settle_in() -> None:
    _open_streams()
    reseed_numpy()


def _printer(descriptor: int) -> TextIO:
    return open(descriptor, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)
