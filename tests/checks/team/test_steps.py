from __future__ import annotations

import pytest

from tiltyard_checks.team.steps import Step, StepMark, Usage, limit_steps, quantile
from tiltyard_engine.match_record import SeatAccount
from tiltyard_engine.results import Termination
from tiltyard_simulator.match.limits import Limits

LIMITS = Limits(startup_seconds=1, move_seconds=0.1, match_seconds=10, memory_bytes=100 << 20, output_bytes=1000)


def steps(*accounts: SeatAccount, broken: Termination | None = None) -> dict[str, Step]:
    used = Usage(limits=LIMITS)
    for account in accounts:
        used.add(account, 50, broken)
    return {step.name: step for step in limit_steps(used)}


def test_numbers_against_their_limits() -> None:
    calls = (("starting up", 0.2, 1.0), ("get_action", 0.01, 0.1), ("get_action", 0.06, 0.3), ("creating tank 0", 0.02, 0.1))
    found = steps(
        SeatAccount(held="x", output=b"hello", cpu_seconds=1.0, peak_bytes=20 << 20, calls=calls),
        SeatAccount(held="x", output=b"", cpu_seconds=2.0, peak_bytes=30 << 20),
    )
    assert {name: (step.mark, step.detail) for name, step in found.items()} == {
        "start-up time": (StepMark.OK, "200.00 ms at most: 20 % of 1 s"),
        "time a move": (StepMark.OK, "median 20.00 ms, 99 % within 60.00 ms, longest 60.00 ms: 20 % of 0.3 s"),
        "match time": (StepMark.OK, "2.00 s at most, in 50 rounds: 20 % of 10 s"),
        "memory": (StepMark.OK, "30 MiB at most, including Python itself: 30 % of 100 MiB"),
        "output": (StepMark.OK, "5 bytes printed in a match: under 1 % of 1000 bytes that are saved"),
    }
    assert found["time a move"].numbers == {"calls": 3, "median": 0.02, "p99": 0.06, "max": 0.06, "used": 0.06, "limit": 0.3}


def test_near_a_limit() -> None:
    near = SeatAccount(
        held="x", output=b"x" * 600, cpu_seconds=6.0, peak_bytes=60 << 20, calls=(("starting", 0.6, 1.0), ("choose", 0.05, 0.1))
    )
    found = steps(near)
    assert {step.mark for step in found.values()} == {StepMark.WARNING}
    assert found["time a move"].advice.startswith("near the limit")


def test_a_call_that_is_long_but_had_the_time_is_fine() -> None:
    found = steps(SeatAccount(held="x", calls=(("get_action", 0.09, 1.0), ("get_action", 0.01, 0.1))))
    assert (found["time a move"].mark, found["time a move"].numbers["max"]) == (StepMark.OK, 0.09)


def test_limits_that_were_reached() -> None:
    account = SeatAccount(held="x", peak_bytes=1, calls=(("get_action", 0.01, 0.1),))
    late = steps(account, broken=Termination.TIMEOUT)
    assert (late["time a move"].mark, late["memory"].mark) == (StepMark.FAILED, StepMark.OK)
    assert late["time a move"].detail.startswith("the limit was reached; all other moves: median 10.00 ms")
    full = steps(account, broken=Termination.OUT_OF_MEMORY)
    assert (full["time a move"].mark, full["memory"].mark) == (StepMark.OK, StepMark.FAILED)


@pytest.mark.parametrize(("share", "expected"), [(0.0, 1), (0.5, 5), (0.51, 6), (0.9, 9), (0.99, 10), (1.0, 10)])
def test_quantiles(share: float, expected: int) -> None:
    assert quantile(list(range(1, 11)), share) == expected


def test_nothing_used_says_nothing() -> None:
    assert list(limit_steps(Usage(limits=LIMITS))) == []


def test_steps_as_plain_values() -> None:
    step = Step(name="x", mark=StepMark.FAILED, detail="y", output=b"\xff", numbers={"a": 1.0})
    assert step.plain() == {
        "step": "x",
        "mark": "FAILED",
        "detail": "y",
        "traceback": "",
        "output": "\\xff",
        "advice": "",
        "numbers": {"a": 1.0},
    }
