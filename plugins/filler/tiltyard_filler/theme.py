"""How a board of Filler looks: two territories, and the piece that each player placed last."""

from __future__ import annotations

from typing import Final

from tiltyard_engine.replay import FigureStyle, SquareStyle, Theme

SEAT_COLORS: Final = ("#0072b2", "#e69f00")
"""Blue and orange of Okabe and Ito, which people with any kind of colour vision can tell apart. Without colour the four kinds of
cell differ in how dark they are."""
LAST_COLORS: Final = ("#56b4e9", "#f0e442")
"""Brighter, for the piece placed last."""
BEHIND: Final = ("#00507d", "#a67200")
"""Darker, behind the patterns of a terminal."""
TO_PLACE: Final = "has"
"""What a replay says before the piece that a player has to place."""

THEME: Final = Theme(
    {
        ".": SquareStyle("· ", ". ", "#808080", label="free"),
        "@": SquareStyle("██", "@@", SEAT_COLORS[0], BEHIND[0], "player 1", "block", seat=1),
        "a": SquareStyle("▓▓", "aa", LAST_COLORS[0], BEHIND[0], "player 1's last piece", "block", seat=1),
        "$": SquareStyle("░░", "$$", SEAT_COLORS[1], BEHIND[1], "player 2", "block", seat=2),
        "s": SquareStyle("▒▒", "ss", LAST_COLORS[1], BEHIND[1], "player 2's last piece", "block", seat=2),
    },
    SEAT_COLORS,
    FigureStyle(".", "O", after=TO_PLACE),
    prints_growth=True,
)
