"""The steps of a check, for people and for programs; among them how near a team came to its limits over all matches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final

from tiltyard_checks.runs.difference import Difference
from tiltyard_engine.match_record import MatchRecord, SeatAccount
from tiltyard_engine.results import Termination
from tiltyard_engine.texts.quantities import counted, in_seconds
from tiltyard_simulator.match.limits import Limits
from tiltyard_simulator.match.spec import MatchSpec

NEAR: Final = 0.5
"""From this share of a limit on a warning is due: another machine, another map may need twice as much."""
MEBIBYTE: Final = 1 << 20
STARTING: Final = ("starting up", "starting")


class StepMark(StrEnum):
    """How a step came out."""

    OK = "ok"
    WARNING = "warning"
    """The team can play, but something should be looked at."""
    FAILED = "FAILED"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One thing that was checked."""

    name: str
    mark: StepMark
    detail: str
    """One line."""
    traceback: str = ""
    """The team's own."""
    output: bytes = b""
    """What the team printed in the match that failed."""
    advice: str = ""
    """What to do next."""
    numbers: Mapping[str, float] = field(default_factory=dict)
    match: tuple[MatchSpec, MatchRecord] | None = None
    """The match that failed."""
    difference: Difference | None = None
    """Where two runs of a match part, if they do."""

    def plain(self) -> dict[str, Any]:
        """All but the match and the boards of a difference, for JSON."""
        return {
            "step": self.name,
            "mark": self.mark.value,
            "detail": self.detail,
            "traceback": self.traceback,
            "output": self.output.decode("utf-8", "backslashreplace"),
            "advice": self.advice,
            "numbers": dict(self.numbers),
        }


@dataclass(slots=True, kw_only=True)
class Usage:
    """What the team used in the matches so far."""

    limits: Limits
    starts: list[float] = field(default_factory=list)
    """CPU seconds of each start."""
    calls: list[tuple[float, float]] = field(default_factory=list)
    """CPU seconds of each call after that, and its limit."""
    matches: list[tuple[float, int]] = field(default_factory=list)
    """CPU seconds of each match, and its rounds."""
    peak_bytes: int = 0
    output_bytes: int = 0
    broken: set[Termination] = field(default_factory=set)
    """Limits that ended a match. The call that exceeded one is not in the numbers here."""

    def add(self, account: SeatAccount, rounds: int, broken: Termination | None = None) -> None:
        """Count a match, and the limit that ended it for the team."""
        if broken is not None:
            self.broken.add(broken)
        for what, cpu, allowed in account.calls:
            if what in STARTING:
                self.starts.append(cpu)
            else:
                self.calls.append((cpu, allowed))
        self.matches.append((account.cpu_seconds, rounds))
        self.peak_bytes = max(self.peak_bytes, account.peak_bytes)
        self.output_bytes = max(self.output_bytes, len(account.output))


def limit_steps(usage: Usage) -> Iterator[Step]:
    """A step for each of start-up time, time a move, match time, memory and output, compared with its limit."""
    limits = usage.limits
    if usage.starts:
        yield _step("start-up time", max(usage.starts), limits.startup_seconds, f"{_time(max(usage.starts))} at most")
    if usage.calls:
        yield _moves(usage.calls, not usage.broken.isdisjoint((Termination.TIMEOUT, Termination.STALL)))
    if usage.matches:
        seconds, rounds = max(usage.matches)
        yield _step("match time", seconds, limits.match_seconds, f"{_time(seconds)} at most, in {counted(rounds, 'round')}")
    if usage.peak_bytes:
        peak = f"{usage.peak_bytes / MEBIBYTE:.0f} MiB at most, including Python itself"
        step = _step("memory", usage.peak_bytes, limits.memory_bytes, peak, f"{limits.memory_bytes / MEBIBYTE:.0f} MiB")
        if Termination.OUT_OF_MEMORY in usage.broken:
            step = replace(step, mark=StepMark.FAILED, detail=f"the limit was reached: {limits.memory_bytes / MEBIBYTE:.0f} MiB")
        yield step
    if usage.output_bytes:
        amount = f"{counted(usage.output_bytes, 'byte')} printed in a match"
        yield _step("output", usage.output_bytes, limits.output_bytes, amount, f"{limits.output_bytes} bytes that are saved")


def _moves(calls: Sequence[tuple[float, float]], was_late: bool) -> Step:
    """The times of moves. The call nearest to its own limit counts: several tanks asked at once have more time."""
    seconds = sorted(cpu for cpu, _ in calls)
    median, high = quantile(seconds, 0.5), quantile(seconds, 0.99)
    nearest, allowed = max(calls, key=lambda call: call[0] / call[1])
    text = f"median {_time(median)}, 99 % within {_time(high)}, longest {_time(seconds[-1])}"
    step = _step("time a move", nearest, allowed, text)
    numbers = {"calls": len(calls), "median": median, "p99": high, "max": seconds[-1], **step.numbers}
    if was_late:
        return Step(name=step.name, mark=StepMark.FAILED, detail=f"the limit was reached; all other moves: {text}", numbers=numbers)
    return replace(step, numbers=numbers)


def quantile(values: Sequence[float], share: float) -> float:
    """The value that ``share`` of the sorted ``values`` do not exceed."""
    return values[min(len(values) - 1, max(0, -int(-share * len(values) // 1) - 1))]


def _step(name: str, value: float, limit: float, text: str, limit_text: str = "") -> Step:
    share = value / limit
    near = share >= NEAR
    detail = f"{text}: {_percent(share)} of {limit_text or in_seconds(limit)}"
    advice = "near the limit; on a slower machine or a larger map it may be exceeded" if near else ""
    return Step(
        name=name,
        mark=StepMark.WARNING if near else StepMark.OK,
        detail=detail,
        advice=advice,
        numbers={"used": value, "limit": limit},
    )


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.01 else "under 1 %"


def _time(seconds: float) -> str:
    return f"{1000 * seconds:.2f} ms" if seconds < 1 else f"{seconds:.2f} s"
