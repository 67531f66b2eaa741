"""How a board of Penguins looks: ice on dark water, fish as digits, penguins as discs in their player's colour."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
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
    yield WATER, SquareStyle(glyph="  ", plain="~~", foreground="#2d6a8e", background=SEA, label="water")
    for fish in (1, 2, 3):
        label = f"floe with {fish} fish"
        yield FLOES[fish], SquareStyle(glyph=f"{fish} ", plain=f"{fish} ", foreground=INK, background=ICE[fish], label=label)
    for seat, (color, mark_color) in enumerate(zip(SEAT_COLORS, MARK_COLORS, strict=True), start=1):
        letter, label = PENGUINS[seat], f"penguin of player {seat}"
        penguin = SquareStyle(
            glyph=f"●{seat}",
            plain=f"{letter}{seat}",
            foreground=mark_color,
            background=color,
            label=label,
            shape="disc",
            mark=str(seat),
            seat=seat,
        )
        yield letter, penguin
        out = replace(penguin, glyph=f"+{seat}", plain=f"{letter}x", mark="+", label=f"{label}, who is out")
        yield OUT[seat], replace(out, foreground=color, background=SEA)


THEME: Final = Theme(styles=dict(_styles()), seat_colors=SEAT_COLORS)
