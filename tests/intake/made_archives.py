"""Archives for tests: zips and tars of chosen members, well made or not."""

from __future__ import annotations

import gzip
import io
import struct
import tarfile
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

Members = Mapping[str, bytes] | Iterable[tuple[str, bytes]]


def pairs(members: Members) -> list[tuple[str, bytes]]:
    return list(members.items() if isinstance(members, Mapping) else members)


Time = tuple[int, int, int, int, int, int]
NO_TIME: Final = (1980, 1, 1, 0, 0, 0)


def zipped(members: Members, method: int = zipfile.ZIP_DEFLATED, times: Mapping[str, Time] | None = None) -> bytes:
    """A zip. A name that ends with a slash is a folder. ``times``: of the members that have one."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, data in pairs(members):
            archive.writestr(zipfile.ZipInfo(name, (times or {}).get(name, NO_TIME)), data, method)
    return file.getvalue()


def zipped_as(mode: int, name: str = "odd", data: bytes = b"", system: int = 3) -> bytes:
    """A zip of one member with that mode of Unix."""
    info = zipfile.ZipInfo(name)
    info.create_system, info.external_attr = system, mode << 16
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(info, data)
    return file.getvalue()


def with_field(data: bytes, local: int, central: int, layout: str, value: int) -> bytes:
    """The zip with a field changed in the headers of its first member, at these places of the local and the central one."""
    changed = bytearray(data)
    struct.pack_into(layout, changed, changed.index(b"PK\x03\x04") + local, value)
    struct.pack_into(layout, changed, changed.index(b"PK\x01\x02") + central, value)
    return bytes(changed)


def raw_name(placeholder: str, name: bytes, data: bytes = b"x") -> bytes:
    """A zip of one member whose name is these bytes, without the flag for UTF-8."""
    assert len(placeholder) == len(name)
    return zipped({placeholder: data}).replace(placeholder.encode(), name)


def tarred(members: Members, mode: str = "w") -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode=mode) as archive:  # type: ignore[call-overload]
        for name, data in pairs(members):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return file.getvalue()


def tarred_as(kind: bytes, name: str = "odd", target: str = "", data: bytes = b"") -> bytes:
    """A tar of one member of that type."""
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size = kind, target, len(data)
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        archive.addfile(info, io.BytesIO(data))
    return file.getvalue()


def with_tar_size(data: bytes, size: int, kind: bytes = b"") -> bytes:
    """The tar whose first header states another size, and perhaps another type, with the right checksum."""
    header = bytearray(data[:512])
    header[124:136] = f"{size:011o}\0".encode() if size >= 0 else (b"\xff" * 4 + struct.pack(">q", size))
    if kind:
        header[156:157] = kind
    header[148:156] = b" " * 8
    header[148:156] = f"{sum(header):06o}\0 ".encode()
    return bytes(header) + data[512:]


def files_below(folder: Path) -> dict[str, bytes]:
    """All files of a folder, by their paths."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def pax(records: bytes, data: bytes = b"", name: str = "bot.py") -> bytes:
    """A tar of one member, with these bytes as its header of pax, whether they are well made or not."""
    header = tarfile.TarInfo("header")
    header.type, header.size = tarfile.XHDTYPE, len(records)
    member = tarfile.TarInfo(name)
    member.size = len(data)
    padded = [part + bytes(-len(part) % 512) for part in (records, data)]
    return header.tobuf() + padded[0] + member.tobuf() + padded[1] + bytes(1024)


def pax_record(key: str, value: str) -> bytes:
    """A record of pax: its own length in decimal digits, then ``key=value``."""
    rest = f" {key}={value}\n".encode()
    length = len(rest) + 1
    while len(str(length)) + len(rest) != length:
        length += 1
    return str(length).encode() + rest


def endless() -> bytes:
    """A compressed tar of a few hundred bytes, whose pax header states a size of a terabyte for what is left out."""
    return gzip.compress(pax(pax_record("size", "999999999999"), b"x", "node_modules/x"))


def empty_folders(count: int) -> bytes:
    """A zip of nothing but folders."""
    return zipped([(f"d{number:05d}/", b"") for number in range(count)])
