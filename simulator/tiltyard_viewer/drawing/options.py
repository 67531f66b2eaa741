"""What a terminal can show, and lines made of coloured pieces for it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TextIO

from tiltyard_engine.replay import Theme
from tiltyard_viewer.drawing.colors import RESET, ColorDepth, contrast, sgr
from tiltyard_viewer.drawing.text import clean, cut, visible_width


@dataclass(frozen=True, slots=True)
class DrawOptions:
    """How to draw. The default is safe everywhere that Unicode is."""

    colors: ColorDepth = ColorDepth.NONE
    unicode: bool = True
    """False: nothing but ASCII comes out."""
    columns: int | None = None
    """The width that drawings should keep to; None: as wide as they need to be."""

    @property
    def ellipsis(self) -> str:
        """What stands where text was cut."""
        return "…" if self.unicode else "..."

    def clean(self, text: str) -> str:
        """Text that is not ours, made harmless for this terminal."""
        return clean(text, unicode=self.unicode)

    def sgr(self, foreground: str = "", background: str = "", *, bold: bool = False) -> str:
        """The look for this terminal; empty without colours."""
        return sgr(self.colors, foreground, background, bold=bold)


def detect_options(
    stdout: TextIO,
    environment: Mapping[str, str] = os.environ,
    *,
    color: bool | None = None,
    ascii_only: bool = False,
    columns: int | None = None,
) -> DrawOptions:
    """What ``stdout`` can show. ``color`` True or False overrides NO_COLOR, TERM=dumb and the absence of a terminal."""
    encoding = (getattr(stdout, "encoding", None) or "ascii").lower().replace("_", "-")
    return DrawOptions(_depth(stdout, environment, color), encoding in ("utf-8", "utf8") and not ascii_only, columns)


def _depth(stdout: TextIO, environment: Mapping[str, str], color: bool | None) -> ColorDepth:
    term = environment.get("TERM", "")
    if color is None:
        color = stdout.isatty() and not environment.get("NO_COLOR") and term != "dumb"
    if not color:
        return ColorDepth.NONE
    if environment.get("COLORTERM", "").lower() in ("truecolor", "24bit") or term.endswith("-direct"):
        return ColorDepth.TRUECOLOR
    return ColorDepth.INDEXED if "256" in term else ColorDepth.SIXTEEN


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a line, in one look. ``text`` is clean already."""

    text: str
    look: str = ""
    """An escape sequence, or empty."""


def render(spans: Sequence[Span], columns: int, options: DrawOptions) -> str:
    """The pieces as one line of at most ``columns``, plain again at its end."""
    parts: list[str] = []
    room = columns
    for span in spans:
        text = cut(span.text, room, options.ellipsis)
        parts.append(f"{span.look}{text}{RESET}" if span.look and text else text)
        room -= visible_width(text)
        if text != span.text:
            break
    return "".join(parts)


def fill(pieces: Sequence[Sequence[Span]], columns: int, most_lines: int, separator: str = "   ") -> list[list[Span]]:
    """Pieces set one after the other into lines of ``columns``; what ``most_lines`` cannot hold runs over the last one."""
    lines: list[list[Span]] = [[]]
    width_so_far = 0
    for piece in pieces:
        width = sum(visible_width(span.text) for span in piece)
        if lines[-1] and width_so_far + len(separator) + width > columns and len(lines) < most_lines:
            lines.append([])
            width_so_far = 0
        if lines[-1]:
            lines[-1].append(Span(separator))
            width_so_far += len(separator)
        lines[-1].extend(piece)
        width_so_far += width
    return lines


def seat_color(theme: Theme, seat: int) -> str:
    """The colour of a seat, counted from 0; empty where the theme has none."""
    return theme.seat_colors[seat] if seat < len(theme.seat_colors) else ""


def seat_number(seat: int, theme: Theme, options: DrawOptions) -> Span:
    """The number of a seat, counted from 0, on the seat's colour."""
    color = seat_color(theme, seat)
    look = options.sgr(contrast(color), color, bold=True)
    return Span(f" {seat + 1} ", look) if look else Span(str(seat + 1))
