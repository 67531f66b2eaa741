"""What kind of archive a file is, by its first bytes; its name only says whether it is meant to be one."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import IO, Final

from tiltyard_intake.archives.unpack_errors import Cause, UnpackError


class ArchiveKind(StrEnum):
    """A format of archives, or of one compressed file."""

    ZIP = "zip"
    TAR = "tar"
    GZIP = "gz"
    BZIP2 = "bz2"
    XZ = "xz"
    ZSTD = "zst"
    SEVEN_ZIP = "7z"
    RAR = "rar"


MAGIC: Final[Mapping[bytes, ArchiveKind]] = {
    b"PK\x03\x04": ArchiveKind.ZIP,
    b"PK\x05\x06": ArchiveKind.ZIP,
    b"PK\x07\x08": ArchiveKind.ZIP,
    b"\x1f\x8b": ArchiveKind.GZIP,
    b"BZh": ArchiveKind.BZIP2,
    b"\xfd7zXZ\0": ArchiveKind.XZ,
    b"\x28\xb5\x2f\xfd": ArchiveKind.ZSTD,
    b"7z\xbc\xaf\x27\x1c": ArchiveKind.SEVEN_ZIP,
    b"Rar!\x1a\x07": ArchiveKind.RAR,
}
COMPRESSED: Final = frozenset({ArchiveKind.GZIP, ArchiveKind.BZIP2, ArchiveKind.XZ, ArchiveKind.ZSTD})
"""These hold one file, which may be a tar."""
_ENDINGS: Final = re.compile(
    r"\.(?:zip|tar|tgz|tbz2?|txz|tzst|taz|7z|rar|(?:tar\.)?(?:gz|bz2|xz|zst))$",
    re.IGNORECASE,
)
_TAR_ENDINGS: Final = re.compile(r"\.(?:tar|tgz|tbz2?|txz|tzst|taz|tar\.\w+)$", re.IGNORECASE)
_PARTS: Final = re.compile(r"\.(?:z\d\d|zip\.\d{3}|7z\.\d{3}|part\d+\.rar|r\d\d)$", re.IGNORECASE)
_LONGEST_ZIP_END: Final = 22 + 2**16
"""Bytes of a zip's last record with its comment."""
_TAR_MAGIC: Final = slice(257, 262)


def open_plain(path: Path) -> IO[bytes]:
    """Open a file that is a plain file, and not a link.

    Raises:
        OSError: it is neither, or cannot be read.
    """
    # Without O_NONBLOCK, a pipe with nobody at its other end would hold us up.
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(0, "not a plain file", str(path))
    return os.fdopen(descriptor, "rb")


def has_archive_name(name: str) -> bool:
    """Whether a file is meant to be an archive, or a part of one."""
    return bool(_ENDINGS.search(name)) or is_part(name)


def has_tar_name(name: str) -> bool:
    """Whether a file is meant to be a tar, compressed or not."""
    return bool(_TAR_ENDINGS.search(name))


def stem(name: str) -> str:
    """The name of an archive without its ending: ``bot.tar.gz`` is ``bot``. Other names stay."""
    return _PARTS.sub("", name) or name if is_part(name) else _ENDINGS.sub("", name) or name


def is_part(name: str) -> bool:
    """Whether a file is a part of an archive in several files, such as ``bot.z01`` beside ``bot.zip``."""
    return bool(_PARTS.search(name))


def kind_of_file(path: Path) -> ArchiveKind | None:
    """What a file is by its first bytes; None for what is no archive, cannot be read, or is a link."""
    try:
        with open_plain(path) as file:
            head = file.read(512)
    except OSError:
        return None
    return kind_of_bytes(head)


def kind_of_bytes(head: bytes) -> ArchiveKind | None:
    """What a file is by its first 512 bytes; None for what is no archive."""
    for magic, kind in MAGIC.items():
        if head.startswith(magic):
            return kind
    return ArchiveKind.TAR if head[_TAR_MAGIC] == b"ustar" else None


def is_archive(path: Path, name: str = "") -> bool:
    """Whether what was handed in is to be unpacked.

    A file whose name says so is, whatever is in it: if it cannot be unpacked, somebody has to be told. Of other files, only those
    without any ending are: a ``.jar``, a ``.docx`` and a ``.whl`` are zips, and are used as they are.

    Args:
        path: the file.
        name: how it was called when it was handed in, if not as ``path``.
    """
    name = name or path.name
    return has_archive_name(name) or ("." not in name.strip(".") and kind_of_file(path) is not None)


def kind_to_unpack(path: Path, name: str) -> ArchiveKind:
    """The kind of a file that is to be unpacked.

    Raises:
        UnpackError: it is empty, unreadable, no archive, or of a kind that is not read here.
    """
    try:
        with open_plain(path) as file:
            head = file.read(512)
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _LONGEST_ZIP_END))
            tail = file.read()
    except OSError as error:
        raise UnpackError(name, Cause.UNREADABLE, error.strerror or str(error)) from error
    if not head:
        raise UnpackError(name, Cause.EMPTY)
    if is_part(name):
        raise UnpackError(name, Cause.IN_PARTS)
    kind = kind_of_bytes(head)
    if kind is ArchiveKind.SEVEN_ZIP:
        raise UnpackError(name, Cause.SEVEN_ZIP)
    if kind is ArchiveKind.RAR:
        raise UnpackError(name, Cause.RAR)
    if kind is None:
        if b"PK\x05\x06" in tail:
            # The last part of a zip has the zip's name and its end, but not its beginning.
            raise UnpackError(name, Cause.IN_PARTS)
        # A tar of the seventies has no magic: only its first header's checksum tells.
        if not has_tar_name(name):
            raise UnpackError(name, Cause.NOT_AN_ARCHIVE)
        return ArchiveKind.TAR
    return kind
