"""What the terminal can show, and the few colours that the board is drawn with."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TextIO

RESET: Final = "\x1b[0m"
PLAIN: Final = 0
SIXTEEN: Final = 16
INDEXED: Final = 256

ROLES: Final[Mapping[str, tuple[str, str]]] = {
    "white": ("1;38;5;16;48;5;223", "1;30;107"),
    "black": ("1;38;5;231;48;5;60", "1;97;44"),
    "white last": ("1;38;5;16;48;5;220", "1;30;103"),
    "black last": ("1;38;5;231;48;5;26", "1;97;104"),
    "danger": ("1;38;5;231;48;5;160", "1;97;41"),
    "wall": ("38;5;244", "90"),
    "wall last": ("38;5;172", "33"),
    "empty": ("38;5;242", "90"),
    "target": ("1;38;5;40", "1;32"),
    "frame": ("38;5;244", "90"),
    "strong": ("1", "1"),
    "alarm": ("1;38;5;160", "1;31"),
}
"""By what is drawn: parameters of the escape sequence for 256 colours, and for 16."""


@dataclass(frozen=True, slots=True)
class Look:
    """How to draw; the default can be read anywhere."""

    colors: int = PLAIN
    unicode: bool = False

    def paint(self, text: str, role: str) -> str:
        """The text in its colours, plain again behind it."""
        if self.colors == PLAIN or not role:
            return text
        codes = ROLES[role][0 if self.colors == INDEXED else 1]
        return f"\x1b[{codes}m{text}{RESET}"


def look_of(stream: TextIO, environment: Mapping[str, str] = os.environ, color: bool | None = None) -> Look:
    """What a stream can show. ``color`` says it against the terminal, NO_COLOR and TERM."""
    term = environment.get("TERM", "")
    if color is None:
        color = stream.isatty() and not environment.get("NO_COLOR") and term not in ("", "dumb")
    many = "256" in term or environment.get("COLORTERM", "") != ""
    encoding = (getattr(stream, "encoding", None) or "ascii").lower().replace("_", "-")
    return Look((INDEXED if many else SIXTEEN) if color else PLAIN, encoding in ("utf-8", "utf8"))
