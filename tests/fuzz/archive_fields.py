"""Damage to archives by their fields: what each header states is changed, with the checksums right again, so that readers go on."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import zstandard

NAMES: Final = (
    *(b"", b".", b"..", b"../x", b"/x", b"a/../../x", b"a//b", b"./a", b"a/", b"a/b/", b"C:x", b"\\\\h\\x", b"a\0b", b"a\nb"),
    *(b"con", b"NUL.txt", b"a.", b"a ", b"A", b"bot/MAIN.cpp", b"bot", b"bot/main.cpp", b"\xff\xfe", b"\xed\xa0\x80", b"-rf"),
    *("e\u0301".encode(), "\u0315\u0300".encode() * 300, "\ufdfa".encode() * 90, "\u202e".encode(), b"n" * 256, b"n/" * 600),
    *(b"d/" * 40 + b"x", b"__MACOSX/x", b"._a", b".git/x", b"pyvenv.cfg", b"in.zip", b"x.tar.gz", b"a" * 4000),
)
NUMBERS: Final = (0, 1, 2, 7, 30, 46, 255, 256, 511, 512, 513, 2**15, 2**16 - 1, 2**16, 2**31 - 1, 2**31, 2**32 - 1, 2**32)
LARGE: Final = (*NUMBERS, 2**33, 2**40, 999_999_999_999, 2**62, 2**63 - 1, 2**63, 2**64 - 1)
ZIP_PARTS: Final = {
    b"PK\x03\x04": ("HHHHHIIIHH", 26, 28),
    b"PK\x01\x02": ("HHHHHHIIIHHHHHII", 28, 30),
    b"PK\x05\x06": ("HHHHIIH", 0, 0),
    b"PK\x06\x06": ("QHHIIQQQQ", 0, 0),
    b"PK\x06\x07": ("IQI", 0, 0),
    b"PK\x07\x08": ("III", 0, 0),
}
"""For each kind of record: its fields behind the magic, and where the lengths of a name and of extra fields stand."""
TAR_FIELDS: Final = (
    *((0, 100), (100, 8), (108, 8), (116, 8), (124, 12), (136, 12), (156, 1), (157, 100), (257, 6), (263, 2), (265, 32)),
    *((329, 8), (337, 8), (345, 155), (386, 12), (398, 12), (482, 1), (483, 12)),
)
"""Place and size of each field: those of ustar, and those of GNU for files with holes."""
TYPES: Final = b"0\x001234567gxXLKSDMNV\xff"
KEYS: Final = (
    *(b"size", b"path", b"linkpath", b"mtime", b"uid", b"hdrcharset", b"comment", b"GNU.sparse.major", b"GNU.sparse.minor"),
    *(b"GNU.sparse.name", b"GNU.sparse.realsize", b"GNU.sparse.size", b"GNU.sparse.map", b"GNU.sparse.numblocks"),
    *(b"GNU.sparse.offset", b"GNU.sparse.numbytes", b"", b"a=b", "ä".encode()),
)
VALUES: Final = (*NAMES, *(str(number).encode() for number in LARGE), b"-1", b"1e9", b"0x10", b" 1", b"1.5", b"9" * 5000, b"BINARY")
PACK: Final[Sequence[Callable[[bytes], bytes]]] = (partial(gzip.compress, mtime=0), bz2.compress, lzma.compress, zstandard.compress)
MAGIC: Final = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd")


def zip_fields(chance: random.Random, data: bytes, samples: Sequence[bytes]) -> bytes:
    """A zip with fields changed: at one record, at all of a kind, or at a member's record before it and that in the list alike."""
    return chance.choice((_zip_numbers, _zip_numbers, _zip_numbers, _zip_name, _zip_extra, _zip_entries, _zip_inner))(chance, data)


def _places(data: bytes, magic: bytes) -> list[int]:
    found: list[int] = []
    place = data.find(magic)
    while place >= 0 and len(found) < 500:
        found.append(place)
        place = data.find(magic, place + 4)
    return found


def _zip_numbers(chance: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    magic = chance.choice([magic for magic in ZIP_PARTS if magic in data] or [b"PK\x05\x06"])
    layout = ZIP_PARTS[magic][0]
    field = chance.randrange(len(layout))
    # In a list of contents, all fields but that for the version that made it are those of the record before the member.
    pairs = [(magic, field)]
    if magic == b"PK\x03\x04" and chance.random() < 0.6:
        pairs.append((b"PK\x01\x02", field + 1))
    value = chance.choice((*LARGE, len(data), len(data) - 1, chance.randrange(2**16), chance.randrange(len(data) + 1)))
    is_all = chance.random() < 0.2
    for kind, number in pairs:
        places = _places(data, kind)
        if not places:
            continue
        kinds = ZIP_PARTS[kind][0]
        offset, size = 4 + struct.calcsize(f"<{kinds[:number]}"), struct.calcsize(f"<{kinds[number]}")
        for place in places if is_all else [chance.choice(places)]:
            end = place + offset + size
            if end <= len(changed):
                changed[place + offset : end] = (value % 2 ** (8 * size)).to_bytes(size, "little")
    return bytes(changed)


def _zip_name(chance: random.Random, data: bytes) -> bytes:
    """A name of another length moves what follows: the places of the list and of its members stay as they were, or don't."""
    magics = [b"PK\x01\x02", b"PK\x03\x04"] if chance.random() < 0.7 else [b"PK\x01\x02"]
    new, number = chance.choice(NAMES), chance.randrange(4)
    for magic in magics:
        places = _places(data, magic)
        if places:
            data = _with_part(data, places[number % len(places)], magic, new, ZIP_PARTS[magic][1])
    return _directory_fixed(data) if chance.random() < 0.8 else data


def _with_part(data: bytes, place: int, magic: bytes, new: bytes, length_at: int) -> bytes:
    """The name or the extra fields of one record replaced, and their length."""
    if place + length_at + 2 > len(data):
        return data
    begin = place + 4 + struct.calcsize(f"<{ZIP_PARTS[magic][0]}")
    if length_at == ZIP_PARTS[magic][2]:
        begin += struct.unpack_from("<H", data, place + ZIP_PARTS[magic][1])[0]
    (old,) = struct.unpack_from("<H", data, place + length_at)
    changed = bytearray(data)
    changed[begin : begin + old] = new
    struct.pack_into("<H", changed, place + length_at, len(new) % 2**16)
    return bytes(changed)


def _directory_fixed(data: bytes) -> bytes:
    """The record at the end says where the list is; each member of the list says where the record before it is."""
    first, end = data.find(b"PK\x01\x02"), data.rfind(b"PK\x05\x06")
    if first < 0 or end < first or end + 22 > len(data):
        return data
    changed = bytearray(data)
    struct.pack_into("<II", changed, end + 12, end - first, first)
    for place, member in zip(_places(data, b"PK\x01\x02"), _places(data[:first], b"PK\x03\x04")):
        if place + 46 <= len(changed):
            struct.pack_into("<I", changed, place + 42, member)
    return bytes(changed)


def _zip_extra(chance: random.Random, data: bytes) -> bytes:
    """Zip64, a name in UTF-8, and fields whose length is a lie."""
    kind = chance.choice((1, 1, 1, 0x7075, 0x5455, 0x9901, 0xFFFF))
    inside = b"".join(struct.pack("<Q", chance.choice(LARGE) % 2**64) for _ in range(chance.randrange(5)))
    if kind == 0x7075:
        inside = struct.pack("<BI", 1, zlib.crc32(chance.choice(NAMES))) + chance.choice(NAMES)
    length = len(inside) if chance.random() < 0.8 else chance.choice(NUMBERS)
    field = struct.pack("<HH", kind, length % 2**16) + inside
    magic = chance.choice((b"PK\x01\x02", b"PK\x01\x02", b"PK\x03\x04"))
    places = _places(data, magic)
    if not places:
        return data
    place = chance.choice(places)
    if kind == 1 and magic == b"PK\x01\x02" and place + 46 <= len(data) and chance.random() < 0.8:
        # What stands in the field counts only where the usual place is full of ones.
        changed = bytearray(data)
        for offset in chance.sample((20, 24, 42), chance.randrange(1, 4)):
            changed[place + offset : place + offset + 4] = b"\xff" * 4
        data = bytes(changed)
    return _directory_fixed(_with_part(data, place, magic, field, ZIP_PARTS[magic][2]))


def _zip_entries(chance: random.Random, data: bytes) -> bytes:
    """Entries of the list said again, left out, or in another order; or another number of them stated."""
    first, end = data.find(b"PK\x01\x02"), data.rfind(b"PK\x05\x06")
    if first < 0 or end < first or end + 22 > len(data):
        return data
    places = [place for place in _places(data, b"PK\x01\x02") if place < end]
    entries = [data[place:after] for place, after in zip(places, [*places[1:], end])]
    chance.shuffle(entries)
    entries = entries[chance.randrange(2) :] + [chance.choice(entries)] * chance.choice((0, 1, 2, 300, 20_000))
    directory = b"".join(entries)
    tail = bytearray(data[end:])
    struct.pack_into("<HHII", tail, 8, len(entries) % 2**16, len(entries) % 2**16, len(directory), first)
    return data[:first] + directory + bytes(tail)


def _zip_inner(chance: random.Random, data: bytes) -> bytes:
    """The whole as the one member of another one, once or a few times."""
    for _ in range(chance.choice((1, 1, 2, 3, 5))):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(chance.choice(("in.zip", "a/in.zip", "in", "in.tar.gz")), data)
        data = file.getvalue()
    return data


def tar_fields(chance: random.Random, data: bytes, samples: Sequence[bytes]) -> bytes:
    """A tar with fields of its headers changed, or further headers before a member."""
    return chance.choice((_tar_field, _tar_field, _tar_header, _tar_header, _tar_blocks))(chance, data)


def _headers(data: bytes) -> list[int]:
    return [place for place in range(0, min(len(data), 2**18), 512) if data[place + 257 : place + 262] == b"ustar"] or [0]


def _with_checksum(header: bytes) -> bytes:
    blank = header[:148] + b" " * 8 + header[156:]
    return header[:148] + f"{sum(blank):06o}\0 ".encode() + header[156:]


def _tar_number(chance: random.Random, size: int) -> bytes:
    number = chance.choice((*LARGE, -1, -512, -(2**62)))
    octal = f"{abs(number):0{size - 1}o}\0".encode()[-size:]
    large = (chance.choice((b"\x80", b"\xff")) + number.to_bytes(24, "big", signed=True)[-size + 1 :])[:size]
    return chance.choice(
        (octal, large, large, b"9" * size, b" " * size, bytes(size), b"\xff" * size, b"-1".ljust(size), b"\x80" * size)
    )


def _tar_field(chance: random.Random, data: bytes) -> bytes:
    changed = bytearray(data.ljust(512, b"\0"))
    for _ in range(chance.choice((1, 1, 2, 4))):
        place = chance.choice(_headers(data))
        offset, size = chance.choice(TAR_FIELDS)
        value = chance.choice(NAMES)[:size].ljust(size, b"\0") if size > 12 or size < 8 else _tar_number(chance, size)
        if size == 1:
            value = bytes([chance.choice(TYPES)])
        changed[place + offset : place + offset + size] = value
        if chance.random() < 0.95:
            changed[place : place + 512] = _with_checksum(bytes(changed[place : place + 512].ljust(512, b"\0")))
    return bytes(changed)


def _tar_header(chance: random.Random, data: bytes) -> bytes:
    """A header of pax or GNU before a member, once or very often."""
    kind = chance.choice((*(tarfile.XHDTYPE, tarfile.XHDTYPE, tarfile.XHDTYPE, tarfile.XGLTYPE, b"X"), b"L", b"K", b"S"))
    content = chance.choice(NAMES) + b"\0"
    if kind in (tarfile.XHDTYPE, tarfile.XGLTYPE, b"X"):
        content = b"".join(_record(chance) for _ in range(chance.choice((1, 1, 2, 4, 30))))
        if chance.random() < 0.1:
            content = chance.choice((b"9", b"1 ", b"\n", b"=", b"11 a=", b"\0", b"1", b"5 a=b\n")) * chance.choice((1, 100, 60_000))
    info = tarfile.TarInfo("header")
    info.type, info.size = kind, len(content)
    header = info.tobuf(tarfile.GNU_FORMAT)
    if chance.random() < 0.2:
        header = _with_checksum(header[:124] + _tar_number(chance, 12) + header[136:])
    block = header + content + bytes(-len(content) % 512)
    place = chance.choice(_headers(data))
    return data[:place] + block * min(chance.choice((1, 1, 1, 2, 9, 2000)), 2**22 // len(block) + 1) + data[place:]


def _record(chance: random.Random) -> bytes:
    rest = b" " + chance.choice(KEYS) + b"=" + chance.choice(VALUES) + b"\n"
    length = len(rest) + 1
    while len(str(length)) + len(rest) != length:
        length += 1
    return (str(length).encode() if chance.random() < 0.9 else chance.choice(VALUES)) + rest


def _tar_blocks(chance: random.Random, data: bytes) -> bytes:
    """Blocks said again, left out, or exchanged; zeros between them; more behind the end."""
    blocks = [data[place : place + 512] for place in range(0, min(len(data), 2**20), 512)] or [b""]
    one, other = chance.randrange(len(blocks)), chance.randrange(len(blocks))
    changed = list(blocks)
    match chance.randrange(5):
        case 0:
            del changed[one]
        case 1:
            changed[one:one] = [blocks[other]] * chance.choice((1, 2, 5000))
        case 2:
            changed[one], changed[other] = changed[other], changed[one]
        case 3:
            changed.insert(one, bytes(512) * chance.choice((1, 2, 100)))
        case _:
            changed += blocks * chance.choice((1, 3))
    return b"".join(changed)


def packed_fields(chance: random.Random, data: bytes, samples: Sequence[bytes]) -> bytes:
    """A compressed tar or file: what is inside is changed, or the headers around it, or there are several behind each other."""
    match chance.randrange(4):
        case 0 | 1:
            inside = _unpacked(data)
            return chance.choice(PACK)(tar_fields(chance, inside, samples) if inside else data)
        case 2:
            return _packed_header(chance, data)
        case _:
            return _joined(chance, data, samples)


def _unpacked(data: bytes) -> bytes:
    for magic, unpack in zip(MAGIC, (gzip.decompress, bz2.decompress, lzma.decompress, _zstd)):
        if data.startswith(magic):
            try:
                return unpack(data)[: 1 << 22]
            except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError, zstandard.ZstdError, MemoryError):
                return b""
    return b""


def _zstd(data: bytes) -> bytes:
    return zstandard.ZstdDecompressor().decompress(data, max_output_size=1 << 22)


def _packed_header(chance: random.Random, data: bytes) -> bytes:
    """The flags and lengths around what is compressed: all lie in the first bytes, and in the last."""
    if len(data) < 10:
        return data
    changed = bytearray(data)
    if data.startswith(MAGIC[0]) and chance.random() < 0.6:
        # FEXTRA, FNAME, FCOMMENT and FHCRC, with what they announce or without.
        changed[3] = chance.randrange(256)
        extra = chance.choice(
            (b"", struct.pack("<H", chance.choice(NUMBERS) % 2**16), b"n" * chance.choice((1, 300, 2**20)), b"\0\0")
        )
        changed[10:10] = extra
        return bytes(changed)
    for _ in range(chance.choice((1, 1, 2))):
        place = chance.randrange(min(len(data), 24)) if chance.random() < 0.6 else -1 - chance.randrange(min(len(data), 16))
        changed[place] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, changed[place] ^ 1 << chance.randrange(8)))
    return bytes(changed)


def _joined(chance: random.Random, data: bytes, samples: Sequence[bytes]) -> bytes:
    """Several streams, empty ones among them, zeros and other bytes between and behind; what is packed, packed again."""
    empty = chance.choice(PACK)(b"")
    other = chance.choice((chance.choice(samples), empty, bytes(512), b"garbage", b"\x50\x2a\x4d\x18\xff\xff\xff\xff", data))
    match chance.randrange(4):
        case 0:
            return data + other
        case 1:
            return other + data
        case 2:
            many = empty * min(chance.choice((5, 9_990, 100_000)), (1 << 22) // len(empty))
            return many + data if chance.random() < 0.5 else data + many
        case _:
            pack = chance.choice(PACK)
            return pack(pack(data + bytes(chance.choice((0, 1 << 20, 1 << 24)))))
