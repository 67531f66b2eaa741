"""What a terminal can show, and colours brought down to it."""

from __future__ import annotations

import pytest

from tiltyard_kit.terminal.palette import INDEXED, PLAIN, SIXTEEN, Palette, nearest_color, palette_of


@pytest.mark.parametrize(
    ("color", "number"), [("#000000", 16), ("#ffffff", 231), ("#808080", 244), ("#ff0000", 196), ("#0072b2", 25)]
)
def test_the_nearest_of_256_colours(color: str, number: int) -> None:
    assert nearest_color(color) == number


class _Stream:
    encoding = "utf-8"

    def __init__(self, terminal: bool) -> None:
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


@pytest.mark.parametrize(
    ("terminal", "environment", "color", "expected"),
    [
        (True, {"TERM": "xterm-256color"}, None, INDEXED),
        (True, {"TERM": "xterm"}, None, SIXTEEN),
        (True, {"TERM": "xterm", "NO_COLOR": "1"}, None, PLAIN),
        (True, {"TERM": "dumb"}, None, PLAIN),
        (False, {"TERM": "xterm"}, None, PLAIN),
        (False, {"TERM": "xterm"}, True, SIXTEEN),
        (True, {"TERM": "xterm"}, False, PLAIN),
    ],
)
def test_what_a_terminal_can_show(terminal: bool, environment: dict[str, str], color: bool | None, expected: int) -> None:
    palette = palette_of(_Stream(terminal), environment, color)  # type: ignore[arg-type]
    assert palette == Palette(expected, unicode=True)
