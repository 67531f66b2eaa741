"""How a board of Filler looks: two territories, and the piece that each player placed last."""

from __future__ import annotations

from typing import Final

from tiltyard_engine.replay import FigureStyle, SquareStyle, Theme
from tiltyard_filler.manager import TO_PLACE

SEAT_COLORS: Final = ("#0072b2", "#e69f00")
"""Blue and orange of Okabe and Ito, which people with any kind of colour vision can tell apart. Without colour the four kinds of
cell differ in how dark they are."""
LAST_COLORS: Final = ("#56b4e9", "#f0e442")
"""Brighter, for the piece placed last."""
BEHIND: Final = ("#00507d", "#a67200")
"""Darker, behind the patterns of a terminal."""


def _cells(seat: int, cell: str, last: str, glyph: str, last_glyph: str) -> dict[str, SquareStyle]:
    """A player's cells, and those of the piece placed last."""
    color, last_color, behind = SEAT_COLORS[seat - 1], LAST_COLORS[seat - 1], BEHIND[seat - 1]
    return {
        token: SquareStyle(
            glyph=sign, plain=2 * token, foreground=ink, background=behind, label=f"player {seat}{what}", shape="block", seat=seat
        )
        for token, sign, ink, what in ((cell, glyph, color, ""), (last, last_glyph, last_color, "'s last piece"))
    }


THEME: Final = Theme(
    styles={
        ".": SquareStyle(glyph="· ", plain=". ", foreground="#808080", label="free"),
        **_cells(1, "@", "a", "██", "▓▓"),
        **_cells(2, "$", "s", "░░", "▒▒"),
    },
    seat_colors=SEAT_COLORS,
    figures=FigureStyle(".", "O", after=TO_PLACE),
    prints_growth=True,
)
