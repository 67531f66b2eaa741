"""How near a checked team came to its limits, over all matches of the check."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from tiltyard_engine.results import Termination
from tiltyard_simulator.check_steps import Mark, Step
from tiltyard_simulator.guard.limits import Limits
from tiltyard_simulator.specs import SeatAccount

NEAR: Final = 0.5
"""From this share of a limit on a warning is due: another machine, another map may need twice as much."""
MEBIBYTE: Final = 1 << 20
STARTING: Final = ("starting up", "starting")


@dataclass(slots=True)
class Used:
    """What the team used in the matches so far."""

    limits: Limits
    starts: list[float] = field(default_factory=list)
    """CPU seconds of each start."""
    calls: list[tuple[float, float]] = field(default_factory=list)
    """CPU seconds of each call after that, and how many it might have had."""
    matches: list[tuple[float, int]] = field(default_factory=list)
    """CPU seconds of each match, and its rounds."""
    peak_bytes: int = 0
    output_bytes: int = 0
    broken: set[Termination] = field(default_factory=set)
    """Limits that ended a match; the call that it happened in is in no number here."""

    def add(self, account: SeatAccount, rounds: int, broken: Termination | None = None) -> None:
        """Count a match, and the limit that ended it for the team."""
        if broken is not None:
            self.broken.add(broken)
        for what, used, allowed in account.calls:
            if what in STARTING:
                self.starts.append(used)
            else:
                self.calls.append((used, allowed))
        self.matches.append((account.cpu_seconds, rounds))
        self.peak_bytes = max(self.peak_bytes, account.peak_bytes)
        self.output_bytes = max(self.output_bytes, len(account.output))


def limit_steps(used: Used) -> Iterator[Step]:
    """Time of a start, of a move and of a match, memory, output: each against its limit."""
    limits = used.limits
    if used.starts:
        yield _step("start-up time", max(used.starts), limits.startup_seconds, f"{_time(max(used.starts))} at most")
    if used.calls:
        yield _moves(used.calls, not used.broken.isdisjoint((Termination.TIMEOUT, Termination.STALL)))
    if used.matches:
        seconds, rounds = max(used.matches)
        yield _step("match time", seconds, limits.match_seconds, f"{_time(seconds)} at most, in {rounds} rounds")
    if used.peak_bytes:
        peak = f"{used.peak_bytes / MEBIBYTE:.0f} MiB at most with Python's own"
        step = _step("memory", used.peak_bytes, limits.memory_bytes, peak, f"{limits.memory_bytes / MEBIBYTE:.0f} MiB")
        if Termination.OUT_OF_MEMORY in used.broken:
            step = replace(step, mark=Mark.FAILED, detail=f"the limit was reached: {limits.memory_bytes / MEBIBYTE:.0f} MiB")
        yield step
    if used.output_bytes:
        printed = f"{used.output_bytes} bytes printed in a match"
        yield _step("output", used.output_bytes, limits.output_bytes, printed, f"{limits.output_bytes} bytes that are kept")


def _moves(calls: Sequence[tuple[float, float]], was_late: bool) -> Step:
    """The times of moves; what counts is the one that came nearest to its limit: several tanks asked at once have more time."""
    seconds = sorted(used for used, _ in calls)
    median, high = quantile(seconds, 0.5), quantile(seconds, 0.99)
    used, allowed = max(calls, key=lambda call: call[0] / call[1])
    text = f"median {_time(median)}, 99 % within {_time(high)}, longest {_time(seconds[-1])}"
    step = _step("time a move", used, allowed, text)
    numbers = {"calls": len(calls), "median": median, "p99": high, "max": seconds[-1], **step.numbers}
    if was_late:
        return Step(step.name, Mark.FAILED, f"the limit was reached; all other calls: {text}", numbers=numbers)
    return replace(step, numbers=numbers)


def quantile(values: Sequence[float], share: float) -> float:
    """The value that ``share`` of the sorted ``values`` do not exceed."""
    return values[min(len(values) - 1, max(0, -int(-share * len(values) // 1) - 1))]


def _step(name: str, used: float, limit: float, text: str, limit_text: str = "") -> Step:
    share = used / limit
    near = share >= NEAR
    detail = f"{text}: {_percent(share)} of {limit_text or f'{limit:g} s'}"
    advice = "near the limit: a slower machine or a larger map may be too much" if near else ""
    return Step(name, Mark.WARNING if near else Mark.OK, detail, advice=advice, numbers={"used": used, "limit": limit})


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.01 else "under 1 %"


def _time(seconds: float) -> str:
    return f"{1000 * seconds:.2f} ms" if seconds < 1 else f"{seconds:.2f} s"
