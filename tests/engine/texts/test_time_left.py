"""The time left is told when enough is known, and without the start of the workers."""

from __future__ import annotations

import pytest

from tiltyard_engine.texts.time_left import ENOUGH, LONG_ENOUGH, TimeLeft, clock


class Clock:
    now = 1000.0


@pytest.fixture
def ticking(monkeypatch: pytest.MonkeyPatch) -> Clock:
    ticking = Clock()
    monkeypatch.setattr("time.monotonic", lambda: ticking.now)
    return ticking


def test_nothing_is_said_of_too_little(ticking: Clock) -> None:
    left = TimeLeft()
    assert left.text(100) == ""
    for _ in range(ENOUGH - 1):
        ticking.now += 0.5
        left.count()
        assert left.text(100) == ""
    ticking.now += 0.5
    left.count()
    assert left.text(100) == "0:50 left"
    assert left.text(0) == ""


def test_the_start_of_the_workers_does_not_count(ticking: Clock) -> None:
    left = TimeLeft()
    ticking.now += 20
    for _ in range(11):
        left.count()
        ticking.now += 1
    assert left.rate() == pytest.approx(10 / 11)


def test_slow_pieces_need_not_be_many(ticking: Clock) -> None:
    left = TimeLeft()
    left.count()
    ticking.now += LONG_ENOUGH
    assert left.text(3) == ""
    left.count()
    assert left.text(3) == "1:30 left"


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0:00"), (24.4, "0:24"), (59.6, "1:00"), (723, "12:03"), (3723, "1:02:03"), (360000, "100:00:00")]
)
def test_clock(seconds: float, text: str) -> None:
    assert clock(seconds) == text
