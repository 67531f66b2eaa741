"""How a board of Advance looks: pieces as lettered discs, ivory for white and slate for black, brighter where just played."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tiltyard_advance.moves import NAMES
from tiltyard_advance.recording import IN_DANGER, JUST_PLAYED, PROTECTED
from tiltyard_advance.rules import CHARACTERS, GENERAL, WALL
from tiltyard_engine.replay import SquareStyle, Theme

SEAT_COLORS: Final = ("#e6d3a3", "#3f4a6b")
"""White and black, on light and on dark pages."""
LETTER_COLORS: Final = ("#000000", "#ffffff")
LAST_COLORS: Final = ("#ffc400", "#1769e0")
"""A piece that was just moved, built, converted or put in another's place."""
DANGER_COLOR: Final = "#c40000"
WALL_COLOR: Final = "#808080"
LAST_COLOR: Final = "#d98e00"
SEATS: Final = ("white", "black")


def _styles() -> Iterator[tuple[str, SquareStyle]]:
    yield ".", SquareStyle("· ", ". ", "#808080", label="empty")
    yield f".{JUST_PLAYED}", SquareStyle("○ ", "o ", LAST_COLOR, label="empty, just left or shot at")
    yield "#", SquareStyle("██", "##", WALL_COLOR, label="wall", shape="block")
    yield f"#{JUST_PLAYED}", SquareStyle("██", "##", LAST_COLOR, label="wall, just built", shape="block")
    for content in range(1, WALL):
        letter, seat = CHARACTERS[content], int(content > GENERAL)
        label = f"{SEATS[seat]} {NAMES[(content - 1) % 8 + 1]}"
        is_general = content in (GENERAL, GENERAL + 8)
        for mark, said in (("", ""), (PROTECTED, ", protected"), *(((IN_DANGER, ", in danger"),) if is_general else ())):
            for last, done in (("", ""), (JUST_PLAYED, ", just played")):
                background = DANGER_COLOR if mark == IN_DANGER else (LAST_COLORS if last else SEAT_COLORS)[seat]
                color = "#ffffff" if mark == IN_DANGER else LETTER_COLORS[seat]
                shown = letter + (mark or (JUST_PLAYED if last else " "))
                style = SquareStyle(shown, shown, color, background, label + said + done, "disc", 0, letter, seat + 1)
                yield f"{letter}{mark}{last}", style


THEME: Final = Theme(dict(_styles()), SEAT_COLORS)
