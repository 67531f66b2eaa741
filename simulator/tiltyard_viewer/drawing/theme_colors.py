"""The colours that a theme leaves out: a piece without a colour of its own has its player's.

Every viewer takes a theme through here, so that all of them show a piece in the same colours.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tiltyard_engine.replay import SquareStyle, Theme
from tiltyard_viewer.drawing.colors import contrast, parse

FILLED: Final = frozenset(["disc", "tank"])
"""Shapes that are filled with the background, and bear their mark in the foreground."""
STROKED: Final = frozenset(["block", "broken block", "wreck", "shell", "shells", "mine"])
"""Shapes that are foreground alone; a background would not be seen."""
SEAT_COLORS: Final = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#8700f0", "#8c6d31")
"""Of players whose game gives none; all can be told apart by those who see some colours less well."""


def owned_colors(theme: Theme | None) -> Theme:
    """For viewers that write characters: what has no colour at all gets its player's as foreground."""
    theme = _with_seats(theme)
    return replace(theme, styles={token: _owned(style, theme) for token, style in theme.styles.items()})


def drawn_colors(theme: Theme | None) -> Theme:
    """For viewers that draw: as above, and a filled shape without a background gets the foreground's colour or its player's."""
    theme = _with_seats(theme)
    return replace(theme, styles={token: _for_drawing(style, theme) for token, style in theme.styles.items()})


def _with_seats(theme: Theme | None) -> Theme:
    theme = theme or Theme(styles={})
    return theme if theme.seat_colors else replace(theme, seat_colors=SEAT_COLORS)


def _for_drawing(style: SquareStyle, theme: Theme) -> SquareStyle:
    if style.shape in STROKED and not parse(style.foreground):
        own = theme.seat_colors[style.seat - 1] if 1 <= style.seat <= len(theme.seat_colors) else style.background
        return replace(style, foreground=own)
    owned = _owned(style, theme)
    if style.shape in FILLED and not parse(style.background) and parse(owned.foreground):
        return replace(owned, background=owned.foreground, foreground=contrast(owned.foreground))
    return owned


def _owned(style: SquareStyle, theme: Theme) -> SquareStyle:
    if not 1 <= style.seat <= len(theme.seat_colors) or parse(style.foreground) or parse(style.background):
        return style
    return replace(style, foreground=theme.seat_colors[style.seat - 1])
