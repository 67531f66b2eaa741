"""The line between a zygote and its clerk: one byte asks for a process; numbers come back.

What the new process is to be is sent to it alone, over a socket of its own that the zygote only passes on. So nothing that the
clerk knows is ever in the zygote's memory, which all cells inherit.
"""

from __future__ import annotations

import os
import select
import socket
import struct
from collections import deque
from collections.abc import Sequence
from typing import Final

from tiltyard_engine.data_classes import dataclass
from tiltyard_simulator.guard.cells.messages import BECOME, ENCODER, LARGEST, Become

MOST_DESCRIPTORS: Final = 7
"""A cell's three pipes, a program's standard input and output, the way to its watcher, and its ruleset."""
_PLEASE: Final = b"+"
_REPORT: Final = struct.Struct("=iiqd")
"""A process's number; of one that has ended also its status, its peak memory in KiB and its CPU seconds."""


class LineClosedError(Exception):
    """Nobody is at the line's other end."""


@dataclass(frozen=True, slots=True)
class ExitReport:
    """A process that the zygote has reaped."""

    process: int
    status: int
    """As from ``wait``."""
    peak_kibibytes: int
    cpu_seconds: float


class ClerksEnd:
    """The clerk's end of the line."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line
        self._waiting: deque[ExitReport] = deque()
        """What came while another answer was waited for."""

    def fileno(self) -> int:
        """The descriptor that can be read when a process has ended."""
        return self._line.fileno()

    @property
    def has_waiting(self) -> bool:
        """Whether there is a report that can't be seen at the descriptor any more."""
        return bool(self._waiting)

    def fork(self, order: Become, descriptors: Sequence[int]) -> tuple[int, int]:
        """Have a process forked and tell it what it is to be. Returns its number, and a pidfd for the caller to close.

        Raises:
            LineClosedError: the zygote has ended.
            OSError: the order can't be sent.
        """
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with ours, theirs:
            socket.send_fds(ours, [ENCODER.encode(order)], [*descriptors])
            socket.send_fds(self._line, [_PLEASE], [theirs.fileno()])
        while True:
            report, received = self._receive()
            if received:
                return report.process, received[0]
            self._waiting.append(report)

    def take_reports(self) -> list[ExitReport]:
        """The processes that have ended since the last call. Raises LineClosedError if the zygote has, too."""
        # Python's recv_fds takes no notice of its flags.
        while select.select([self._line], [], [], 0)[0]:
            self._waiting.append(self._receive()[0])
        requests = [*self._waiting]
        self._waiting.clear()
        return requests

    def _receive(self) -> tuple[ExitReport, list[int]]:
        data, received, _, _ = socket.recv_fds(self._line, _REPORT.size, 1)
        if not data:
            raise LineClosedError
        return ExitReport(*_REPORT.unpack(data)), received


class ZygotesEnd:
    """The zygote's end of the line."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line

    def fileno(self) -> int:
        """The descriptor that can be read when a process is wanted."""
        return self._line.fileno()

    def take_order(self) -> int:
        """The socket from which the wanted process will read what it is to be. Raises LineClosedError if the clerk has ended."""
        try:
            data, received, _, _ = socket.recv_fds(self._line, len(_PLEASE), 1)
        except ConnectionResetError:
            data, received = b"", []
        if not data or not received:
            raise LineClosedError
        return received[0]

    def tell_forked(self, process: int) -> None:
        """Report a new process, which has not been reaped yet. Raises LineClosedError if the clerk has ended."""
        handle = os.pidfd_open(process)
        try:
            self._send(ExitReport(process, 0, 0, 0.0), handle)
        finally:
            os.close(handle)

    def tell_end(self, report: ExitReport) -> None:
        """Report one that was reaped. Raises LineClosedError if the clerk has ended."""
        self._send(report)

    def _send(self, report: ExitReport, *handles: int) -> None:
        data = _REPORT.pack(report.process, report.status, report.peak_kibibytes, report.cpu_seconds)
        try:
            if handles:
                socket.send_fds(self._line, [data], [*handles])
            else:
                self._line.send(data)
        except (BrokenPipeError, ConnectionResetError) as error:
            raise LineClosedError from error


def read_order(descriptor: int) -> tuple[Become, list[int]]:
    """In a forked process: what it is to be, and its descriptors. The ruleset has its number in this process."""
    with socket.socket(fileno=descriptor) as channel:
        data, received, _, _ = socket.recv_fds(channel, LARGEST, MOST_DESCRIPTORS)
    return BECOME.decode(data), received
