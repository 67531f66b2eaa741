"""A step of a check, for people and for programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from tiltyard_simulator.specs import MatchOutcome, MatchSpec


class Mark(StrEnum):
    """How a step came out."""

    OK = "ok"
    WARNING = "warning"
    """It will do, but something should be looked at."""
    FAILED = "FAILED"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that was checked."""

    name: str
    mark: Mark
    detail: str
    """One line."""
    traceback: str = ""
    """The team's own."""
    output: bytes = b""
    """What the team printed in the match that failed."""
    advice: str = ""
    """What to do next."""
    numbers: Mapping[str, float] = field(default_factory=dict)
    match: tuple[MatchSpec, MatchOutcome] | None = None
    """The match that failed."""

    def plain(self) -> dict[str, Any]:
        """All but the match, for JSON."""
        return {
            "step": self.name,
            "mark": self.mark.value,
            "detail": self.detail,
            "traceback": self.traceback,
            "output": self.output.decode("utf-8", "backslashreplace"),
            "advice": self.advice,
            "numbers": dict(self.numbers),
        }
