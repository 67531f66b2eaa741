"""Words that plugins wrote, made fit for tables and terminals: they may hold anything."""

from __future__ import annotations

from typing import Final

LONGEST_NAME: Final = 100
LONGEST_REASON: Final = 2_000
LONGEST_DETAIL: Final = 80_000
_REPLACEMENT: Final = "\N{REPLACEMENT CHARACTER}"


def one_line(text: str, longest: int = LONGEST_REASON) -> str:
    """The text without line breaks, control characters and what cannot be encoded; of one too long the beginning and the end."""
    text = " ".join(text.split())
    return _cut(text if text.isprintable() else "".join(map(_safe, text)), longest)


def lines(text: str, longest: int = LONGEST_DETAIL) -> str:
    """Likewise, line breaks and tabulators kept."""
    return _cut("".join(character if character in "\n\t" else _safe(character) for character in text), longest)


def _safe(character: str) -> str:
    return character if character.isprintable() else _REPLACEMENT


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest // 2]} ... {text[-longest // 2 :]}"
