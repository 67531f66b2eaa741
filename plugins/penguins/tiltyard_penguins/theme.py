"""How a board of Penguins looks: ice on dark water, fish as digits, penguins as discs in their player's colour."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tiltyard_engine.replay import SquareStyle, Theme
from tiltyard_penguins.recording import FLOES, OUT, PENGUINS, WATER

SEAT_COLORS: Final = (
    "#0072b2",  # blue
    "#e69f00",  # orange
    "#009e73",  # bluish green
    "#cc79a7",  # reddish purple
    "#56b4e9",  # sky blue
    "#d55e00",  # vermilion
    "#f0e442",  # yellow
    "#999999",  # grey
    "#000000",  # black
)
"""Those of Okabe and Ito, which people with any kind of colour vision can tell apart, and grey; seat 1 first."""
MARK_COLORS: Final = ("#ffffff", "#000000", "#000000", "#000000", "#000000", "#000000", "#000000", "#000000", "#ffffff")
"""Whichever of black and white reads better on the seat's colour."""
SEA: Final = "#12405c"
ICE: Final = ("", "#dfeef5", "#b9d9e8", "#8fc0d8")
"""By fish: the more, the darker."""
INK: Final = "#12303f"


def _styles() -> Iterator[tuple[str, SquareStyle]]:
    yield WATER, SquareStyle("  ", "~~", "#2d6a8e", SEA, "water")
    for fish in (1, 2, 3):
        label = f"floe with {fish} fish"
        yield FLOES[fish], SquareStyle(f"{fish} ", f"{fish} ", INK, ICE[fish], label)
    for seat, (color, mark_color) in enumerate(zip(SEAT_COLORS, MARK_COLORS, strict=True), start=1):
        letter = PENGUINS[seat]
        label = f"penguin of player {seat}"
        yield letter, SquareStyle(f"●{seat}", f"{letter}{seat}", mark_color, color, label, "disc", 0, str(seat), seat)
        yield (
            OUT[seat],
            SquareStyle(f"+{seat}", f"{letter}x", color, SEA, f"{label}, who is out", "disc", 0, "+", seat),
        )


THEME: Final = Theme(dict(_styles()), SEAT_COLORS)
