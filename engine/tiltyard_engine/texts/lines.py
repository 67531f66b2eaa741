"""Lines of bytes that arrive in pieces."""

from __future__ import annotations

NEWLINE = b"\n"


class LineBuffer:
    """Bytes that have arrived and have not been taken yet. No byte is searched twice, however small the pieces are."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._searched = 0
        """Up to here there is no newline."""

    def __len__(self) -> int:
        return len(self._bytes)

    def add(self, piece: bytes) -> None:
        """Append bytes that have arrived."""
        self._bytes += piece

    def take(self, limit: int) -> bytes:
        """Up to ``limit`` bytes from the front."""
        data = bytes(self._bytes[:limit])
        del self._bytes[:limit]
        self._searched = max(0, self._searched - len(data))
        return data

    def peek(self, limit: int) -> bytes:
        """Up to ``limit`` bytes from the front, which stay."""
        return bytes(self._bytes[:limit])

    def take_line(self, limit: int) -> bytes | None:
        """The first line with its newline, if it is whole and no longer than ``limit`` bytes."""
        end = self._bytes.find(NEWLINE, self._searched, limit)
        if end < 0:
            self._searched = min(len(self._bytes), limit)
            return None
        line = self.take(end + 1)
        self._searched = 0
        return line

    def is_too_long(self, limit: int) -> bool:
        """Whether the first line is longer than ``limit`` bytes, after ``take_line`` found none."""
        return len(self._bytes) >= limit
