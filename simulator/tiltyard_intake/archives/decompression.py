"""What gzip, bzip2, xz and zstd hold, piece by piece: a few bytes never become more than a piece at a time, whatever they are.

The readers of the standard library read the headers of gzip byte by byte in Python, give xz all the memory that it asks for, and
take any number of streams behind each other. That of zstandard ends silently where a file is cut off.
"""

from __future__ import annotations

import bz2
import io
import lzma
import zlib
from collections.abc import Callable, Mapping
from typing import IO, Any, Final, cast

import zstandard

from tiltyard_intake.archives.archive_kinds import ArchiveKind
from tiltyard_intake.archives.bounds import MIB, READ_FOR_WRITTEN, Account
from tiltyard_intake.archives.unpack_errors import ArchiveRefusedError, Cause

MOST_MEMORY: Final = 128 * MIB
"""For the window of xz and zstd; ``xz -9`` needs half of it."""
MOST_STREAMS: Final = 10_000
"""Streams behind each other in one file; tools that compress in parallel make one of each 64 kB or more."""
PIECE: Final = 2**16
FED: Final = 2**13
FED_TO_ZSTD: Final = 2**9
"""Its decompressor gives out all at once: 128 kB for four bytes at most."""
LONGEST_MAGIC: Final = 6


class _Bounded:
    """A decompressor of one stream that gives out a piece at a time."""

    def __init__(self, decompressor: Any) -> None:
        self._decompressor = decompressor
        self._is_zlib = hasattr(decompressor, "unconsumed_tail")

    def decompress(self, data: bytes) -> bytes:
        unread = self._decompressor.unconsumed_tail if self._is_zlib else b""
        return cast("bytes", self._decompressor.decompress(unread + data if unread else data, PIECE))

    @property
    def needs_input(self) -> bool:
        return not self._decompressor.unconsumed_tail if self._is_zlib else self._decompressor.needs_input

    @property
    def eof(self) -> bool:
        return cast("bool", self._decompressor.eof)

    @property
    def unused_data(self) -> bytes:
        return cast("bytes", self._decompressor.unused_data)


class _Zstd(_Bounded):
    """It takes no bound, so it is fed little."""

    def decompress(self, data: bytes) -> bytes:
        return cast("bytes", self._decompressor.decompress(data))

    @property
    def needs_input(self) -> bool:
        return True


_NEW: Final[Mapping[ArchiveKind, Callable[[], _Bounded]]] = {
    # 31: with gzip's header and checksum.
    ArchiveKind.GZIP: lambda: _Bounded(zlib.decompressobj(31)),
    ArchiveKind.BZIP2: lambda: _Bounded(bz2.BZ2Decompressor()),
    ArchiveKind.XZ: lambda: _Bounded(lzma.LZMADecompressor(memlimit=MOST_MEMORY)),
    ArchiveKind.ZSTD: lambda: _Zstd(zstandard.ZstdDecompressor(max_window_size=MOST_MEMORY).decompressobj()),
}


class Decompressed(io.RawIOBase):
    """The bytes of all streams in a compressed file.

    Args:
        kind: how it is compressed.
        file: the file.

    Reading raises EOFError where it is cut off, ArchiveRefusedError for too many streams, and what the decompressor raises.
    """

    def __init__(self, kind: ArchiveKind, file: IO[bytes]) -> None:
        super().__init__()
        self._kind, self._file = kind, file
        self._fed = FED_TO_ZSTD if kind is ArchiveKind.ZSTD else FED
        self._stream = _NEW[kind]()
        self._streams = 1
        self._piece = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview, /) -> int:  # type: ignore[override]
        if not self._piece:
            self._piece = memoryview(self._next())
        data = self._piece[: len(buffer)]
        self._piece = self._piece[len(data) :]
        buffer[: len(data)] = data
        return len(data)

    def _next(self) -> bytes:
        """A piece, empty at the end."""
        while True:
            waiting, is_over = b"", False
            if self._stream.eof:
                waiting = self._beginning()
                if not waiting:
                    return b""
            elif self._stream.needs_input:
                waiting = self._file.read(self._fed)
                is_over = not waiting
            if data := self._stream.decompress(waiting):
                return data
            if is_over and not self._stream.eof:
                raise EOFError("its end is missing")

    def _beginning(self) -> bytes:
        """The first bytes of the next stream, empty if there is none; zeros may lie before it, to fill a block of a tape."""
        waiting = self._stream.unused_data.lstrip(b"\0")
        while len(waiting) < LONGEST_MAGIC and (data := self._file.read(self._fed)):
            waiting = (waiting + data).lstrip(b"\0")
        if self._kind is ArchiveKind.BZIP2 and not waiting.startswith(b"BZh"):
            # As bzip2 itself does with what lies behind.
            waiting = b""
        if waiting:
            self._streams += 1
            if self._streams > MOST_STREAMS:
                raise ArchiveRefusedError(Cause.DAMAGED, f"it has more than {MOST_STREAMS:,} parts")
            self._stream = _NEW[self._kind]()
        return waiting


class Counted(io.RawIOBase):
    """What was compressed as a whole. It ends with an error where much more is read than may be written.

    Args:
        stream: what it holds.
        account: what was read and written for this team.
        packed: bytes of the file that was handed in.
    """

    def __init__(self, stream: Decompressed, account: Account, packed: int) -> None:
        super().__init__()
        self._stream, self._account = stream, account
        self._ratio = READ_FOR_WRITTEN * account.bounds.ratio
        self._most = max(READ_FOR_WRITTEN * account.bounds.ratio_from, self._ratio * packed)
        self._read = 0
        self._head = b""

    def beginning(self, size: int) -> bytes:
        """The first bytes, which are read again afterwards; fewer only if there are no more."""
        head = b""
        while len(head) < size and (piece := self.read(size - len(head))):
            head += piece
        self._head = head
        return head

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview, /) -> int:  # type: ignore[override]
        if self._head:
            data = self._head[: len(buffer)]
            self._head = self._head[len(data) :]
            buffer[: len(data)] = data
            return len(data)
        count = self._stream.readinto(buffer)
        self._read += count
        self._account.add_read(count)
        if self._read > self._most:
            raise ArchiveRefusedError(Cause.BOMB, str(self._ratio))
        return count
