"""What the sandbox denies to a watched program, for people who look for the reason why it ends at its start.

The filter of a watched cell asks a listener in the host about each call that it denies. The kernel holds the caller until the
listener has answered, and its answer is always that of the filter: EPERM. Calls that look for a path go on in any case, and what
confines the cell decides about them as always. So a watched program can do nothing that others can't.
"""

from __future__ import annotations

import contextlib
import errno
import os
import select
import socket
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from tiltyard_engine.data_classes import dataclass
from tiltyard_engine.programs import DENIED
from tiltyard_simulator.guard.confinement.kernel.seccomp_notify import SeccompNotice, check_waiting, deny, let_go_on, receive_notice
from tiltyard_simulator.guard.confinement.kernel.system_calls import PATHS

_PATH_FIRST: Final = ("open", "execve", "stat", "lstat", "access")
"""The other calls have a folder's descriptor before the path."""
_LONGEST_PATH: Final = 500
_KEPT: Final = 1000
_TOLD: Final = 8
"""So many are named in a fault."""
_KEPT_FLAGS: Final = os.O_ACCMODE | os.O_CREAT | os.O_DIRECTORY | os.O_PATH
_REFUSED: Final = (errno.EACCES, errno.EPERM, errno.EROFS)


@dataclass(frozen=True, slots=True)
class PathLookup:
    """A path that a program has looked for."""

    path: str
    flags: int
    """As of open(2), without those that would change an existing file."""


class DenialWatcher:
    """Listens to one cell until all its processes have ended. ``theirs`` is for the cell, which sends its listener through it."""

    def __init__(self) -> None:
        self._ours, self.theirs = socket.socketpair()
        self._noted: OrderedDict[str | PathLookup, None] = OrderedDict()
        """Names of calls that were denied, and lookups; the latest last."""
        self._lock = threading.Lock()
        threading.Thread(target=self._listen, name="denials", daemon=True).start()

    def clear(self) -> None:
        """Forget what was noted while the cell was made ready."""
        with self._lock:
            self._noted.clear()

    @property
    def noted(self) -> list[str | PathLookup]:
        """Names of denied calls, and lookups, which need not have failed; the latest last."""
        with self._lock:
            return [*self._noted]

    def _listen(self) -> None:
        with self._ours:
            try:
                _, listeners, _, _ = socket.recv_fds(self._ours, 1, 1)
            except OSError:
                return
        for listener in listeners:
            try:
                poller = select.poll()
                poller.register(listener, select.POLLIN)
                while all(events & select.POLLIN for _, events in poller.poll()):
                    # The caller may have been killed, or a signal may have ended its wait.
                    with contextlib.suppress(FileNotFoundError, InterruptedError):
                        self._answer(listener)
            finally:
                os.close(listener)

    def _answer(self, listener: int) -> None:
        notice = receive_notice(listener)
        is_lookup = notice.name in PATHS
        noted = _lookup(notice) if is_lookup else notice.name
        check_waiting(listener, notice)
        if noted is not None:
            with self._lock:
                self._noted[noted] = None
                self._noted.move_to_end(noted)
                if len(self._noted) > _KEPT:
                    self._noted.popitem(last=False)
        (let_go_on if is_lookup else deny)(listener, notice)


def _lookup(notice: SeccompNotice) -> PathLookup | None:
    """What a call looks for; None if that lies in its working folder, or if it can't be read or printed."""
    name, arguments = notice.name, notice.arguments
    place = 0 if name in _PATH_FIRST else 1
    try:
        with Path(f"/proc/{notice.thread}/mem").open("rb", buffering=0) as memory:
            text = os.pread(memory.fileno(), _LONGEST_PATH, arguments[place])
        path = text[: text.index(b"\0")].decode()
    except (OSError, OverflowError, ValueError):
        return None
    # What lies in the working folder is its own.
    if not path.startswith("/") or not path.isprintable():
        return None
    if name.startswith("open"):
        return PathLookup(path, arguments[place + 1] & _KEPT_FLAGS)
    return PathLookup(path, os.O_RDONLY if name == "execve" else os.O_PATH)


def try_lookups(lookups: Iterable[tuple[str, int]]) -> list[int]:
    """Open each path here, in the cell; the error numbers, or 0."""
    numbers: list[int] = []
    for path, flags in lookups:
        try:
            os.close(os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC, 0o600))
            numbers.append(0)
        except OSError as error:
            numbers.append(error.errno or errno.EIO)
    return numbers


def denied_among(noted: Iterable[str | PathLookup], errors: Mapping[PathLookup, int]) -> list[str]:
    """Of what was noted, the names of the calls, and the paths of those lookups that the cell denies; the latest last."""
    paths: dict[str, None] = {}
    for each in noted:
        name = each if isinstance(each, str) else each.path
        if isinstance(each, str) or _is_denied(each, errors.get(each, 0)):
            paths.pop(name, None)
            paths[name] = None
    return [*paths]


def _is_denied(lookup: PathLookup, number: int) -> bool:
    """Whether the cell alone is the reason why its lookup failed with this error."""
    path = Path(lookup.path)
    if path.parts[1:2] == ("proc",) and path.parts[2:3] and path.parts[2].isdecimal():
        # Of another process, if this one is in another namespace.
        return False
    try:
        is_there = os.path.lexists(path)
    except ValueError:
        return False
    if number == errno.ENOENT:
        return is_there or (bool(lookup.flags & os.O_CREAT) and path.parent.is_dir())
    return number in _REFUSED


def in_words(denied: list[str]) -> str:
    """To be added to a fault's message: what was denied, the latest first; empty if there is nothing."""
    if not denied:
        return ""
    more = f" and {len(denied) - _TOLD} more" if len(denied) > _TOLD else ""
    return f"; {DENIED}, the latest first: {', '.join(denied[: -_TOLD - 1 : -1])}{more}"
