"""System calls that a filter leaves to a listener, which looks at them, and denies them or lets them go on.

The kernel holds the caller until the listener has answered. If the last descriptor of the listener is closed, the call fails with
ENOSYS. A call that goes on is made with the arguments that the listener saw; memory that these point to may have changed meanwhile.
Source: seccomp_unotify(2).
"""

from __future__ import annotations

import errno
import fcntl
import struct
from functools import cache
from typing import Final

from tiltyard_engine.data_classes import dataclass
from tiltyard_simulator.guard.confinement.kernel.system_calls import this_architecture

_RECEIVE: Final = 0xC0502100
_SEND: Final = 0xC0182101
_STILL_WAITS: Final = 0x40082102
_ADD_DESCRIPTOR: Final = 0x40182103
"""SECCOMP_IOCTL_NOTIF_RECV, _SEND, _ID_VALID and _ADDFD."""
_NOTICE: Final = struct.Struct("=QIIiIQ6Q")
"""struct seccomp_notif: id, thread, flags, then struct seccomp_data: number, architecture, instruction, arguments."""
_ANSWER: Final = struct.Struct("=QqiI")
"""struct seccomp_notif_resp: id, value, error, flags."""
_ADDED: Final = struct.Struct("=QIIII")
"""struct seccomp_notif_addfd: id, flags, the listener's descriptor, the caller's, its flags."""
_IDENTITY: Final = struct.Struct("=Q")
_CONTINUE: Final = 1
_AT_THAT_NUMBER: Final = 1


@dataclass(frozen=True, slots=True)
class SeccompNotice:
    """A call that waits for an answer."""

    identity: int
    thread: int
    """Its number in the listener's process namespace."""
    name: str
    arguments: tuple[int, ...]


def receive_notice(listener: int) -> SeccompNotice:
    """The next call; waits for it.

    Raises:
        FileNotFoundError: the caller has been killed meanwhile.
        InterruptedError: a signal has ended its wait.
        OSError: there are no more callers.
    """
    data = bytearray(_NOTICE.size)
    fcntl.ioctl(listener, _RECEIVE, data)
    identity, thread, _, number, _, _, *arguments = _NOTICE.unpack(data)
    return SeccompNotice(identity, thread, _names().get(number, f"system call {number}"), tuple(arguments))


def check_waiting(listener: int, notice: SeccompNotice) -> None:
    """Make sure that what was just read of the caller is not of another thread that got its number.

    Raises:
        FileNotFoundError: the caller has gone.
    """
    _tell(listener, _STILL_WAITS, _IDENTITY.pack(notice.identity))


def let_go_on(listener: int, notice: SeccompNotice) -> None:
    """Let the kernel make the call. Raises FileNotFoundError if the caller has gone."""
    _tell(listener, _SEND, bytearray(_ANSWER.pack(notice.identity, 0, 0, _CONTINUE)))


def deny(listener: int, notice: SeccompNotice) -> None:
    """Let the call fail with EPERM. Raises FileNotFoundError if the caller has gone."""
    _tell(listener, _SEND, bytearray(_ANSWER.pack(notice.identity, 0, -errno.EPERM, 0)))


def give_descriptor(listener: int, notice: SeccompNotice, descriptor: int, number: int) -> None:
    """Open one of this process's descriptors in the caller too, under a number of its own. What was there is closed.

    Raises:
        OSError: the caller has gone, or may not have such a number.
    """
    _tell(listener, _ADD_DESCRIPTOR, bytearray(_ADDED.pack(notice.identity, _AT_THAT_NUMBER, descriptor, number, 0)))


def _tell(listener: int, request: int, data: bytes | bytearray) -> None:
    """Tell the kernel, also if a signal comes meanwhile, such as that a child has ended."""
    while True:
        try:
            fcntl.ioctl(listener, request, data)
        except InterruptedError:
            continue
        return


@cache
def _names() -> dict[int, str]:
    architecture = this_architecture()
    return {number: name for name, number in architecture.calls.items()} if architecture is not None else {}
