"""The members of a zip. Its list of contents is looked at before it is read: the standard library reads all of it at once."""

from __future__ import annotations

import bz2
import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from copy import copy
from datetime import UTC, datetime
from functools import partial
from typing import IO, Final, cast

from tiltyard_intake.archives.bounds import MIB, Bounds
from tiltyard_intake.archives.member import Member, What, damage
from tiltyard_intake.archives.member_names import zip_name
from tiltyard_intake.archives.unpack_errors import ArchiveRefusedError, Cause, UnpackError

LARGEST_DIRECTORY: Final = 64 * MIB
"""Bytes of the list of contents."""
METHODS: Final = {1: "Shrink", 6: "Implode", 9: "Deflate64", 14: "LZMA", 93: "Zstandard", 95: "XZ", 98: "PPMd", 99: "AES"}
READ_METHODS: Final = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2})
LOCAL_HEADER: Final = 30
"""Bytes of the header before a member, without its name."""
LONGEST_EXTRA: Final = 2048
"""Bytes of the extra fields of one entry; a name in UTF-8 is the longest that is usual."""
FIRST_TIME: Final = datetime(1980, 1, 2, tzinfo=UTC)
"""Entries without a time have the first one that a zip can hold: the day before."""
_ENTRY: Final = struct.Struct("<28x3H12x")
_END: Final = struct.Struct("<4s4H2IH")
_END64: Final = struct.Struct("<4sQ2H2I4Q")
_LOCATOR: Final = struct.Struct("<4sIQI")


def zip_members(file: IO[bytes], name: str, bounds: Bounds) -> Iterator[Member]:
    """All members, in the order of the list of contents.

    Args:
        file: the zip.
        name: how people call it, for messages.
        bounds: for the number of members.

    Raises:
        UnpackError: it is damaged, one of several parts, locked, or compressed in a way that is not read here.
    """
    with ExitStack() as stack:
        with damage(name):
            _check_directory(file, bounds)
            archive = stack.enter_context(zipfile.ZipFile(file))
            infos = archive.infolist()
            _check_places(infos)
        for info in infos:
            mode = info.external_attr >> 16 if info.create_system == 3 else 0
            inside = zip_name(info)
            what = _what(mode) if stat.S_IFMT(mode) else What.FILE
            if inside.endswith("/") and what is What.FILE:
                what = What.FOLDER
            if what is What.FILE:
                if info.flag_bits & 0x1 or info.compress_type == 99:
                    raise UnpackError(name, Cause.LOCKED)
                if info.compress_type not in READ_METHODS:
                    raise UnpackError(name, Cause.METHOD, METHODS.get(info.compress_type, f"method {info.compress_type}"))
            yield Member(inside, what, bool(mode & 0o111), partial(_open, archive, info), _modified(info))


def _what(mode: int) -> What:
    kinds = {stat.S_IFREG: What.FILE, stat.S_IFDIR: What.FOLDER, stat.S_IFLNK: What.LINK}
    return kinds.get(stat.S_IFMT(mode), What.SPECIAL)


def _modified(info: zipfile.ZipInfo) -> float:
    try:
        own = datetime(*info.date_time, tzinfo=UTC)
    except ValueError:
        return 0.0
    return own.timestamp() if own >= FIRST_TIME else 0.0


def _open(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> IO[bytes]:
    if info.compress_type != zipfile.ZIP_BZIP2:
        return archive.open(info)
    # zipfile decompresses 4 kB of it at once, which may become gigabytes.
    plain_info = copy(info)
    plain_info.compress_type, plain_info.file_size = zipfile.ZIP_STORED, info.compress_size
    del plain_info.CRC
    return cast("IO[bytes]", io.BufferedReader(_Checked(bz2.BZ2File(archive.open(plain_info)), info.CRC)))


class _Checked(io.RawIOBase):
    """A member whose checksum is compared at its end."""

    def __init__(self, file: bz2.BZ2File, checksum: int) -> None:
        super().__init__()
        self._file, self._expected, self._checksum = file, checksum, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview, /) -> int:  # type: ignore[override]
        data = self._file.read(len(buffer))
        self._checksum = zlib.crc32(data, self._checksum)
        if not data and self._checksum != self._expected:
            raise ArchiveRefusedError(Cause.DAMAGED, "Bad CRC-32")
        buffer[: len(data)] = data
        return len(data)


def _check_directory(file: IO[bytes], bounds: Bounds) -> None:
    """Refuse a zip in parts, and one whose list of contents is too long. The record at its end is found as zipfile finds it."""
    size = file.seek(0, io.SEEK_END)
    start = max(0, size - _END.size)
    file.seek(start)
    tail = file.read()
    if not (tail.startswith(b"PK\x05\x06") and tail.endswith(b"\0\0")):
        # A comment stands behind it.
        start = max(0, size - _END.size - 2**16)
        file.seek(start)
        tail = file.read()
        offset = tail.rfind(b"PK\x05\x06")
        if offset < 0:
            file.seek(0)
            if file.read(4) == b"PK\x07\x08":
                raise ArchiveRefusedError(Cause.IN_PARTS)
            raise ArchiveRefusedError(Cause.DAMAGED, "its end is missing")
        start, tail = start + offset, tail[offset : offset + _END.size]
    if len(tail) < _END.size:
        raise ArchiveRefusedError(Cause.DAMAGED, "its end is cut off")
    _, disk, _, _, _, length, _, _ = _END.unpack(tail)
    if disk not in (0, 0xFFFF):
        raise ArchiveRefusedError(Cause.IN_PARTS)
    end = start
    if start >= _LOCATOR.size + _END64.size:
        file.seek(start - _LOCATOR.size - _END64.size)
        record, locator = file.read(_END64.size), file.read(4)
        if locator == b"PK\x06\x07" and record.startswith(b"PK\x06\x06"):
            length = _END64.unpack(record)[8]
            end = start - _LOCATOR.size - _END64.size
    if length > LARGEST_DIRECTORY:
        raise ArchiveRefusedError(Cause.LONG_LIST, f"{LARGEST_DIRECTORY // MIB} MB")
    file.seek(max(0, end - length))
    _check_entries(file.read(length), bounds)
    file.seek(0)


def _check_entries(directory: bytes, bounds: Bounds) -> None:
    """Refuse a list of contents with too many entries, or with extra fields that zipfile reads in the square of their length."""
    place, count = 0, 0
    while directory.startswith(b"PK\x01\x02", place) and place + _ENTRY.size <= len(directory):
        name, extra, comment = _ENTRY.unpack_from(directory, place)
        if extra > LONGEST_EXTRA:
            raise ArchiveRefusedError(Cause.DAMAGED, "a header that is too long")
        place += _ENTRY.size + name + extra + comment
        count += 1
        if count > bounds.members:
            raise ArchiveRefusedError(Cause.LONG_LIST, f"{bounds.members:,}")


def _check_places(infos: Sequence[zipfile.ZipInfo]) -> None:
    """Refuse members that share bytes: a few would become very many (Fifield, *A better zip bomb*, 2019)."""
    end = 0
    for info in sorted(infos, key=lambda info: info.header_offset):
        if info.header_offset < end:
            raise ArchiveRefusedError(Cause.DAMAGED, "members that overlap")
        end = info.header_offset + LOCAL_HEADER + info.compress_size
