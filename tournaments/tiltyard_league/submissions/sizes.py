"""Numbers of bytes as people say them."""

from __future__ import annotations


def shown_size(size: int) -> str:
    """A number of bytes for people, such as ``12 kB`` or ``5 MB``, rounded up; a kB has 1000 bytes."""
    if size < 1000:
        return f"{size} byte{'' if size == 1 else 's'}"
    if size < 1_000_000:
        return f"{-(-size // 1000)} kB"
    return f"{-(-size // 100_000) / 10:,.1f}".removesuffix(".0") + " MB"
