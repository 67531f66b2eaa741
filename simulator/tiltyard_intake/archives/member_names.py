"""Names of files inside archives: from bytes in any encoding to names that are safe here. Nothing here touches the disk."""

from __future__ import annotations

import re
import struct
import unicodedata
import zipfile
import zlib
from typing import Final

from tiltyard_intake.archives.unpack_errors import Cause, UnpackError

LONGEST_PART: Final = 255
"""Bytes of one name: the limit of the usual file systems."""
LONGEST_PATH: Final = 1_000
"""Bytes of a whole path inside an archive."""
MOST_PARTS: Final = 600
"""Names in one path, also of what is left out."""
LONGEST_BEFORE_NFC: Final = 3 * LONGEST_PART
"""Characters of one name: its normal form may be shorter, of Korean by two thirds."""
UTF8_FLAG: Final = 0x800
UNICODE_PATH: Final = 0x7075
"""The extra field in which Info-ZIP writes the name in UTF-8 (APPNOTE.TXT 4.6.9)."""
_DRIVE: Final = re.compile(r"[A-Za-z]:")


def safe_parts(archive: str, name: str) -> tuple[str, ...]:
    """A path inside an archive as names that can be joined to a folder and never lead out of it; none for the archive's own top.

    Characters that could control a terminal become ``_``, and letters with accents get the form that most systems write (NFC).

    Raises:
        UnpackError: it leads out, starts at a disk's top, or has a name that no file can have; ``archive`` is named in the message.
    """
    # Before all else: what follows takes the square of a part's length, and of their number.
    if name.count("/") > MOST_PARTS:
        raise UnpackError(archive, Cause.TOO_DEEP, f"{MOST_PARTS:,}")
    if max(map(len, name.split("/"))) > LONGEST_BEFORE_NFC:
        raise UnpackError(archive, Cause.LONG_NAME, name)
    name = unicodedata.normalize("NFC", name)
    parts = [part for part in name.split("/") if part not in ("", ".")]
    # Not only in front: "./C:x" without its dot is a drive's.
    if name.startswith("/") or (parts and _DRIVE.match(parts[0])):
        raise UnpackError(archive, Cause.ABSOLUTE, name)
    if ".." in parts:
        raise UnpackError(archive, Cause.OUTSIDE, name)
    if "\0" in name:
        raise UnpackError(archive, Cause.BAD_NAME, name)
    printable = tuple("".join(sign if sign.isprintable() else "_" for sign in part) for part in parts)
    sizes = [len(part.encode()) for part in printable]
    if any(size > LONGEST_PART for size in sizes) or sum(sizes) + len(sizes) > LONGEST_PATH:
        raise UnpackError(archive, Cause.LONG_NAME, name)
    return printable


def twin_key(parts: tuple[str, ...]) -> tuple[str, ...]:
    """Equal for paths that are one on file systems that take upper and lower case as the same."""
    return tuple(unicodedata.normalize("NFC", part.casefold()) for part in parts)


def zip_name(info: zipfile.ZipInfo) -> str:
    """The name of a zip's member.

    Zips without the flag for UTF-8 should have names in CP437. Many have UTF-8 (macOS), and some have the right name in an extra
    field. Programs on Windows, .NET among them, once wrote backslashes.
    """
    name = info.orig_filename
    if not info.flag_bits & UTF8_FLAG:
        raw = name.encode("cp437", "replace")
        name = _unicode_path(info.extra, raw) or _decoded(raw, "cp437")
    return name.replace("\\", "/")


def tar_name(name: bytes) -> str:
    """The name of a tar's member, or of a file on the disk."""
    return _decoded(name, "cp1252")


def _decoded(raw: bytes, legacy: str) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode(legacy, "replace")


def _unicode_path(extra: bytes, raw: bytes) -> str:
    """The name in the extra field; empty if there is none, or the name was changed after the field was written."""
    while len(extra) >= 4:
        kind, size = struct.unpack_from("<HH", extra)
        field, extra = extra[4 : 4 + size], extra[4 + size :]
        if kind == UNICODE_PATH and len(field) > 5:
            version, check = struct.unpack_from("<BI", field)
            if version == 1 and check == zlib.crc32(raw):
                try:
                    return field[5:].decode()
                except UnicodeDecodeError:
                    return ""
    return ""
