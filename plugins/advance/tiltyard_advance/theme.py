"""How a board of Advance looks: pieces as lettered discs, ivory for white and slate for black, brighter where just played.

A red ring: it can be lost; a green dot: a Sentinel protects it; a golden square: the last move changed it. A General in
danger is red.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Final

from tiltyard_advance.moves import NAMES
from tiltyard_advance.recording import JUST_PLAYED, PROTECTED, THREATENED
from tiltyard_advance.rules import CHARACTERS, GENERAL, WALL
from tiltyard_engine.replay import SquareStyle, Theme

SEAT_COLORS: Final = ("#e6d3a3", "#3f4a6b")
"""White and black, on light and on dark pages."""
LETTER_COLORS: Final = ("#000000", "#ffffff")
LAST_COLORS: Final = ("#ffc400", "#1769e0")
"""A piece that was just moved, built, converted or put in another's place."""
DANGER_COLOR: Final = "#c40000"
PROTECTED_COLOR: Final = "#2f9e6e"
LAST_FLOOR: Final = "#b08d2e"
WALL_COLOR: Final = "#808080"
LAST_COLOR: Final = "#d98e00"
SEATS: Final = ("white", "black")


def _styles() -> Iterator[tuple[str, SquareStyle]]:
    yield ".", SquareStyle("· ", ". ", "#808080", label="empty", shape="nothing")
    yield (
        f".{JUST_PLAYED}",
        SquareStyle("○ ", "o ", LAST_COLOR, label="empty, just left or shot at", shape="nothing", floor=LAST_FLOOR),
    )
    yield "#", SquareStyle("██", "##", WALL_COLOR, label="wall", shape="block")
    yield f"#{JUST_PLAYED}", SquareStyle("██", "##", LAST_COLOR, label="wall, just built", shape="block")
    for content in range(1, WALL):
        for marks in product(("", PROTECTED), ("", THREATENED), ("", JUST_PLAYED)):
            yield CHARACTERS[content] + "".join(marks), _piece(content, "".join(marks))


def _piece(content: int, marks: str) -> SquareStyle:
    letter, seat = CHARACTERS[content], int(content > GENERAL)
    label = f"{SEATS[seat]} {NAMES[(content - 1) % 8 + 1]}"
    background, color = SEAT_COLORS[seat], LETTER_COLORS[seat]
    shown, floor, ring = " ", "", ""
    if JUST_PLAYED in marks:
        background, floor, shown = LAST_COLORS[seat], LAST_FLOOR, JUST_PLAYED
    if PROTECTED in marks:
        label, shown = f"{label}, protected", PROTECTED
    if THREATENED in marks:
        shown, ring = THREATENED, DANGER_COLOR
        if content in (GENERAL, GENERAL + 8):
            label, background, color = f"{label}, in danger", DANGER_COLOR, "#ffffff"
        else:
            label = f"{label}, can be lost"
    if JUST_PLAYED in marks:
        label = f"{label}, just played"
    dot = PROTECTED_COLOR if PROTECTED in marks else ""
    glyph = letter + shown
    return SquareStyle(glyph, glyph, color, background, label, "disc", 0, letter, seat + 1, floor, ring, dot)


THEME: Final = Theme(dict(_styles()), SEAT_COLORS, column_names=tuple("abcdefghi"), row_names=tuple("123456789"))
