"""Words that strangers wrote, made fit for tables and terminals: they may hold anything."""

from __future__ import annotations

from typing import Final

LONGEST_NAME: Final = 100
LONGEST_REASON: Final = 2_000
LONGEST_DETAIL: Final = 80_000
_REPLACEMENT: Final = "\N{REPLACEMENT CHARACTER}"


def one_line(text: str, longest: int = LONGEST_REASON) -> str:
    """The text without line breaks, control characters and what cannot be encoded; of one too long the beginning and the end."""
    return _cut(printable(" ".join(text.split())), longest)


def printable(text: str) -> str:
    """The text, as long as it was, with each character that could command a terminal replaced; line breaks and tabulators too."""
    return text if text.isprintable() else "".join(map(_safe, text))


def escaped(text: str) -> str:
    """The text with such characters as escapes, as in a Python string, where it matters what they were; tabulators stay."""
    return "".join(sign if sign.isprintable() or sign == "\t" else sign.encode("unicode_escape").decode() for sign in text)


def lines(text: str, longest: int = LONGEST_DETAIL) -> str:
    """Likewise, line breaks and tabulators kept."""
    return _cut("".join(character if character in "\n\t" else _safe(character) for character in text), longest)


def _safe(character: str) -> str:
    return character if character.isprintable() else _REPLACEMENT


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest // 2]} ... {text[-longest // 2 :]}"
