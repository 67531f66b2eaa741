"""What goes to the host program and back: ``cpp/frames.hpp`` is the other side."""

from __future__ import annotations

import struct
from typing import Final

LENGTH: Final = struct.Struct("<I")
NUMBER: Final = struct.Struct("<q")
_UNSIGNED: Final = (1 << 64) - 1
_SIGN: Final = 1 << 63


class Writer:
    """Builds a frame."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def number(self, value: int) -> Writer:
        """A number; one beyond 64 bits is cut to them, as C++ would."""
        self._parts.append(NUMBER.pack(((int(value) & _UNSIGNED) ^ _SIGN) - _SIGN))
        return self

    def text(self, value: bytes) -> Writer:
        """Bytes, with their number before them."""
        self._parts += (NUMBER.pack(len(value)), value)
        return self

    @property
    def frame(self) -> bytes:
        """Everything, with its length before it."""
        body = b"".join(self._parts)
        return LENGTH.pack(len(body)) + body


class Reader:
    """Takes a frame's body apart."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._place = 0

    def number(self) -> int:
        """The next number."""
        (value,) = NUMBER.unpack_from(self._body, self._place)
        self._place += NUMBER.size
        return int(value)

    def count(self) -> int:
        """The next number, as one that is never negative."""
        return self.number() & _UNSIGNED

    def data(self) -> bytes:
        """The next bytes."""
        size = self.number()
        self._place += size
        return self._body[self._place - size : self._place]

    def text(self) -> str:
        """The next text."""
        return self.data().decode("utf-8", "replace")
