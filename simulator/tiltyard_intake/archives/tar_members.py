"""The members of a tar, read once from its start to its end.

The standard library's reader continues where a tar ends too early, looks for words in the headers of pax in a time that grows with
the square of their length, and calls itself for each header that belongs to another. Sources: pax(1) in POSIX.1-2017, *Basic Tar
Format* in the manual of GNU tar.
"""

from __future__ import annotations

import io
import re
import tarfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Final, Self, cast

from tiltyard_intake.archives.member import Member, What, damage
from tiltyard_intake.archives.member_names import tar_name
from tiltyard_intake.archives.unpack_errors import ArchiveRefusedError, Cause

BLOCK: Final = 512
LONGEST_HEADER: Final = 64 * 1024
"""Bytes of a header for long names."""
MOST_HEADERS: Final = 8
"""Such headers before one member."""
MOST_RECORDS: Final = 1_000
"""In a header of pax."""
LARGEST_NUMBER: Final = 2**63
CHUNK: Final = 2**16
_PAX: Final = frozenset({tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE})
_LONG: Final = frozenset({*_PAX, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK})
_WHAT: Final = {tarfile.DIRTYPE: What.FOLDER, tarfile.SYMTYPE: What.LINK, tarfile.LNKTYPE: What.LINK}
_USED: Final = frozenset({b"path", b"size"})
_HOLES: Final = b"GNU.sparse."
_RECORD: Final = re.compile(rb"([0-9]{1,6}) ")
_NUMBER: Final = re.compile(rb"[0-9]{1,19}")


def is_tar(head: bytes) -> bool:
    """Whether the first 512 bytes of something are a tar's header."""
    with suppress(ValueError, ArchiveRefusedError):
        _Header.of(head)
        return True
    return False


def tar_members(stream: IO[bytes], name: str) -> Iterator[Member]:
    """All members.

    Args:
        stream: the tar; it needs no seek.
        name: how people call it, for messages.

    Raises:
        UnpackError: it is damaged, or has a file with holes.
    """
    tar = _Tar(stream)
    while True:
        with damage(name):
            member = tar.next()
        if member is None:
            return
        yield member


@dataclass(frozen=True, slots=True)
class _Header:
    """What counts of one block. ``tarfile`` reads more of it, and takes as long for that as for all else here."""

    name: bytes
    mode: int
    size: int
    kind: bytes

    @classmethod
    def of(cls, block: bytes) -> Self:
        if len(block) < BLOCK:
            raise ValueError("truncated header")
        # As if the checksum's own place were full of spaces. Some programs took bytes for numbers from -128 to 127.
        checksum = 8 * ord(" ") + sum(block) - sum(block[148:156])
        if (stated := _number(block[148:156])) != checksum:
            signed = checksum - 256 * sum(byte > 127 for byte in block[:148] + block[156:])
            if stated != signed:
                raise ValueError("bad checksum")
        name, kind, prefix = block[:100].partition(b"\0")[0], block[156:157], block[345:500].partition(b"\0")[0]
        if kind == tarfile.AREGTYPE and name.endswith(b"/"):
            kind = tarfile.DIRTYPE
        if prefix and kind not in tarfile.GNU_TYPES:
            name = prefix + b"/" + name
        size = _number(block[124:136])
        if size < 0:
            raise ArchiveRefusedError(Cause.DAMAGED, "a negative size")
        return cls(name, _number(block[100:108]), size, kind)


class _Tar:
    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._contents = _Contents(stream, 0)
        self._for_all: dict[bytes, bytes] = {}
        """What global headers of pax say."""
        self._is_first = True

    def next(self) -> Member | None:
        self._contents.skip()
        records: dict[bytes, bytes] = {}
        for before in range(MOST_HEADERS + 1):
            header = self._header()
            if header is None:
                if before:
                    raise EOFError("its end is missing")
                return None
            if header.kind not in _LONG:
                return self._member(header, self._for_all | records)
            data = self._long(header.size)
            if header.kind == tarfile.GNUTYPE_LONGNAME:
                records[b"path"] = data.partition(b"\0")[0]
            elif header.kind == tarfile.XGLTYPE:
                self._for_all |= _records(data)
            elif header.kind in _PAX:
                records |= _records(data)
        raise ArchiveRefusedError(Cause.DAMAGED, "too many headers for one member")

    def _header(self) -> _Header | None:
        """The next block, None at the end: a block of zeros, or nothing more."""
        block = _read(self._stream, BLOCK)
        if self._is_first and not block:
            raise EOFError("it is empty")
        self._is_first = False
        if not block.strip(b"\0"):
            return None
        return _Header.of(block)

    def _long(self, size: int) -> bytes:
        if size > LONGEST_HEADER:
            raise ArchiveRefusedError(Cause.DAMAGED, "a header that is too long")
        contents = _Contents(self._stream, size)
        data = contents.readall()
        contents.skip()
        return data

    def _member(self, header: _Header, records: dict[bytes, bytes]) -> Member:
        name = tar_name(records.get(b"path", header.name).rstrip(b"/"))
        if header.kind == tarfile.GNUTYPE_SPARSE or _HOLES in records:
            raise ArchiveRefusedError(Cause.SPARSE, name)
        if header.kind in tarfile.REGULAR_TYPES:
            self._contents = _Contents(self._stream, _size(header, records))
            contents = cast("IO[bytes]", self._contents)
            return Member(name, What.FILE, bool(header.mode & 0o111), lambda: contents)
        return Member(name, _WHAT.get(header.kind, What.SPECIAL))


class _Contents(io.RawIOBase):
    """What lies behind a header: bytes of a number, and what fills their last block."""

    def __init__(self, stream: IO[bytes], size: int) -> None:
        super().__init__()
        self._stream, self._left, self._filling = stream, size, -size % BLOCK

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        """What is left is skipped later."""

    def readinto(self, buffer: bytearray | memoryview, /) -> int:  # type: ignore[override]
        data = self._stream.read(min(len(buffer), self._left))
        if not data and self._left and len(buffer):
            raise EOFError("its end is missing")
        self._left -= len(data)
        buffer[: len(data)] = data
        return len(data)

    def skip(self) -> None:
        """Go to the next header."""
        self._left, self._filling = self._left + self._filling, 0
        while self._left:
            self.read(CHUNK)


def _read(stream: IO[bytes], size: int) -> bytes:
    """So many bytes, fewer only at the end: a stream may give some at a time."""
    data = b""
    while len(data) < size and (piece := stream.read(size - len(data))):
        data += piece
    return data


def _records(data: bytes) -> dict[bytes, bytes]:
    """What counts of a header of pax. Each record begins with its length, and ends with a line break."""
    records: dict[bytes, bytes] = {}
    place, count = 0, 0
    while place < len(data) and data[place]:
        length = _RECORD.match(data, place)
        end = place + int(length[1]) if length else 0
        if length is None or not length.end() < end <= len(data) or data[end - 1 : end] != b"\n":
            raise ArchiveRefusedError(Cause.DAMAGED, "a header of pax that makes no sense")
        key, _, value = data[length.end() : end - 1].partition(b"=")
        if key in _USED:
            records[key] = value
        elif key.startswith(_HOLES):
            records[_HOLES] = value
        place = end
        count += 1
        if count > MOST_RECORDS:
            raise ArchiveRefusedError(Cause.DAMAGED, "a header of pax that is too long")
    return records


def _number(field: bytes) -> int:
    """Octal digits, or, from a first byte of 128 or 255 on, the bytes of a number that is large or negative (GNU)."""
    if field[0] in (0x80, 0xFF):
        return int.from_bytes(field[1:], "big") - (256 ** len(field[1:]) if field[0] == 0xFF else 0)
    try:
        return int(field.partition(b"\0")[0].strip() or b"0", 8)
    except ValueError as error:
        raise ValueError("a header that makes no sense") from error


def _size(header: _Header, records: dict[bytes, bytes]) -> int:
    size = records.get(b"size")
    if size is None:
        number = header.size
    elif _NUMBER.fullmatch(size):
        number = int(size)
    else:
        raise ArchiveRefusedError(Cause.DAMAGED, "a size that is no number")
    if number >= LARGEST_NUMBER:
        raise ArchiveRefusedError(Cause.DAMAGED, "a size that no file has")
    return number
