"""Events as JSON lines: for log files and for programs that follow a run."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

import msgspec

from tiltyard_engine.errors import file_errors
from tiltyard_engine.errors.named_paths import check_output
from tiltyard_engine.lifecycle import BatchStarted, Event, MatchFault, MatchStarted, Notice, TournamentFinished, TournamentStarted
from tiltyard_engine.match_record import Outcome
from tiltyard_engine.results import Fault
from tiltyard_simulator.output.result_files import sync_file

_ENCODER = msgspec.json.Encoder()


def event_line(event: Event) -> bytes:
    """One JSON object and a newline; ``event`` names the kind, ``at`` the time (ISO 8601, UTC)."""
    head = {"event": _NAMES[type(event)], "at": datetime.now(UTC).isoformat(timespec="milliseconds")}
    return _ENCODER.encode({**head, **_content(event)}) + b"\n"


_NAMES = {
    Notice: "notice",
    TournamentStarted: "tournament started",
    BatchStarted: "batch started",
    MatchStarted: "match started",
    MatchFault: "fault",
    Outcome: "match finished",
    TournamentFinished: "tournament finished",
}

_OF_A_MATCH = (
    *("place", "key", "teams", "map", "manager", "winner", "ranks", "seed", "game", "stage", "scores", "counts"),
    *("reason", "message", "rounds", "faults", "held", "incidents", "seconds", "played", "digest"),
)
"""What a line tells of a record: not the final board, nor a GameManager's own file, which are long; the store has them."""


def _content(event: Event) -> dict[str, Any]:
    if isinstance(event, Outcome):
        return {**{name: getattr(event, name) for name in _OF_A_MATCH}, "faults": [_fault(fault) for fault in event.faults]}
    content: dict[str, Any] = {field.name: getattr(event, field.name) for field in fields(event)}
    if isinstance(event, MatchFault):
        del content["fault"]
        return {**content, **_fault(event.fault)}
    return content


def _fault(fault: Fault) -> dict[str, Any]:
    """Without its traceback, which may be long; the store has it."""
    return {"seat": fault.seat, "kind": fault.termination.value, "message": fault.message, "round": fault.round}


class EventLog:
    """A file that gets a line for each event.

    Raises:
        UserError: it cannot be opened, or, later, not written.
    """

    def __init__(self, path: Path) -> None:
        check_output(path, "a log of events", lambda head: head.startswith(b'{"event":'))
        self.path = path
        with file_errors(path, "written"):
            self._file: IO[bytes] = path.open("ab", buffering=0)
        # Nothing that goes into a pipe is ever on a disk.
        self._is_kept = stat.S_ISREG(os.fstat(self._file.fileno()).st_mode)
        if self._is_kept:
            sync_file(path.absolute().parent)

    def write(self, events: Sequence[Event]) -> None:
        """Write them down, so that they survive a power cut."""
        with file_errors(self.path, "written"):
            self._file.write(b"".join(map(event_line, events)))
            if self._is_kept:
                os.fdatasync(self._file)

    def close(self) -> None:
        """Give the file back."""
        self._file.close()
