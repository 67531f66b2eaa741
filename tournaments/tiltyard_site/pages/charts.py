"""Where values stand in a chart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log10
from typing import Final

PAD: Final = 4.0
"""Percent left free at each end of a chart, for labels of the outermost ticks."""


@dataclass(frozen=True, slots=True)
class Scale:
    """From values to percents of a chart's width: it fits any width without a script and without distortion."""

    low: float
    high: float
    ticks: tuple[float, ...]

    def at(self, value: float) -> str:
        """Where a value stands, such as ``37.5%``."""
        span = self.high - self.low or 1.0
        share = min(1.0, max(0.0, (value - self.low) / span))
        return f"{PAD + share * (100 - 2 * PAD):.2f}%"


def scale(values: Sequence[float], ticks: int = 5) -> Scale:
    """A scale with round ticks that holds all values."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    if high - low < 1e-9:
        low, high = low - 0.5, high + 0.5
    raw = (high - low) / ticks
    power = 10.0 ** floor(log10(raw))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= raw)
    first, last = floor(low / step), -floor(-high / step)
    # Rounded: three times 0.1 is not 0.3.
    marks = tuple(round(number * step, 9) for number in range(int(first), int(last) + 1))
    return Scale(marks[0], marks[-1], marks)


SHARES: Final = Scale(0.0, 1.0, (0.0, 0.25, 0.5, 0.75, 1.0))
