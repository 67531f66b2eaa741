"""Messages that differ in what was measured alone, such as ``1.00 s`` and ``1.31 s``: one message with the range of the figures.

A fault has its measured time or size in its message alone, so there it is found: a number with a decimal point before a unit.
Limits are the same in messages of the same kind.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_FIGURE: Final = re.compile(r"\b\d{1,12}\.\d{1,6}(?= (?:s|ms|kB|KB|KiB|MB|MiB|GB|GiB)\b)")


def without_figures(message: str) -> tuple[str, ...]:
    """The text around measured figures: equal for messages that differ in these alone."""
    return tuple(_FIGURE.split(message))


def with_ranges(messages: Sequence[str]) -> str:
    """One message for several that have the same ``without_figures``: where figures differ, the lowest to the highest."""
    columns = iter(list(zip(*(_FIGURE.findall(message) for message in messages), strict=True)))

    def span(_: re.Match[str]) -> str:
        figures = sorted(next(columns), key=lambda figure: (float(figure), figure))
        return figures[0] if figures[0] == figures[-1] else f"{figures[0]} to {figures[-1]}"

    return _FIGURE.sub(span, messages[0])
