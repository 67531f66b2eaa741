"""The colours and characters that a terminal can show."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TextIO, TypeAlias

RESET: Final = "\x1b[0m"
PLAIN: Final = 0
SIXTEEN: Final = 16
INDEXED: Final = 256
CUBE: Final = (0, 95, 135, 175, 215, 255)
"""Levels of each of red, green and blue among a terminal's 256 colours."""

Style: TypeAlias = tuple[str, str]
"""The parameters of an escape sequence for 256 colours, and for 16; both empty: the terminal's default."""


@dataclass(frozen=True, slots=True)
class Palette:
    """How to draw. The default can be shown anywhere."""

    colors: int = PLAIN
    unicode: bool = False

    def paint(self, text: str, style: Style) -> str:
        """The text in its style, plain again behind it."""
        codes = style[0 if self.colors == INDEXED else 1]
        return f"\x1b[{codes}m{text}{RESET}" if self.colors != PLAIN and codes else text


def palette_of(stream: TextIO, environment: Mapping[str, str] = os.environ, color: bool | None = None) -> Palette:
    """What a stream can show. ``color`` overrides the terminal, NO_COLOR and TERM."""
    term = environment.get("TERM", "")
    if color is None:
        color = stream.isatty() and not environment.get("NO_COLOR") and term not in ("", "dumb")
    many = "256" in term or environment.get("COLORTERM", "") != ""
    encoding = (getattr(stream, "encoding", None) or "ascii").lower().replace("_", "-")
    return Palette((INDEXED if many else SIXTEEN) if color else PLAIN, encoding in ("utf-8", "utf8"))


def style_of(ink: str, ground: str) -> Style:
    """The style of one ``#rrggbb`` colour on another, among the 256 also where a terminal does not say that it has them."""
    codes = f"38;5;{nearest_color(ink)};48;5;{nearest_color(ground)}"
    return codes, codes


def nearest_color(color: str) -> int:
    """The nearest to ``#rrggbb`` among 256 colours: of the cube and the greys, on which all terminals agree."""
    rgb = [int(color[start : start + 2], 16) for start in (1, 3, 5)]
    levels = [min(range(6), key=lambda level: abs(CUBE[level] - part)) for part in rgb]
    grey = min(range(24), key=lambda step: sum(abs(8 + 10 * step - part) for part in rgb))
    from_cube = sum((CUBE[level] - part) ** 2 for level, part in zip(levels, rgb))
    from_grey = sum((8 + 10 * grey - part) ** 2 for part in rgb)
    return 232 + grey if from_grey < from_cube else 16 + 36 * levels[0] + 6 * levels[1] + levels[2]
