"""One ELF file: its machine, what it needs, the symbols that it wants, and those that it has.

Read from the segments that the system's loader reads, so that a file without section headers is read as well. Source: the System V
ABI (gabi, chapters 4 and 5), and for versions and the GNU hash table the Linux Standard Base, section 10.7. Every number in the
file is distrusted: whatever a file holds, reading it raises :class:`NotLoadableError` or nothing.
"""

from __future__ import annotations

import mmap
import platform
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tiltyard_tanks_native.elf.errors import NativeError

MACHINES: Final = {3: "32-bit x86", 40: "32-bit ARM", 62: "x86-64", 183: "ARM64", 243: "RISC-V"}
OWN_MACHINES: Final = {"x86_64": 62, "amd64": 62, "aarch64": 183, "arm64": 183, "riscv64": 243}
"""What ``platform.machine`` calls them."""
OTHER_KINDS: Final = (
    (b"\xcf\xfa\xed\xfe", "a macOS file (Mach-O)"),
    (b"\xce\xfa\xed\xfe", "a macOS file (Mach-O)"),
    (b"\xfe\xed\xfa\xcf", "a macOS file (Mach-O)"),
    (b"\xca\xfe\xba\xbe", "a macOS file (Mach-O)"),
    (b"MZ", "a Windows file (PE)"),
    (b"!<arch>\n", "a static library (an archive of object files)"),
    (b"version https://git-lfs", "a Git LFS pointer, not the file itself"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x1f\x8b", "a gzip archive"),
)
TYPES: Final = {1: "an object file that is not linked", 2: "a program", 4: "a core dump"}

_HEADER: Final = struct.Struct("<16sHHIQQQIHHHHHH")
_SEGMENT: Final = struct.Struct("<IIQQQQQQ")
_DYNAMIC: Final = struct.Struct("<qQ")
_SYMBOL: Final = struct.Struct("<IBBHQQ")
_VERNEED: Final = struct.Struct("<HHIII")
_VERNAUX: Final = struct.Struct("<IHHII")
_VERDEF: Final = struct.Struct("<HHHHIII")
_VERDAUX: Final = struct.Struct("<II")
_WORDS: Final = struct.Struct("<4I")
_SHARED_OBJECT: Final = 3
_LOAD, _DYNAMIC_SEGMENT = 1, 2
_NEEDED, _HASH, _STRTAB, _SYMTAB, _STRSZ, _SONAME, _RPATH, _RUNPATH, _FLAGS_1 = 1, 4, 5, 6, 10, 14, 15, 29, 0x6FFFFFFB
_GNU_HASH, _VERSYM, _VERDEF_TAG, _VERDEFNUM, _VERNEED_TAG, _VERNEEDNUM = (
    *(0x6FFFFEF5, 0x6FFFFFF0, 0x6FFFFFFC, 0x6FFFFFFD, 0x6FFFFFFE, 0x6FFFFFFF),
)
_PROGRAM_FLAG: Final = 0x08000000
"""Marks a program that is loaded like a shared object."""
_WEAK: Final = 2
_MOST_SYMBOLS: Final = 2_000_000
_MOST_ENTRIES: Final = 10_000


class NotLoadableError(NativeError):
    """Why a file cannot be loaded on this machine."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """A symbol that a file wants or has."""

    name: str
    version: str = ""
    weak: bool = False


@dataclass(slots=True, kw_only=True)
class Image:
    """What an ELF file says about itself."""

    path: Path
    machine: int
    needed: list[str] = field(default_factory=list)
    """Files that must be loaded with it, by their short names."""
    search: list[str] = field(default_factory=list)
    """Folders of its own to look for them in; may hold ``$ORIGIN``."""
    needed_versions: dict[str, list[str]] = field(default_factory=dict)
    """Needed file to the versions of its symbols that must be there."""
    versions: set[str] = field(default_factory=set)
    """Versions of symbols that this file has."""
    imports: list[Symbol] = field(default_factory=list)
    """Symbols that somebody else must have."""
    exported: set[str] = field(default_factory=set)
    """Symbols that it has; only where they were asked for."""


def read_image(path: Path, *, exports: bool = False) -> Image:
    """Read a file that the loader is to load.

    Args:
        path: the file.
        exports: whether ``exported`` is wanted.

    Raises:
        NotLoadableError: it is no shared object of this machine, or damaged.
    """
    try:
        with path.open("rb") as file:
            head = file.read(_HEADER.size)
            _check_header(head, file)
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
                return _Reader(path, content, head).read(exports)
    except OSError as error:
        raise NotLoadableError(f"cannot be read: {error.strerror or error}") from error
    except (struct.error, IndexError, ValueError, OverflowError) as error:
        raise NotLoadableError("a damaged ELF file: a table points outside the file") from error


def _check_header(head: bytes, file: object) -> None:
    if not head:
        raise NotLoadableError("the file is empty")
    if not head.startswith(b"\x7fELF"):
        for magic, kind in OTHER_KINDS:
            if head.startswith(magic):
                raise NotLoadableError(f"it is {kind}, not a Linux shared object")
        raise NotLoadableError("not an ELF file, so not a Linux shared object")
    if len(head) < _HEADER.size:
        raise NotLoadableError("a damaged ELF file: it ends in the middle of the header")
    if head[4] != 2 or head[5] != 1:
        raise NotLoadableError(
            f"it is for a {'32-bit' if head[4] == 1 else 'big-endian'} machine, but this machine is {platform.machine()}"
        )
    _, kind, machine = _HEADER.unpack(head)[:3]
    own = OWN_MACHINES.get(platform.machine().lower())
    if own is not None and machine != own:
        raise NotLoadableError(f"it is for {MACHINES.get(machine, f'machine {machine}')}, but this machine is {platform.machine()}")
    if kind != _SHARED_OBJECT:
        raise NotLoadableError(f"it is {TYPES.get(kind, f'an ELF file of type {kind}')}, not a shared object")


class _Reader:
    """Reads the tables of one file."""

    def __init__(self, path: Path, content: mmap.mmap, head: bytes) -> None:
        self._content = content
        header = _HEADER.unpack(head)
        self._image = Image(path=path, machine=header[2])
        start, size, count = header[5], header[9], header[10]
        if size != _SEGMENT.size:
            raise ValueError("segments of the wrong size")
        self._segments = [_SEGMENT.unpack_from(content, start + number * size) for number in range(count)]
        self._tags: dict[int, int] = {}
        self._needed: list[int] = []
        self._strings = b""

    def read(self, exports: bool) -> Image:
        self._read_dynamic()
        image = self._image
        image.needed = [self._string(offset) for offset in self._needed]
        for tag in (_RUNPATH, _RPATH):
            if tag in self._tags:
                image.search = [folder for folder in self._string(self._tags[tag]).split(":") if folder]
                break
        if self._tags.get(_FLAGS_1, 0) & _PROGRAM_FLAG:
            raise NotLoadableError("it is a program, not a shared object")
        versions = self._needed_versions()
        self._own_versions()
        self._symbols(versions, exports)
        return image

    def _read_dynamic(self) -> None:
        for segment in self._segments:
            if segment[0] == _DYNAMIC_SEGMENT:
                offset, size = segment[2], segment[5]
                break
        else:
            raise NotLoadableError("it has no dynamic section, so it cannot be loaded")
        for tag, value in _DYNAMIC.iter_unpack(self._bytes(offset, size - size % _DYNAMIC.size)):
            if tag == 0:
                break
            if tag == _NEEDED:
                self._needed.append(value)
            else:
                self._tags[tag] = value
        if not {_STRTAB, _SYMTAB, _STRSZ} <= self._tags.keys():
            raise NotLoadableError("a damaged ELF file: it has no symbol table")
        self._strings = self._bytes(self._offset(self._tags[_STRTAB]), self._tags[_STRSZ])

    def _needed_versions(self) -> dict[int, str]:
        """Of each number in the table of symbol versions: the version."""
        numbers: dict[int, str] = {}
        for offset, (_, auxiliaries, file, first, _) in self._table(_VERNEED, _VERNEED_TAG, _VERNEEDNUM):
            names = self._image.needed_versions.setdefault(self._string(file), [])
            for _, (_, flags, number, name, _) in self._entries(_VERNAUX, offset + first, auxiliaries):
                version = self._string(name)
                numbers[number & 0x7FFF] = version
                if not flags & _WEAK:
                    names.append(version)
        return numbers

    def _own_versions(self) -> None:
        for offset, (_, flags, _, auxiliaries, _, first, _) in self._table(_VERDEF, _VERDEF_TAG, _VERDEFNUM):
            # The first one, marked so, is the file's own name.
            if auxiliaries and not flags & 1:
                self._image.versions.add(self._string(_VERDAUX.unpack_from(self._content, offset + first)[0]))

    def _table(self, layout: struct.Struct, tag: int, count_tag: int) -> Iterator[tuple[int, tuple[int, ...]]]:
        if tag in self._tags:
            yield from self._entries(layout, self._offset(self._tags[tag]), self._tags.get(count_tag, 0))

    def _entries(self, layout: struct.Struct, offset: int, count: int) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Entries with their places; the last field of each says how far it is to the next one."""
        for _ in range(min(count, _MOST_ENTRIES)):
            entry = layout.unpack_from(self._content, offset)
            yield offset, entry
            if not entry[-1]:
                return
            offset += entry[-1]

    def _symbols(self, versions: dict[int, str], exports: bool) -> None:
        start = self._offset(self._tags[_SYMTAB])
        count = self._count(start)
        table = self._bytes(start, count * _SYMBOL.size)
        numbers: tuple[int, ...] = ()
        if _VERSYM in self._tags:
            numbers = struct.unpack(f"<{count}H", self._bytes(self._offset(self._tags[_VERSYM]), 2 * count))
        image = self._image
        for index, (name, info, _, section, _, _) in enumerate(_SYMBOL.iter_unpack(table)):
            if section == 0:
                if index and info >> 4:
                    version = versions.get(numbers[index] & 0x7FFF, "") if numbers else ""
                    image.imports.append(Symbol(self._string(name), version, info >> 4 == _WEAK))
            elif exports and info >> 4:
                image.exported.add(self._string(name))

    def _count(self, start: int) -> int:
        """How many symbols there are: nothing says so directly."""
        if _HASH in self._tags:
            count: int = _WORDS.unpack_from(self._content, self._offset(self._tags[_HASH]))[1]
        elif _GNU_HASH in self._tags:
            count = self._count_hashed(self._offset(self._tags[_GNU_HASH]), start)
        else:
            count = 0
        if count > _MOST_SYMBOLS:
            raise ValueError("too many symbols")
        return count

    def _count_hashed(self, offset: int, start: int) -> int:
        buckets, first, bloom, _ = _WORDS.unpack_from(self._content, offset)
        if buckets > _MOST_SYMBOLS or bloom > _MOST_SYMBOLS:
            raise ValueError("a hash table that is too large")
        place = offset + _WORDS.size + 8 * bloom
        last = max(struct.unpack_from(f"<{buckets}I", self._content, place), default=0)
        if last < first:
            # Nothing is exported, so the table may not tell; the names usually follow the symbols.
            return max(int(first), (self._offset(self._tags[_STRTAB]) - start) // _SYMBOL.size)
        chains = place + 4 * buckets
        while not struct.unpack_from("<I", self._content, chains + 4 * (last - first))[0] & 1:
            last += 1
        return int(last) + 1

    def _offset(self, address: int) -> int:
        """Where in the file a place in memory comes from."""
        for kind, _, offset, start, _, size, _, _ in self._segments:
            if kind == _LOAD and start <= address < start + size:
                return int(offset + address - start)
        raise ValueError("an address outside all segments")

    def _bytes(self, offset: int, size: int) -> bytes:
        if not 0 <= offset <= offset + size <= len(self._content):
            raise ValueError("a table that points outside the file")
        return self._content[offset : offset + size]

    def _string(self, offset: int) -> str:
        end = self._strings.index(b"\0", offset)
        return self._strings[offset:end].decode("utf-8", "surrogateescape")
