"""The colours of what is no token: those of the published site, so that a picture fits beside it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

RGB: TypeAlias = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Look:
    """Colours as ``#rrggbb``."""

    paper: str
    """Around the board."""
    floor: str
    """An empty square."""
    grid: str
    ink: str
    muted: str
    track: str
    """Outlines of pieces."""
    shell: str


LIGHT: Final = Look("#fbfaf7", "#f3f0e8", "#e9e4d9", "#1f1c19", "#655f57", "#2c2a28", "#2c2a28")
DARK: Final = Look("#16181b", "#24282d", "#2c3137", "#eae6df", "#a39d93", "#0c0d0f", "#f4efe4")
LOOKS: Final[Mapping[str, Look]] = {"light": LIGHT, "dark": DARK}

_COLOR: Final = re.compile(r"#[0-9a-fA-F]{6}\Z")


def color_or(color: str, otherwise: str) -> str:
    """A theme's colour; ``otherwise`` where it has none, or no ``#rrggbb``."""
    return color.lower() if _COLOR.match(color) else otherwise


def rgb(color: str) -> RGB:
    """Red, green and blue of ``#rrggbb``."""
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def readable_on(color: str) -> str:
    """Black or white, whichever has more contrast to a colour."""

    def linear(channel: int) -> float:
        share = channel / 255
        return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4

    red, green, blue = map(linear, rgb(color))
    brightness = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    # Where the contrast 1.05 / (b + 0.05) of white equals that of black, (b + 0.05) / 0.05.
    return "#000000" if brightness > 0.179 else "#ffffff"
