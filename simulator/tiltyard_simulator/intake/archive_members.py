"""What lies in an archive or a folder, one member after the other: its name as written, what it is, and a stream of its bytes.

Nothing is written here, and no name is trusted: ``unpacking`` does both. Sizes that an archive states are used nowhere.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import IO, Any, Final, Self, cast

import zstandard

from tiltyard_simulator.intake.archive_kinds import COMPRESSED, Kind, has_tar_name, kind_to_unpack, open_plain, stem
from tiltyard_simulator.intake.bounds import MIB, Bounds, in_words
from tiltyard_simulator.intake.member_names import tar_name, zip_name
from tiltyard_simulator.intake.unpack_errors import Cause, UnpackError

BLOCK: Final = 512
LONGEST_EXTENSION: Final = 64 * 1024
"""Bytes of a tar's header for long names: tarfile reads all of it at once."""
LARGEST_DIRECTORY: Final = 64 * MIB
"""Bytes of a zip's list of contents: zipfile reads all of it at once."""
MOST_MEMORY: Final = 128 * MIB
"""For the window of xz and zstd; ``xz -9`` needs half of it."""
METHODS: Final = {1: "Shrink", 6: "Implode", 9: "Deflate64", 14: "LZMA", 93: "Zstandard", 95: "XZ", 98: "PPMd", 99: "AES"}
READ_METHODS: Final = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2})
LONG_HEADERS: Final = frozenset(
    {tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK}
)
READ_FOR_WRITTEN: Final = 4
"""A compressed tar may have so many times the bytes that may be written: what is left out has to be read."""
_END: Final = struct.Struct("<4s4H2IH")
_END64: Final = struct.Struct("<4sQ2H2I4Q")
_LOCATOR: Final = struct.Struct("<4sIQI")
_DAMAGE: Final = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    zstandard.ZstdError,
    gzip.BadGzipFile,
    struct.error,
    EOFError,
    ValueError,
    OverflowError,
    IndexError,
    KeyError,
    RecursionError,
    MemoryError,
    OSError,
)
"""All that the readers raise for bytes that are not as they should be; bz2 and tarfile raise OSError and ValueError too."""


class What(Enum):
    """What a member is."""

    FILE = auto()
    FOLDER = auto()
    LINK = auto()
    SPECIAL = auto()
    """A device, a pipe, a socket."""


@dataclass(frozen=True, slots=True)
class Member:
    """One member, while its archive is open and before the next one is asked for."""

    name: str
    """As the archive has it, with ``/`` between folders: not safe."""
    what: What
    executable: bool = False
    open: Callable[[], IO[bytes]] = io.BytesIO


class _RefusedError(Exception):
    """From inside of a library, which would take its own errors for the archive's end."""

    def __init__(self, cause: Cause, detail: str) -> None:
        super().__init__(detail)
        self.cause = cause


@contextmanager
def damage(name: str) -> Iterator[None]:
    """Raise UnpackError for whatever a reader of archives raises inside."""
    try:
        yield
    except UnpackError:
        raise
    except NotImplementedError as error:
        raise UnpackError(name, Cause.METHOD, str(error)) from error
    except _RefusedError as error:
        raise UnpackError(name, error.cause, str(error)) from error
    except _DAMAGE as error:
        raise UnpackError(name, Cause.DAMAGED, str(error) or type(error).__name__) from error


def members(path: Path, name: str, bounds: Bounds) -> Iterator[Member]:
    """All that lies in an archive, in its order.

    Args:
        path: the archive, a plain file.
        name: how people call it, for messages.
        bounds: for the number of members.

    Raises:
        UnpackError: it cannot be read, or is of a kind that is not read here.
    """
    kind = kind_to_unpack(path, name)
    with ExitStack() as stack:
        with damage(name):
            file = stack.enter_context(open_plain(path))
        if kind is Kind.ZIP:
            found = _zip_members(file, name)
        elif kind is Kind.TAR:
            found = _tar_members(file, name)
        else:
            found = _compressed_members(kind, file, name, bounds)
        yield from _counted(found, name, bounds)


def folder_members(folder: Path, name: str, bounds: Bounds) -> Iterator[Member]:
    """The same for a folder on the disk. Links are told and not followed."""
    return _counted(_walk(folder, "", name), name, bounds)


def _counted(found: Iterator[Member], name: str, bounds: Bounds) -> Iterator[Member]:
    for number, member in enumerate(found):
        if number >= bounds.listed:
            raise UnpackError(name, Cause.LONG_LIST, f"{bounds.listed:,}")
        yield member


def _walk(folder: Path, above: str, name: str) -> Iterator[Member]:
    try:
        with os.scandir(folder) as listing:
            children = sorted(listing, key=lambda child: child.name)
    except OSError as error:
        raise UnpackError(name, Cause.UNREADABLE, f"{above or '.'}: {error.strerror}") from error
    for child in children:
        # A name in no encoding is made sane for people, and stays as it is for the disk.
        inside = f"{above}{tar_name(child.name)}"
        if child.is_symlink():
            yield Member(inside, What.LINK)
        elif child.is_dir(follow_symlinks=False):
            yield Member(inside, What.FOLDER)
            yield from _walk(Path(child.path), f"{inside}/", name)
        elif child.is_file(follow_symlinks=False):
            executable = bool(child.stat(follow_symlinks=False).st_mode & 0o111)
            yield Member(inside, What.FILE, executable, lambda child=child: open_plain(Path(child.path)))  # type: ignore[misc]
        else:
            yield Member(inside, What.SPECIAL)


def _zip_members(file: IO[bytes], name: str) -> Iterator[Member]:
    with ExitStack() as stack:
        with damage(name):
            _check_directory(file, name)
            archive = stack.enter_context(zipfile.ZipFile(file))
            infos = archive.infolist()
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
            yield Member(inside, what, bool(mode & 0o111), lambda info=info: archive.open(info))  # type: ignore[misc]


def _what(mode: int) -> What:
    kinds = {stat.S_IFREG: What.FILE, stat.S_IFDIR: What.FOLDER, stat.S_IFLNK: What.LINK}
    return kinds.get(stat.S_IFMT(mode), What.SPECIAL)


def _check_directory(file: IO[bytes], name: str) -> None:
    """Refuse a zip in parts, and one whose list of contents would fill the memory. The record is found as zipfile finds it."""
    size = file.seek(0, io.SEEK_END)
    start = max(0, size - _END.size)
    file.seek(start)
    tail = file.read()
    if not (tail.startswith(b"PK\x05\x06") and tail.endswith(b"\0\0")):
        # A comment stands behind it.
        start = max(0, size - _END.size - 2**16)
        file.seek(start)
        tail = file.read()
        found = tail.rfind(b"PK\x05\x06")
        if found < 0:
            file.seek(0)
            in_parts = file.read(4) == b"PK\x07\x08"
            raise UnpackError(name, Cause.IN_PARTS) if in_parts else UnpackError(name, Cause.DAMAGED, "its end is missing")
        start, tail = start + found, tail[found : found + _END.size]
    if len(tail) < _END.size:
        raise UnpackError(name, Cause.DAMAGED, "its end is cut off")
    _, disk, _, _, _, length, _, _ = _END.unpack(tail)
    if disk not in (0, 0xFFFF):
        raise UnpackError(name, Cause.IN_PARTS)
    if start >= _LOCATOR.size + _END64.size:
        file.seek(start - _LOCATOR.size - _END64.size)
        record, locator = file.read(_END64.size), file.read(4)
        if locator == b"PK\x06\x07" and record.startswith(b"PK\x06\x06"):
            length = _END64.unpack(record)[8]
    if length > LARGEST_DIRECTORY:
        raise UnpackError(name, Cause.LONG_LIST, f"{LARGEST_DIRECTORY // MIB} MB")
    file.seek(0)


class _CarefulInfo(tarfile.TarInfo):
    """A tar's header, refused where reading on would fill the memory or never end."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        """As tarfile's."""
        try:
            info = super().frombuf(buf, encoding, errors)
        except tarfile.HeaderError as error:
            # tarfile ends silently at a header that is damaged, and what follows would be missing. Zeros, or nothing, are the end.
            if bytes(buf).strip(b"\0"):
                raise _RefusedError(Cause.DAMAGED, str(error)) from error
            raise
        if info.size < 0:
            raise _RefusedError(Cause.DAMAGED, "a negative size")
        if info.type in LONG_HEADERS and info.size > LONGEST_EXTENSION:
            raise _RefusedError(Cause.DAMAGED, "a header that is too long")
        if info.type == tarfile.GNUTYPE_SPARSE:
            raise _RefusedError(Cause.SPARSE, tar_name(info.name))
        return info


def _tar_members(stream: IO[bytes], name: str) -> Iterator[Member]:
    with ExitStack() as stack:
        with damage(name):
            archive = stack.enter_context(
                tarfile.open(fileobj=stream, mode="r|", tarinfo=_CarefulInfo, encoding="utf-8", errors="surrogateescape")
            )
        while True:
            with damage(name):
                info = archive.next()
            # What was read is not needed again; of a long archive it would fill the memory.
            cast("Any", archive).members = []
            if info is None:
                return
            inside = tar_name(info.name)
            if info.issparse():
                raise UnpackError(name, Cause.SPARSE, inside)
            if info.isreg():
                executable = bool(info.mode & 0o111)
                yield Member(inside, What.FILE, executable, lambda info=info: cast("IO[bytes]", archive.extractfile(info)))  # type: ignore[misc]
            elif info.isdir():
                yield Member(inside, What.FOLDER)
            else:
                yield Member(inside, What.LINK if info.issym() or info.islnk() else What.SPECIAL)


def _compressed_members(kind: Kind, file: IO[bytes], name: str, bounds: Bounds) -> Iterator[Member]:
    """A compressed tar's members, or the one file that was compressed."""
    with damage(name):
        stream = _decompressed(kind, file)
        head = b""
        while len(head) < BLOCK and (piece := stream.read(BLOCK - len(head))):
            head += piece
    whole = io.BufferedReader(_Rejoined(head, stream, bounds))
    if _is_tar(head) or has_tar_name(name):
        if not _is_tar(head) and head.strip(b"\0"):
            raise UnpackError(name, Cause.NOT_AN_ARCHIVE)
        yield from _tar_members(cast("IO[bytes]", whole), name)
    else:
        yield Member(stem(Path(name).name), What.FILE, open=lambda: cast("IO[bytes]", whole))


def _is_tar(head: bytes) -> bool:
    try:
        tarfile.TarInfo.frombuf(head, "utf-8", "surrogateescape")
    except (tarfile.TarError, ValueError):
        return False
    return True


def _decompressed(kind: Kind, file: IO[bytes]) -> IO[bytes]:
    assert kind in COMPRESSED
    if kind is Kind.GZIP:
        return cast("IO[bytes]", gzip.GzipFile(fileobj=file))
    if kind is Kind.BZIP2:
        return cast("IO[bytes]", bz2.BZ2File(file))
    if kind is Kind.XZ:
        return cast("IO[bytes]", io.BufferedReader(_Xz(file)))
    decompressor = zstandard.ZstdDecompressor(max_window_size=MOST_MEMORY)
    return cast("IO[bytes]", decompressor.stream_reader(file, read_across_frames=True, closefd=False))


class _Rejoined(io.RawIOBase):
    """A stream whose first bytes were read already. It ends with an error where much more is read than may be written."""

    def __init__(self, head: bytes, rest: IO[bytes], bounds: Bounds) -> None:
        super().__init__()
        self._head, self._rest = head, rest
        self._most = self._left = READ_FOR_WRITTEN * bounds.size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview, /) -> int:  # type: ignore[override]
        data = self._head[: len(buffer)] or self._rest.read(len(buffer))
        self._head = self._head[len(data) :]
        self._left -= len(data)
        if self._left < 0:
            raise _RefusedError(Cause.TOO_LARGE, in_words(self._most))
        buffer[: len(data)] = data
        return len(data)


class _Xz(io.RawIOBase):
    """Reads xz with a limit on memory, which lzma's own file has not."""

    def __init__(self, file: IO[bytes]) -> None:
        super().__init__()
        self._file = file
        self._decompressor = self._new()
        self._begun = False

    @staticmethod
    def _new() -> lzma.LZMADecompressor:
        return lzma.LZMADecompressor(memlimit=MOST_MEMORY)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview, /) -> int:  # type: ignore[override]
        while True:
            if self._decompressor.eof:
                rest = (self._decompressor.unused_data or self._file.read(io.DEFAULT_BUFFER_SIZE)).lstrip(b"\0")
                if not rest:
                    return 0
                self._decompressor, fed = self._new(), rest
            elif self._decompressor.needs_input:
                fed = self._file.read(io.DEFAULT_BUFFER_SIZE)
                if not fed:
                    raise EOFError("its end is missing")
            else:
                fed = b""
            data = self._decompressor.decompress(fed, len(buffer))
            if data:
                buffer[: len(data)] = data
                return len(data)
