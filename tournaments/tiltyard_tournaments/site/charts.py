"""Charts as rows of SVG whose positions are percentages: they fit any width without a script and without distortion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log10

from markupsafe import Markup

PAD = 4.0
"""Percent left free at each end, for labels of the outermost ticks."""


@dataclass(frozen=True, slots=True)
class Scale:
    """From values to percents of the width."""

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


def interval_row(shown: Scale, value: float, low: float, high: float, middle: float | None = None) -> Markup:
    """One row of a chart: grid, error bar and dot. Hidden from screen readers, which get the numbers beside it."""
    lines = [_vertical(shown.at(tick), "grid") for tick in shown.ticks]
    if middle is not None:
        lines.append(_vertical(shown.at(middle), "middle"))
    left, right = shown.at(low), shown.at(high)
    return Markup("").join(
        [
            Markup('<svg class="chart-row" aria-hidden="true" focusable="false" width="100%" height="28">'),
            *lines,
            Markup('<line class="bar" x1="{}" x2="{}" y1="14" y2="14"/>').format(left, right),
            Markup(
                '<line class="bar" x1="{0}" x2="{0}" y1="9" y2="19"/><line class="bar" x1="{1}" x2="{1}" y1="9" y2="19"/>'
            ).format(left, right),
            Markup('<circle class="dot" cx="{}" cy="14" r="5"/>').format(shown.at(value)),
            Markup("</svg>"),
        ]
    )


def axis(shown: Scale, percent: bool = False) -> Markup:
    """The numbers under the grid."""
    labels = [f"{tick:.0%}" if percent else f"{tick:g}" for tick in shown.ticks]
    texts = [
        Markup('<text x="{}" y="14" text-anchor="middle">{}</text>').format(shown.at(tick), label.replace("-", "\u2212"))
        for tick, label in zip(shown.ticks, labels, strict=True)
    ]
    return Markup('<svg class="chart-axis" aria-hidden="true" focusable="false" width="100%" height="20">{}</svg>').format(
        Markup("").join(texts)
    )


def _vertical(at: str, kind: str) -> Markup:
    return Markup('<line class="{0}" x1="{1}" x2="{1}" y1="0" y2="28"/>').format(kind, at)
