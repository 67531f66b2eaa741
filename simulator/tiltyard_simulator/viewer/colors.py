"""``#rrggbb`` colours as escape sequences, brought down to what a terminal can show."""

from __future__ import annotations

from enum import Enum
from functools import lru_cache
from typing import Final, Literal, TypeAlias

RGB: TypeAlias = tuple[int, int, int]
Layer: TypeAlias = Literal["foreground", "background"]

RESET: Final = "\x1b[0m"

CUBE_LEVELS: Final = (0, 95, 135, 175, 215, 255)

SIXTEEN: Final[tuple[RGB, ...]] = (
    (0, 0, 0),
    (205, 0, 0),
    (0, 205, 0),
    (205, 205, 0),
    (0, 0, 238),
    (205, 0, 205),
    (0, 205, 205),
    (229, 229, 229),
    (127, 127, 127),
    (255, 0, 0),
    (0, 255, 0),
    (255, 255, 0),
    (92, 92, 255),
    (255, 0, 255),
    (0, 255, 255),
    (255, 255, 255),
)
"""xterm's own; others differ a little, but not in which is which."""

COLORFUL: Final = 60
"""From this spread between its channels on, a colour is not shown as a grey."""


class ColorDepth(Enum):
    """How many colours a terminal shows."""

    NONE = "none"
    SIXTEEN = "16"
    INDEXED = "256"
    TRUECOLOR = "truecolor"


@lru_cache(maxsize=1024)
def sgr(depth: ColorDepth, foreground: str = "", background: str = "", *, bold: bool = False, dim: bool = False) -> str:
    """The sequence that switches to this look from the plain one; empty if it is the plain one or without colours."""
    if depth is ColorDepth.NONE:
        return ""
    codes = ["1"] if bold else []
    if dim:
        codes.append("2")
    if foreground:
        codes.append(color_code(foreground, depth, "foreground"))
    if background:
        codes.append(color_code(background, depth, "background"))
    codes = [code for code in codes if code]
    return f"\x1b[{';'.join(codes)}m" if codes else ""


def color_code(color: str, depth: ColorDepth, layer: Layer) -> str:
    """The parameter of an escape sequence for ``color``; empty where it is not ``#rrggbb``."""
    rgb = parse(color)
    if rgb is None or depth is ColorDepth.NONE:
        return ""
    offset = 0 if layer == "foreground" else 10
    if depth is ColorDepth.TRUECOLOR:
        return f"{38 + offset};2;{rgb[0]};{rgb[1]};{rgb[2]}"
    if depth is ColorDepth.INDEXED:
        return f"{38 + offset};5;{nearest_indexed(rgb)}"
    number = nearest_of_sixteen(rgb)
    return str((30 + number if number < 8 else 82 + number) + offset)


def parse(color: str) -> RGB | None:
    """The channels of ``#rrggbb``, or None."""
    if len(color) != 7 or color[0] != "#":
        return None
    try:
        value = int(color[1:], 16)
    except ValueError:
        return None
    return value >> 16, value >> 8 & 255, value & 255


def nearest_indexed(rgb: RGB) -> int:
    """The nearest of the 6 x 6 x 6 cube and the grey ramp; the first 16 are left out, users change those."""
    steps = [min(range(6), key=lambda step: abs(CUBE_LEVELS[step] - channel)) for channel in rgb]
    cube = (CUBE_LEVELS[steps[0]], CUBE_LEVELS[steps[1]], CUBE_LEVELS[steps[2]])
    ramp = max(0, min(23, (sum(rgb) // 3 - 3) // 10))
    grey = 8 + 10 * ramp
    if _distance(rgb, (grey, grey, grey)) < _distance(rgb, cube):
        return 232 + ramp
    return 16 + 36 * steps[0] + 6 * steps[1] + steps[2]


def nearest_of_sixteen(rgb: RGB) -> int:
    """The nearest of the sixteen; a colour is never shown as a grey, or seats could not be told apart."""
    colorful = max(rgb) - min(rgb) >= COLORFUL
    numbers = [number for number, entry in enumerate(SIXTEEN) if not colorful or max(entry) != min(entry)]
    return min(numbers, key=lambda number: _distance(rgb, SIXTEEN[number]))


def _distance(left: RGB, right: RGB) -> int:
    return sum((a - b) ** 2 for a, b in zip(left, right))


def contrast(background: str) -> str:
    """Black or white, whichever reads better on ``background``."""
    rgb = parse(background)
    if rgb is None:
        return ""
    luminance = 0.2126 * _linear(rgb[0]) + 0.7152 * _linear(rgb[1]) + 0.0722 * _linear(rgb[2])
    return "#000000" if luminance > 0.18 else "#ffffff"


def _linear(channel: int) -> float:
    """A channel's share of light, after sRGB."""
    share = channel / 255
    return share / 12.92 if share <= 0.04045 else float(((share + 0.055) / 1.055) ** 2.4)
