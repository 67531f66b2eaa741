"""``#rrggbb`` colours as escape sequences, brought down to what a terminal can show."""

from __future__ import annotations

import re
from colorsys import rgb_to_hls
from enum import Enum
from functools import lru_cache
from typing import Final, TypeAlias

RGB: TypeAlias = tuple[int, int, int]

_COLOR: Final = re.compile(r"#[0-9a-fA-F]{6}")
GREY: Final = "#808080"
"""Reads on dark and on light terminals."""
RESET: Final = "\x1b[0m"

CUBE_LEVELS: Final = (0, 95, 135, 175, 215, 255)

GREYS: Final = ((0, 0), (8, 127), (7, 229), (15, 255))
"""Of the sixteen colours: number and brightness, as xterm has them."""
HUES: Final = ((34, 1), (75, 3), (170, 2), (195, 6), (270, 4), (340, 5), (360, 1))
"""Up to which hue, in degrees, which of the sixteen: where people stop to say red, yellow, green, cyan, blue, magenta."""
BRIGHT: Final = 0.5
"""From this lightness on, the bright variant."""

COLORFUL: Final = 60
"""From this spread between its channels on, a colour is not shown as a grey."""


class ColorDepth(Enum):
    """How many colours a terminal shows."""

    NONE = "none"
    SIXTEEN = "16"
    INDEXED = "256"
    TRUECOLOR = "truecolor"


@lru_cache(maxsize=1024)
def sgr(depth: ColorDepth, foreground: str = "", background: str = "", *, bold: bool = False) -> str:
    """The sequence that switches to this look from the plain one; empty if it is the plain one or without colours."""
    if depth is ColorDepth.NONE:
        return ""
    codes = ["1" if bold else "", _color_code(foreground, depth, 0), _color_code(background, depth, 10)]
    codes = [code for code in codes if code]
    return f"\x1b[{';'.join(codes)}m" if codes else ""


def _color_code(color: str, depth: ColorDepth, layer: int) -> str:
    """The parameter of an escape sequence, with ``layer`` 10 for the background; empty where ``color`` is not ``#rrggbb``."""
    rgb = parse(color)
    if rgb is None:
        return ""
    if depth is ColorDepth.TRUECOLOR:
        return f"{38 + layer};2;{rgb[0]};{rgb[1]};{rgb[2]}"
    if depth is ColorDepth.INDEXED:
        return f"{38 + layer};5;{nearest_indexed(rgb)}"
    number = one_of_sixteen(rgb)
    return str((30 if number < 8 else 82) + number + layer)


def parse(color: str) -> RGB | None:
    """The channels of ``#rrggbb``, or None."""
    if not _COLOR.fullmatch(color):
        return None
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def nearest_indexed(rgb: RGB) -> int:
    """The nearest of the 6 x 6 x 6 cube and the grey ramp; the first 16 are left out, users change those."""
    steps = [min(range(6), key=lambda step: abs(CUBE_LEVELS[step] - channel)) for channel in rgb]
    cube = (CUBE_LEVELS[steps[0]], CUBE_LEVELS[steps[1]], CUBE_LEVELS[steps[2]])
    ramp = max(0, min(23, (sum(rgb) // 3 - 3) // 10))
    grey = 8 + 10 * ramp
    if _distance(rgb, (grey, grey, grey)) < _distance(rgb, cube):
        return 232 + ramp
    return 16 + 36 * steps[0] + 6 * steps[1] + steps[2]


def one_of_sixteen(rgb: RGB) -> int:
    """By hue, not by distance: terminals mix the sixteen as they like, and a colour must not become a grey."""
    if max(rgb) - min(rgb) < COLORFUL:
        return min(GREYS, key=lambda grey: abs(grey[1] - sum(rgb) // 3))[0]
    hue, lightness, _ = rgb_to_hls(*[channel / 255 for channel in rgb])
    number = next(number for limit, number in HUES if 360 * hue <= limit)
    return number + 8 if lightness >= BRIGHT else number


def _distance(left: RGB, right: RGB) -> int:
    return sum((a - b) ** 2 for a, b in zip(left, right))


def contrast(background: str) -> str:
    """Black or white, whichever reads better on ``background``; empty where that is no colour."""
    rgb = parse(background)
    if rgb is None:
        return ""
    red, green, blue = map(_linear, rgb)
    brightness = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    # Where the contrast 1.05 / (b + 0.05) of white equals that of black, (b + 0.05) / 0.05.
    return "#000000" if brightness > 0.179 else "#ffffff"


def _linear(channel: int) -> float:
    """A channel's share of light, after sRGB."""
    share = channel / 255
    return share / 12.92 if share <= 0.04045 else float(((share + 0.055) / 1.055) ** 2.4)
