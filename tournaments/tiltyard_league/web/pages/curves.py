"""A team's rating over time as a drawing: coordinates from 0 to 100 in both directions, which the page stretches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

MOST_MARKS: Final = 6
"""Times below the drawing, at most."""
STEPS: Final = (*(timedelta(hours=hours) for hours in (1, 2, 3, 6, 12)), *(timedelta(days=days) for days in (1, 2, 7, 14, 28)))
LEAST_POINTS: Final = 3
EDGE: Final = 5.0
"""A time nearer to an edge would be cut off."""


@dataclass(frozen=True, slots=True)
class Curve:
    """What is drawn of a team's rating."""

    line: str
    """The points of the rating, as SVG has them."""
    band: str
    """The points around its 95 % interval."""
    versions: tuple[float, ...]
    """Where a version was accepted."""
    marks: tuple[tuple[float, str], ...]
    """Times: hours within a day, days within a term."""
    low: float
    high: float
    points: tuple[tuple[str, float, float], ...]
    """When, rating, error; for those who don't see the drawing."""


def make_curve(points: Sequence[tuple[str, float, float]], accepted: Sequence[str]) -> Curve | None:
    """The drawing of these points (when, rating, error), earlier ones first; None if they are too few.

    Args:
        points: two or more at different times.
        accepted: when versions were.
    """
    if len(points) < LEAST_POINTS or points[0][0] >= points[-1][0]:
        return None
    times = [datetime.fromisoformat(at) for at, _, _ in points]
    first, last = times[0], times[-1]
    low = min(rating - error for _, rating, error in points)
    high = max(rating + error for _, rating, error in points)
    tall = max(high - low, 1.0)

    def x(at: datetime) -> float:
        return round(100 * ((at - first) / (last - first)), 2)

    def y(rating: float) -> float:
        return round(100 * (high - rating) / tall, 2)

    upper = [f"{x(at)},{y(rating + error)}" for at, (_, rating, error) in zip(times, points, strict=True)]
    lower = [f"{x(at)},{y(rating - error)}" for at, (_, rating, error) in zip(times, points, strict=True)]
    return Curve(
        line=" ".join(f"{x(at)},{y(rating)}" for at, (_, rating, _) in zip(times, points, strict=True)),
        band=" ".join([*upper, *reversed(lower)]),
        versions=tuple(x(at) for at in map(datetime.fromisoformat, sorted(filter(None, accepted))) if first < at < last),
        marks=tuple((x(at), words) for at, words in _marks(first, last) if EDGE <= x(at) <= 100 - EDGE),
        low=low,
        high=high,
        points=tuple(points),
    )


def _marks(first: datetime, last: datetime) -> list[tuple[datetime, str]]:
    """Full hours or midnights, some of them."""
    step = next((step for step in STEPS if (last - first) / step <= MOST_MARKS), STEPS[-1])
    at = first.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    marks: list[tuple[datetime, str]] = []
    while at <= last:
        if at >= first:
            marks.append((at, f"{at:%H:%M}" if step < timedelta(days=1) and at.hour else f"{at:%b} {at.day}"))
        at += step
    return marks
