"""Frames on a pipe: a mark, the number of the question, a length, then one msgpack value.

Every question from the host has its own number, and a cell answers it exactly once, with the same number. So the host recognises
whatever else a team's code writes into the pipe: part of a message, garbage, a second answer. No cell can guess the number of a
question that it has not read yet, so an answer that was written too early is one whenever it arrives.

The same bytes get the same verdict, however they come in pieces, and whether or not their writer has ended meanwhile: what it wrote
is judged first. What follows an answer is judged when the next question is asked.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from typing import Final

from tiltyard_engine.results import Termination

MARK: Final = b"tilt"
HEADER: Final = struct.Struct("<4sII")
"""Mark, number, length of what follows."""
FIRST_CHUNK: Final = 1 << 12
"""Nearly every message fits. A larger buffer would make each of them slower."""
CHUNK: Final = 1 << 16
NUMBERS: Final = 1 << 32
_SOME_NUMBERS: Final = struct.Struct("=256I")


class WireError(Exception):
    """The cell wrote something that is not a valid answer."""


class CellError(Exception):
    """The cell did not answer as it should. It has been killed."""

    def __init__(self, termination: Termination, message: str, traceback: str = "") -> None:
        super().__init__(message)
        self.termination, self.message, self.traceback = termination, message, traceback


class ZygoteLostError(Exception):
    """The zygote is gone, and all its cells with it. That is a fault of the machine, not of a team."""


def frame(number: int, body: bytes) -> bytes:
    """The bytes of one message."""
    return HEADER.pack(MARK, number, len(body)) + body


def question_numbers() -> Iterator[int]:
    """Numbers for questions, without end."""
    while True:
        yield from _SOME_NUMBERS.unpack(os.urandom(_SOME_NUMBERS.size))


class Inbox:
    """Joins pieces of bytes to the one answer that is expected."""

    def __init__(self, most: int) -> None:
        self.surplus = b""
        """What came with the last answer, after it. It belongs to the next question: whether it came at once is chance."""
        self._most = most
        self._bytes = bytearray()
        self._last = -1
        """The number of the last answer."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing of the next answer has arrived."""
        return not self._bytes

    def take(self, piece: bytes, number: int) -> bytes | None:
        """The answer to question ``number`` if ``piece`` completes it.

        Raises:
            WireError: says what arrived instead.
        """
        if self._bytes or self.surplus:
            self._bytes += self.surplus + piece
            self.surplus = b""
            piece = bytes(self._bytes)
        size = len(piece)
        if size >= HEADER.size:
            mark, answered, length = HEADER.unpack_from(piece)
            whole = HEADER.size + length
            if mark == MARK and answered == number and length <= self._most and size >= whole:
                self._bytes.clear()
                self._last = number
                if size > whole:
                    self.surplus = piece[whole:]
                return piece[HEADER.size : whole]
            self._check(mark, answered, number, length)
        elif not MARK.startswith(piece[: len(MARK)]):
            raise WireError("garbage instead of an answer")
        if not self._bytes:
            self._bytes += piece
        return None

    def _check(self, mark: bytes, answered: int, number: int, length: int) -> None:
        if mark != MARK:
            raise WireError("garbage instead of an answer")
        if answered != number:
            raise WireError("a second answer to a question" if answered == self._last else "an answer before the question")
        if length > self._most:
            raise WireError(f"an answer of {length} bytes, the limit is {self._most} (--limit reply_bytes=N allows more)")


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
    count = os.write(descriptor, data)
    while count < len(data):
        count += os.write(descriptor, data[count:])


def _read(descriptor: int, most: int) -> bytes:
    data = os.read(descriptor, most)
    if not data:
        raise EOFError
    return data
