"""Bytes from a terminal to keys."""

from __future__ import annotations

from typing import Final

SEQUENCES: Final = {
    "[A": "up",
    "[B": "down",
    "[C": "right",
    "[D": "left",
    "OA": "up",
    "OB": "down",
    "OC": "right",
    "OD": "left",
    "[1;2A": "shift-up",
    "[1;2B": "shift-down",
    "[1;2C": "shift-right",
    "[1;2D": "shift-left",
    "[H": "home",
    "[F": "end",
    "OH": "home",
    "OF": "end",
    "[1~": "home",
    "[4~": "end",
    "[7~": "home",
    "[8~": "end",
    "[5~": "page-up",
    "[6~": "page-down",
}
"""What follows the escape character; terminals disagree on Home and End."""

ESCAPE: Final = "\x1b"
LONGEST_SEQUENCE: Final = 32
"""More is no key, however it goes on."""


class KeyDecoder:
    """Takes bytes as they come: over a slow line a key's sequence may arrive in pieces."""

    def __init__(self) -> None:
        self._rest = ""

    @property
    def pending(self) -> bool:
        """Whether a sequence has begun: it may also be the Escape key itself, which only time tells."""
        return bool(self._rest)

    def feed(self, data: bytes) -> list[str]:
        """The keys that are complete: a printable character, or a name from SEQUENCES."""
        text = self._rest + data.decode("ascii", "ignore")
        self._rest = ""
        keys: list[str] = []
        position = 0
        while position < len(text):
            if text[position] != ESCAPE:
                if text[position].isprintable() or text[position] in "\r\n":
                    keys.append("enter" if text[position] in "\r\n" else text[position])
                position += 1
                continue
            end = self._end_of_sequence(text, position + 1)
            if end is None:
                self._rest = text[position : position + LONGEST_SEQUENCE]
                break
            name = SEQUENCES.get(text[position + 1 : end])
            if name is not None:
                keys.append(name)
            elif end == position + 1:
                keys.append("escape")
            position = end
        return keys

    def flush(self) -> list[str]:
        """Nothing more came in time: a lone escape character was the Escape key, half a sequence is dropped."""
        lone = self._rest == ESCAPE
        self._rest = ""
        return ["escape"] if lone else []

    @staticmethod
    def _end_of_sequence(text: str, start: int) -> int | None:
        """Where the sequence that starts after an escape character ends; None if its end has not come yet."""
        if start == len(text):
            return None
        if text[start] == "O":
            return start + 2 if start + 1 < len(text) else None
        if text[start] != "[":
            return start
        for position in range(start + 1, len(text)):
            if "@" <= text[position] <= "~":
                return position + 1
            if not " " <= text[position] <= "?":
                return position
        return None
