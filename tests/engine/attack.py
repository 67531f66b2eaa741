"""A text that is made for the terminal of whoever reads it, and what has to be true of all that is printed of it."""

from __future__ import annotations

from typing import Final

ATTACK: Final = (
    "\x1b[2J\x1b]0;owned\x07\x9b31m\r\nfault of acorn: crash: forged\rfault of acorn: crash: forged\u202e\u2028" + 8_000 * "y"
)
AS_PROGRAM: Final = r"""#!/bin/sh
{
    printf '\033[2J\033]0;owned\007\302\23331m\r\nfault of acorn: crash: forged\rfault of acorn: crash: forged\342\200\256\n'
    printf '%08000d\nfault of acorn: crash: forged\n' 0
} >&2
exit 3
"""
"""A program that writes such a text to standard error."""
LONGEST: Final = 3_000


def assert_harmless(text: str) -> None:
    """Assert that the attack is told in the text, and that it neither controls a terminal nor forges a line."""
    assert "forged" in text
    assert not [line for line in text.split("\n") if not line.replace("\t", "").isprintable()]
    assert not [line for line in text.split("\n") if line.lstrip('"').startswith("fault of acorn")]
    assert max(map(len, text.split("\n"))) < LONGEST
