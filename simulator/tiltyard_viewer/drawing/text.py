"""Text for a terminal: made harmless where it is not ours, and measured in columns."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

LONGEST: Final = 4000
"""Characters of one name, note or message that are looked at."""

MOST_MARKS: Final = 2
"""Accents on one letter; more would climb over the lines above."""

_CONTROL_SEQUENCE: Final = re.compile(r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]")


def clean(text: str, *, unicode: bool = True) -> str:
    """``text`` as one line that can do nothing to a terminal but be seen.

    Colour and cursor sequences go as a whole, other control and formatting characters one by one (text that turns
    around, joins or hides its neighbours included). Line ends and tabs become spaces. Without ``unicode`` every
    character outside ASCII becomes a question mark.
    """
    if text.isascii() and text.isprintable():
        return text[:LONGEST]
    harmless: list[str] = []
    for character in _CONTROL_SEQUENCE.sub("", text[:LONGEST]):
        kind = unicodedata.category(character)[0]
        if kind == "Z" or character in "\t\n\r\v\f":
            harmless.append(" ")
        elif kind != "C" and not "\ufe00" <= character <= "\ufe0f":
            harmless.append(character)
    characters: list[str] = []
    marks = 0
    for character in unicodedata.normalize("NFC", "".join(harmless)):
        if columns_of(character):
            characters.append(character if unicode or character.isascii() else "?")
            marks = 0
        elif characters and unicode and marks < MOST_MARKS:
            characters.append(character)
            marks += 1
    return "".join(characters)


def columns_of(character: str) -> int:
    """Terminal columns of one character that ``clean`` lets through."""
    if character.isascii():
        return 1
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def visible_width(text: str) -> int:
    """Terminal columns of ``text``, which holds no escape sequences."""
    return len(text) if text.isascii() else sum(columns_of(character) for character in text)


def cut(text: str, columns: int, ellipsis: str = "") -> str:
    """The longest beginning of ``text`` that fits into ``columns``; where something is lost, ``ellipsis`` says so."""
    if visible_width(text) <= columns:
        return text
    room = columns - visible_width(ellipsis)
    if room < 0:
        return cut(ellipsis, columns)
    width = 0
    for position, character in enumerate(text):
        width += columns_of(character)
        if width > room:
            return text[:position] + ellipsis
    raise AssertionError("a text that is too wide has a character that does not fit")


def fit(text: str, columns: int, ellipsis: str = "") -> str:
    """``text`` cut or filled up to exactly ``columns``."""
    text = cut(text, columns, ellipsis)
    return text + " " * (columns - visible_width(text))
