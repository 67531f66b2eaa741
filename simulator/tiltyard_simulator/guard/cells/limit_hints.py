"""Finds in a crash's text that a limit or the sandbox caused it. The error that the kernel gives names neither."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from tiltyard_engine.data_classes import dataclass
from tiltyard_simulator.guard.confinement.kernel.rlimits import OPEN_FILES
from tiltyard_simulator.guard.policy import Level
from tiltyard_simulator.match.limits import Limits

_THREAD: Final = re.compile(
    r"can't start new thread|libgomp: Thread creation failed"
    r"|std::system_error(?:'\s+what\(\))?:\s+(?:Operation not permitted|Resource temporarily unavailable)"
)
_REFUSED: Final = re.compile(r"PermissionError|BlockingIOError|Operation not permitted|Resource temporarily unavailable")
_STARTS_PROCESS: Final = re.compile(r"\b(?:fork|forkpty|_?fork_exec|posix_spawnp?|start_new_thread|vfork)\(")
_STARTS_PROGRAM: Final = re.compile(r"\b(?:_?fork_exec|posix_spawnp?|exec[lv]p?e?)\(|, in _execute_child\n")
_SHARES_MEMORY: Final = re.compile(r'/multiprocessing/(?:synchronize|shared_memory|heap)\.py", line ')
_NO_SHARED_MEMORY: Final = re.compile(r"\[Errno (?:2|13|38)\]")
_MEMORY: Final = re.compile(
    r"\b_?(?:Array)?MemoryError(?: \(|$)|\b_ArrayMemoryError: Unable to allocate|\bstd::bad_alloc\b"
    r"|\bfailed to map segment from shared object|\[Errno 12\]|\bCannot allocate memory",
    re.MULTILINE,
)
"""Without words, as the interpreter and numpy raise it. What says more may be the team's own. Of a library that doesn't fit, the
linker says that it failed to map a segment. Source: ``dl-map-segments.h`` of the GNU C library."""
STARTING: Final = frozenset(["the import", "loading", "starting up", "starting"])
"""What a team does in the time of ``startup_seconds``."""
_LARGE_FILE: Final = re.compile(r"\[Errno 27\]|\bFile too large\b")
_FULL: Final = re.compile(r"\[Errno 28\]|\bNo space left on device\b")
_MANY_FILES: Final = re.compile(r"\[Errno 24\]|\bToo many open files\b")
_CLOSED_FILE: Final = re.compile(
    r"\[Errno (?:13|30)\] [^:\n]{1,60}: '|filesystem error: [^\n]{1,200}: (?:Permission denied|Read-only file system) \["
)
_LOOKS_UP: Final = "Temporary failure in name resolution"
_LOCKS_FILE: Final = re.compile(r"\b(?:flock|lockf|fcntl)\(")
_SQLITE_LOCKS: Final = re.compile(r"\bOperationalError: access permission denied\b")
_OPENS_SOCKET: Final = ('/socket.py", line ', "[Errno 1] Operation not permitted")

CLOSED_FILE: Final = (
    " (a team may write only in its scratch folder, which os.environ['TMPDIR'] names, and read only its own files and what is"
    " installed)"
)
NO_PROGRAMS: Final = (
    " (code in the sandbox can't start other programs, whatever its limits;"
    " a team that is itself an external program can: see 'tiltyard explain in-the-sandbox')"
)
NO_SHARED_MEMORY: Final = (
    " (at isolation level B there is no shared memory, which locks, queues and pools of multiprocessing need; level A has it)"
)
NO_LOCKS: Final = (
    " (code in the sandbox can't lock files; sqlite3 works without locks: sqlite3.connect('file:NAME?nolock=1', uri=True))"
)
NO_NETWORK: Final = " (code in the sandbox has no network)"


@dataclass(frozen=True, slots=True)
class LimitHints:
    """What may have stopped the code of one cell."""

    limits: Limits
    level: Level
    """How the cell is confined."""
    whose: str = ""
    """What precedes the names of its limits in ``--limit``: ``manager:``, or nothing for a team."""
    is_of_a_build: bool = False

    def find(self, *texts: str) -> str:
        """What to add to the message of a crash, with a blank before it; empty if nothing here caused it.

        Args:
            texts: the fault's message, its traceback, the last that was printed.
        """
        text = "\n".join(texts)
        limits, is_confined = self.limits, self.level is not Level.C
        hints: tuple[tuple[bool, Callable[[], str]], ...] = (
            (is_confined and _is_program(text), lambda: NO_PROGRAMS),
            (self.level is Level.B and _is_shared_memory(text), lambda: NO_SHARED_MEMORY),
            (_is_process(text), lambda: self._limit("processes", limits.processes, "a team's processes and threads together")),
            (bool(_MEMORY.search(text)), self.memory),
            (bool(_LARGE_FILE.search(text)), lambda: self._size("file_bytes", limits.file_bytes, "one file")),
            # At the other levels, the machine's own disk is full.
            (
                self.level is Level.A and bool(_FULL.search(text)),
                lambda: self._size("scratch_bytes", limits.scratch_bytes, "all files of the scratch folder"),
            ),
            (bool(_MANY_FILES.search(text)), lambda: f" (at most {OPEN_FILES} files may be open; no option changes that)"),
            (is_confined and bool(_CLOSED_FILE.search(text)), lambda: CLOSED_FILE),
            (is_confined and _is_lock(text), lambda: NO_LOCKS),
            (is_confined and _is_network(text), lambda: NO_NETWORK),
        )
        return next((hint() for is_cause, hint in hints if is_cause), "")

    def time(self, doing: str, *, of_the_match: bool = False, waited: bool = False, calls: int = 1) -> str:
        """What to add where time was used up: CPU time, or the time that was waited; for calls at once, or for the whole match."""
        if self.is_of_a_build:
            # Its limits are no team's.
            return ""
        name = "match_seconds" if of_the_match else "startup_seconds" if doing in STARTING else "move_seconds"
        value = f"{getattr(self.limits, name):g}"
        if waited:
            return self._limit("wall_factor", f"{self.limits.wall_factor:g}", f"times {name}={value} until an answer")
        what = (
            "of CPU time for all calls of a match"
            if of_the_match
            else "of CPU time to start"
            if doing in STARTING
            else f"of CPU time a call{f', and {calls} were made at once' if calls > 1 else ''}"
        )
        return self._limit(name, value, f"seconds {what}")

    def memory(self) -> str:
        """What to add where memory was used up."""
        return self._size("memory_bytes", self.limits.memory_bytes, "memory")

    def _size(self, name: str, value: int, what: str) -> str:
        return self._limit(name, value, f"{what}, {value / (1 << 20):g} MiB")

    def _limit(self, name: str, value: float | str, what: str) -> str:
        return f" (limit {name}={value}: {what}; --limit {self.whose}{name}=N allows more)"


def _is_process(text: str) -> bool:
    return bool(_THREAD.search(text)) or (bool(_REFUSED.search(text)) and bool(_STARTS_PROCESS.search(text)))


def _is_program(text: str) -> bool:
    return bool(_REFUSED.search(text)) and bool(_STARTS_PROGRAM.search(text))


def _is_shared_memory(text: str) -> bool:
    return bool(_SHARES_MEMORY.search(text)) and bool(_NO_SHARED_MEMORY.search(text))


def _is_lock(text: str) -> bool:
    return bool(_SQLITE_LOCKS.search(text)) or (bool(_REFUSED.search(text)) and bool(_LOCKS_FILE.search(text)))


def _is_network(text: str) -> bool:
    return _LOOKS_UP in text or all(part in text for part in _OPENS_SOCKET)
