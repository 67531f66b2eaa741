"""Numbers in sentences: with a noun that fits, and rounded to what people can use."""

from __future__ import annotations


def counted(number: int, one: str, several: str = "") -> str:
    """A number with its noun: ``1 tank``, ``2,000 tanks``; ``several`` where the plural isn't made with an s."""
    return f"{number:,} {one if number == 1 else several or one + 's'}"


def in_seconds(seconds: float) -> str:
    """Seconds for people: ``0.05 s``, ``1 s`` for 0.9998, ``12.35 s``, ``1,235 s``."""
    if seconds < 1:
        return f"{seconds:.3g} s"
    return f"{round(seconds, 2):g} s" if seconds < 1000 else f"{seconds:,.0f} s"
