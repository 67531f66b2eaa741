"""Frames on a pipe: a mark, the number of the question, a length, then one msgpack value.

Every message from the host has its own number, and a cell answers it exactly once, with the same number. So the host recognises
whatever else a team's code writes into the pipe: part of a message, garbage, a second answer.
"""

from __future__ import annotations

import os
import struct
from typing import Final

MARK: Final = b"tilt"
HEADER: Final = struct.Struct("<4sII")
"""Mark, number, length of what follows."""
FIRST_CHUNK: Final = 1 << 12
"""Nearly every message fits. A larger buffer would make each of them slower."""
CHUNK: Final = 1 << 16
NUMBERS: Final = 1 << 32


class WireError(Exception):
    """The cell wrote something that is not a valid answer."""


def frame(number: int, body: bytes) -> bytes:
    """The bytes of one message."""
    return HEADER.pack(MARK, number, len(body)) + body


class Inbox:
    """Joins pieces of bytes to the one answer that is expected."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._bytes = bytearray()

    @property
    def is_empty(self) -> bool:
        """Whether nothing of the next answer has arrived."""
        return not self._bytes

    def take(self, piece: bytes, number: int) -> bytes | None:
        """The answer to question ``number`` if ``piece`` completes it.

        Raises:
            WireError: says what arrived instead.
        """
        if self._bytes:
            self._bytes += piece
            piece = bytes(self._bytes)
        size = len(piece)
        if size >= HEADER.size:
            mark, answered, length = HEADER.unpack_from(piece)
            if mark == MARK and answered == number and length <= self._most and size == HEADER.size + length:
                self._bytes.clear()
                return piece[HEADER.size :]
            self._check(mark, answered, number, length)
            if size > HEADER.size + length:
                raise WireError("more than one answer to one question")
        elif not MARK.startswith(piece[: len(MARK)]):
            raise WireError("garbage instead of an answer")
        if not self._bytes:
            self._bytes += piece
        return None

    def _check(self, mark: bytes, answered: int, number: int, length: int) -> None:
        if mark != MARK:
            raise WireError("garbage instead of an answer")
        if answered != number:
            raise WireError("a second answer to a question" if answered < number else "an answer before the question")
        if length > self._most:
            raise WireError(f"an answer of {length} bytes, the limit is {self._most}")


def read_frame(descriptor: int) -> tuple[int, bytes]:
    """Read the next message and its number, in a cell. The host is trusted to write valid frames.

    Raises:
        EOFError: the host is gone.
    """
    data = _read(descriptor, FIRST_CHUNK)
    while len(data) < HEADER.size:
        data += _read(descriptor, CHUNK)
    _, number, length = HEADER.unpack_from(data)
    whole = HEADER.size + length
    if len(data) < whole:
        pieces = [data]
        missing = whole - len(data)
        while missing > 0:
            pieces.append(_read(descriptor, missing))
            missing -= len(pieces[-1])
        data = b"".join(pieces)
    return number, data[HEADER.size :]


def write_frame(descriptor: int, number: int, body: bytes) -> None:
    """Write all of a message, in a cell."""
    data = frame(number, body)
    written = os.write(descriptor, data)
    while written < len(data):
        written += os.write(descriptor, data[written:])


def _read(descriptor: int, most: int) -> bytes:
    data = os.read(descriptor, most)
    if not data:
        raise EOFError
    return data
