"""Texts of strangers as they stand in pictures: harmless, and no longer than somebody reads."""

from __future__ import annotations

from typing import Final

from tiltyard_engine.texts.sanitize import LONGEST_LINE, LONGEST_NAME, shortened
from tiltyard_viewer.drawing.text import clean

LONGEST_SIGN: Final = 8
"""Of what stands in a square, or names a column or a row."""


def drawn_line(text: str) -> str:
    """A message, a note, what was done."""
    return shortened(clean(text), LONGEST_LINE)


def drawn_name(text: str) -> str:
    """The name of a player, of a game, of what a token is."""
    return shortened(clean(text), LONGEST_NAME)


def drawn_sign(text: str) -> str:
    """The letters in a square, or beside the board; a longer text is cut at its end."""
    return clean(text)[:LONGEST_SIGN]
