"""Events as JSON lines: for log files and for programs that follow a run."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

import msgspec

from tiltyard_engine.errors import UserError
from tiltyard_tournaments.running.events import (
    BatchStarted,
    Event,
    MatchFinished,
    MatchStarted,
    TournamentFinished,
    TournamentStarted,
)

_ENCODER = msgspec.json.Encoder()


def event_line(event: Event) -> bytes:
    """One JSON object and a newline; ``event`` names the kind, ``at`` the time (ISO 8601, UTC)."""
    head = {"event": _NAMES[type(event)], "at": datetime.now(UTC).isoformat(timespec="milliseconds")}
    return _ENCODER.encode({**head, **_content(event)}) + b"\n"


_NAMES = {
    TournamentStarted: "tournament started",
    BatchStarted: "batch started",
    MatchStarted: "match started",
    MatchFinished: "match finished",
    TournamentFinished: "tournament finished",
}


def _content(event: Event) -> dict[str, Any]:
    if isinstance(event, MatchStarted):
        return {"place": event.place, "map": event.spec.map.name, "teams": event.spec.names, "seed": event.spec.seed}
    if isinstance(event, MatchFinished):
        outcome = event.outcome
        return {
            "place": event.place,
            "key": event.key,
            "stage": event.stage,
            "map": event.spec.map.name,
            "teams": event.spec.names,
            "seed": event.spec.seed,
            "winner": outcome.winner,
            "ranks": outcome.ranks,
            "counts": outcome.counts,
            "message": outcome.message,
            "rounds": outcome.claim.rounds,
            "faults": [
                {"seat": fault.seat, "kind": fault.termination.value, "message": fault.message, "round": fault.round}
                for fault in outcome.faults
            ],
            "held": outcome.held,
            "incidents": outcome.incidents,
            "seconds": outcome.seconds,
            "played": event.played,
        }
    content: dict[str, Any] = msgspec.to_builtins(event)
    return content


class EventLog:
    """A file that gets a line for each event, at once.

    Raises:
        UserError: it cannot be opened, or, later, not written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._file: IO[bytes] = path.open("ab", buffering=0)
        except OSError as error:
            raise UserError(f"{path}: cannot be written: {error.strerror}") from error

    def __call__(self, event: Event) -> None:
        """Write it down."""
        try:
            self._file.write(event_line(event))
        except OSError as error:
            raise UserError(f"{self.path}: cannot be written: {error.strerror}") from error

    def close(self) -> None:
        """Give the file back."""
        self._file.close()
