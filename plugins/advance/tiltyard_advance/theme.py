"""How a board of Advance looks: pieces as lettered discs, ivory for white and slate for black, brighter where just played.

A red ring: in danger; a green dot: a Sentinel protects it; a golden square: the last move changed it. A General in danger is red.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Final

from tiltyard_advance.moves import COLUMNS, piece_name
from tiltyard_advance.positions import SIDES
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
MARK_WORDS: Final = {PROTECTED: "protected", THREATENED: "in danger", JUST_PLAYED: "just played"}


def _styles() -> Iterator[tuple[str, SquareStyle]]:
    empty = SquareStyle(glyph="· ", plain=". ", foreground="#808080", label="empty", shape="nothing")
    yield ".", empty
    left = replace(empty, glyph="○ ", plain="o ", foreground=LAST_COLOR, label="empty, just left or shot at", floor=LAST_FLOOR)
    yield f".{JUST_PLAYED}", left
    wall = SquareStyle(glyph="██", plain="##", foreground=WALL_COLOR, label="wall", shape="block")
    yield "#", wall
    yield f"#{JUST_PLAYED}", replace(wall, foreground=LAST_COLOR, label="wall, just built")
    for content in range(1, WALL):
        for marks in product(("", PROTECTED), ("", THREATENED), ("", JUST_PLAYED)):
            yield CHARACTERS[content] + "".join(marks), _piece(content, "".join(marks))


def _piece(content: int, marks: str) -> SquareStyle:
    letter, seat = CHARACTERS[content], int(content > GENERAL)
    loses_general = THREATENED in marks and content in (GENERAL, GENERAL + 8)
    glyph = letter + next((mark for mark in (THREATENED, PROTECTED, JUST_PLAYED) if mark in marks), " ")
    return SquareStyle(
        glyph=glyph,
        plain=glyph,
        foreground="#ffffff" if loses_general else LETTER_COLORS[seat],
        background=DANGER_COLOR if loses_general else (LAST_COLORS if JUST_PLAYED in marks else SEAT_COLORS)[seat],
        label=", ".join([f"{SIDES[seat]} {piece_name(content)}", *(MARK_WORDS[mark] for mark in marks)]),
        shape="disc",
        mark=letter,
        seat=seat + 1,
        floor=LAST_FLOOR if JUST_PLAYED in marks else "",
        ring=DANGER_COLOR if THREATENED in marks else "",
        dot=PROTECTED_COLOR if PROTECTED in marks else "",
    )


THEME: Final = Theme(styles=dict(_styles()), seat_colors=SEAT_COLORS, column_names=tuple(COLUMNS), row_names=tuple("123456789"))
