"""Bytes from a terminal to keys."""

from __future__ import annotations

import re
from typing import Final

_LETTERS: Final = {"A": "up", "B": "down", "C": "right", "D": "left", "H": "home", "F": "end"}
_NUMBERS: Final = {1: "home", 4: "end", 5: "page-up", 6: "page-down", 7: "home", 8: "end"}
SEQUENCES: Final = {
    **{mode + letter: key for mode in "[O" for letter, key in _LETTERS.items()},
    **{f"[1;2{letter}": f"shift-{key}" for letter, key in _LETTERS.items()},
    **{f"[{number}~": key for number, key in _NUMBERS.items()},
}
"""What follows the escape character; terminals disagree on Home and End."""

ESCAPE: Final = "\x1b"
LONGEST_SEQUENCE: Final = 32
"""More is no key, however it goes on."""
_KEY: Final = re.compile(
    r"""
      (?P<begun> \x1b (?: \[ [ -?]* | O )? ) \Z    # the rest may be on its way
    | \x1b (?P<sequence> \[ [ -?]* [@-~]? | O . )?  # without a sequence: the Escape key
    | (?P<character> . )
    """,
    re.DOTALL | re.VERBOSE,
)


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
        for match in _KEY.finditer(text):
            start, sequence, character = match.group("begun", "sequence", "character")
            if start:
                self._rest = start[:LONGEST_SEQUENCE]
            elif character:
                if character in "\r\n":
                    keys.append("enter")
                elif character.isprintable():
                    keys.append(character)
            elif not sequence:
                keys.append("escape")
            elif sequence in SEQUENCES:
                keys.append(SEQUENCES[sequence])
        return keys

    def flush(self) -> list[str]:
        """Nothing more came in time: a lone escape character was the Escape key, half a sequence is dropped."""
        lone = self._rest == ESCAPE
        self._rest = ""
        return ["escape"] if lone else []
