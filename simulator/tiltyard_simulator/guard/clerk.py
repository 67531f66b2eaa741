"""The clerk of a zygote: takes the worker's orders for cells, has the zygote fork them, and reports those that have ended.

It knows the files and names of all teams, so no process that runs a team's code is forked from it.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
from collections.abc import Callable, Sequence

from tiltyard_simulator.guard.cells.messages import ENCODER, FORK, LARGEST, Become, Exited, Fork, Forked, Report, Started
from tiltyard_simulator.guard.confinement.confining import prepare
from tiltyard_simulator.guard.confinement.kernel.process_status import PARENT, stat_fields
from tiltyard_simulator.guard.fork_line import MOST_DESCRIPTORS, ClerksEnd, LineClosedError
from tiltyard_simulator.guard.policy import CellPolicy, Confinement
from tiltyard_simulator.guard.templates.keeper import TemplateKeeper
from tiltyard_simulator.guard.templates.template import Order, Template


class Clerk:
    """Serves one match worker.

    Args:
        channel: leads to the worker.
        line: leads to the zygote.
        zygote: its process, which is this one's parent.
        confinement: of all cells.
    """

    def __init__(self, channel: socket.socket, line: ClerksEnd, zygote: int, confinement: Confinement) -> None:
        self._channel = channel
        self._line = line
        self._zygote = zygote
        self._confinement = confinement
        self._cells: dict[int, int] = {}
        """From a process's number to the number that the worker gave the cell."""
        self._poller = select.poll()
        self._callbacks: dict[int, Callable[[], None]] = {}
        """What to do when a descriptor can be read."""
        self._templates = TemplateKeeper(self)

    def send(self, report: Report, descriptors: tuple[int, ...] = ()) -> None:
        """Send a report to the worker."""
        if descriptors:
            socket.send_fds(self._channel, [ENCODER.encode(report)], descriptors)
        else:
            self._channel.send(ENCODER.encode(report))

    def serve(self) -> None:
        """Serve until the worker is gone, or the zygote. When this process ends, the zygote kills all cells and ends."""
        self.watch(self._line.fileno(), self._hear_ends)
        self.watch(self._channel.fileno(), self._take_order)
        try:
            self.send(Started())
            while True:
                seconds = self._templates.look()
                self._templates.fill_rest()
                if self._line.has_waiting:
                    # They have ended while a fork was waited for.
                    self._hear_ends()
                for descriptor, events in self._poller.poll(None if seconds == float("inf") else 1000 * max(seconds, 0.0) + 1):
                    self._hear(descriptor, events)
                    self._templates.fill_rest()
        except (_WorkerGoneError, LineClosedError, BrokenPipeError, ConnectionResetError):
            return
        finally:
            self._templates.close()

    def watch(self, descriptor: int, callback: Callable[[], None]) -> None:
        """Call back when something can be read."""
        self._callbacks[descriptor] = callback
        self._poller.register(descriptor, select.POLLIN)

    def forget(self, descriptor: int) -> None:
        """Stop watching a descriptor."""
        if self._callbacks.pop(descriptor, None) is not None:
            self._poller.unregister(descriptor)

    def _hear(self, descriptor: int, events: int) -> None:
        callback = self._callbacks.get(descriptor)
        if callback is None:
            # Another one that was heard at the same time has ended it.
            return
        if events & select.POLLIN:
            callback()
        elif descriptor in (self._channel.fileno(), self._line.fileno()):
            raise _WorkerGoneError
        else:
            self.forget(descriptor)

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
        with contextlib.suppress(FileExistsError):
            os.mkdir(order.request.policy.scratch, 0o700)  # noqa: PTH102 -- a match waits for it
        process, handle = self._fork(order.request.policy, order.descriptors)
        order.close()
        self.admit(process, handle, order, unfit=unfit)

    def _fork(self, policy: CellPolicy, descriptors: Sequence[int], request: Fork | None = None) -> tuple[int, int]:
        """As ``ClerksEnd.fork``; with ``request``, a template of its code."""
        prepared = prepare(policy, self._confinement)
        order = Become(prepared) if request is None else Become(prepared, request.code, request.modules)
        rules = [prepared.ruleset] if prepared.ruleset >= 0 else []
        try:
            return self._line.fork(order, [*descriptors, *rules])
        finally:
            prepared.close()

    def admit(self, process: int, handle: int, order: Order, template: Template | None = None, unfit: str = "") -> None:
        """A cell was forked, by a template or by the zygote. Its pidfd ``handle`` is sent on, and closed."""
        self._cells[process] = order.request.cell
        report, handles = Forked(order.request.cell, unfit=unfit), [handle]
        if template is not None:
            report = Forked(order.request.cell, template.import_seconds + template.fork_seconds, template.cpu_before)
            handles.append(template.handle)
        try:
            self.send(report, tuple(handles))
        finally:
            os.close(handle)

    def start_template(self, policy: CellPolicy, order: Order, channel: socket.socket, output: int) -> tuple[int, int]:
        """Fork a template that loads the order's code; its process, and a pidfd of it for the caller to close."""
        return self._fork(policy, (channel.fileno(), output), order.request)

    # Ends

    def _hear_ends(self) -> None:
        reports: list[Exited] = []
        strays = False
        for exit_report in self._line.take_reports():
            number = self._cells.pop(exit_report.process, None)
            if number is None:
                strays = strays or exit_report.process not in self._templates.processes
                self._templates.template_ended(exit_report.process)
                continue
            code = os.waitstatus_to_exitcode(exit_report.status)
            reports.append(Exited(number, code, exit_report.peak_kibibytes * 1024, exit_report.cpu_seconds))
            self._templates.cell_ended(exit_report.process)
        if reports or strays:
            # When a stray ends, its children become the zygote's children.
            self._kill_strays()
        for report in reports:
            self.send(report)

    def _kill_strays(self) -> None:
        """Kill what cells left behind: it has become the zygote's own children."""
        if self._templates.is_forking:
            # A cell that is just being forked would look like a stray. The next cell that ends brings us here again.
            return
        own = {*self._cells, *self._templates.processes, os.getpid()}
        with contextlib.suppress(OSError):
            # Without a buffer and a decoder, which would take most of the time of each cell's end.
            with open(f"/proc/{self._zygote}/task/{self._zygote}/children", "rb", buffering=0) as file:  # noqa: PTH123 -- likewise
                strays = {*map(int, file.read().split())} - own
            for process in strays:
                self._kill_stray(process)

    def _kill_stray(self, process: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            handle = os.pidfd_open(process)
            try:
                # The zygote may have reaped it meanwhile, and the number may be another process's.
                if stat_fields(process)[PARENT : PARENT + 1] == [b"%d" % self._zygote]:
                    signal.pidfd_send_signal(handle, signal.SIGKILL)
            finally:
                os.close(handle)


class _WorkerGoneError(Exception):
    """Nobody is at the channel's other end."""
