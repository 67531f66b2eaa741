"""What is done with archives that are broken, or made to harm: each leaves nothing behind, and its owner is told what to do."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import stat
import struct
import tarfile
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
import zstandard
from tests.intake.made_archives import (
    endless,
    pax,
    pax_record,
    raw_name,
    tarred,
    tarred_as,
    with_field,
    with_tar_size,
    zipped,
    zipped_as,
)

from tiltyard_intake.archives.archive_kinds import ArchiveKind
from tiltyard_intake.archives.bounds import BOUNDS, MIB, Account, Bounds
from tiltyard_intake.archives.unpack_errors import SENTENCES, Cause, UnpackError
from tiltyard_intake.trees.unpacking import unpack

SMALL = Bounds(size=100_000, files=20, folders=20, members=40, depth=5, ratio_from=10_000)
NOISE = bytes(number * number % 251 for number in range(3_000))
OF_TWO = zipped({"a.txt": NOISE, "b.txt": b"b"})
DEFLATED = zipped({"a.txt": NOISE})


@dataclass(frozen=True)
class Hostile:
    """One archive, how it is called, and what people are told of it."""

    what: str
    name: str
    make: Callable[[], bytes]
    cause: Cause
    sentence: str
    bounds: Bounds = BOUNDS


def long_pax() -> bytes:
    """A tar whose header of long names states eight gigabytes."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as archive:
        archive.addfile(tarfile.TarInfo("n" * 200))
    return with_tar_size(file.getvalue(), 8**11 - 1)


def big_directory() -> bytes:
    """A zip whose end states a list of contents of two gigabytes."""
    data = bytearray(DEFLATED)
    struct.pack_into("<I", data, data.rindex(b"PK\x05\x06") + 12, 2**31)
    return bytes(data)


def on_second_disk() -> bytes:
    data = bytearray(DEFLATED)
    struct.pack_into("<H", data, data.rindex(b"PK\x05\x06") + 4, 1)
    return bytes(data)


def overlapping() -> bytes:
    """Many members of a zip that share the same compressed bytes (Fifield, 2019)."""
    zeros = zipped({"a": bytes(2_000_000)})
    start, end = zeros.index(b"PK\x01\x02"), zeros.rindex(b"PK\x05\x06")
    entry = zeros[start:end]
    entries = b"".join(entry for _ in range(200))
    tail = struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, 200, 200, len(entries), start, 0)
    return zeros[:start] + entries + tail


def damaged_middle() -> bytes:
    """A tar whose second header is damaged: tarfile itself would end there without a word."""
    data = bytearray(tarred({"a.txt": b"a", "b.txt": b"b", "c.txt": b"c"}))
    data[1024 + 148 : 1024 + 154] = b"777777"
    return bytes(data)


def many_folders() -> bytes:
    return zipped([(f"{number}/", b"") for number in range(30)])


def long_extra() -> bytes:
    """A zip whose list of contents has 60 kB of extra fields without contents."""
    data, extra = DEFLATED, struct.pack("<HH", 5, 0) * 15_000
    start, end = data.index(b"PK\x01\x02"), data.rindex(b"PK\x05\x06")
    data = with_field(data, 28, 30, "<H", len(extra))
    data = data[:28] + bytes(2) + data[30:end] + extra + data[end:]
    return data[:-10] + struct.pack("<IIH", end + len(extra) - start, start, 0)


def nested_gzip() -> bytes:
    """Ten megabytes of zeros in a few hundred bytes."""
    return gzip.compress(gzip.compress(bytes(10_000_000)))


def zstd_window() -> bytes:
    """A frame that wants a window of two gigabytes."""
    return b"\x28\xb5\x2f\xfd" + bytes([0b0000_0000, (31 - 10) << 3]) + b"\x01\0\0" + bytes(600)


def xz_memory() -> bytes:
    """An xz that wants 192 MB of memory."""
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 192 * MIB}]
    return lzma.compress(b"x" * 1000, format=lzma.FORMAT_XZ, filters=filters)


HOSTILE: Sequence[Hostile] = [
    # Not what they seem
    Hostile("no bytes", "a.zip", bytes, Cause.EMPTY, "is empty"),
    Hostile("a text called zip", "a.zip", lambda: b"my bot\n", Cause.NOT_AN_ARCHIVE, "is not an archive, though its name says so"),
    Hostile("a text called tgz", "a.tgz", lambda: gzip.compress(b"int main() {}"), Cause.NOT_AN_ARCHIVE, "is not an archive"),
    Hostile("a web page called tar", "a.tar", lambda: b"<html>" * 200, Cause.DAMAGED, "is damaged"),
    Hostile(
        "7z", "a.7z", lambda: b"7z\xbc\xaf\x27\x1c\0\4", Cause.SEVEN_ZIP, "is a 7z archive, which is not read here; send a zip"
    ),
    Hostile("7z called zip", "a.zip", lambda: b"7z\xbc\xaf\x27\x1c\0\4", Cause.SEVEN_ZIP, "is a 7z archive"),
    Hostile("RAR", "a.rar", lambda: b"Rar!\x1a\x07\x01\0", Cause.RAR, "is a RAR archive, which is not read here; send a zip"),
    Hostile("a part", "a.z01", lambda: DEFLATED, Cause.IN_PARTS, "is one part of an archive in several parts; send one zip"),
    Hostile("a zip on two disks", "a.zip", on_second_disk, Cause.IN_PARTS, "is one part of an archive in several parts"),
    Hostile("the first part", "a.zip", lambda: b"PK\x07\x08" + DEFLATED[:60], Cause.IN_PARTS, "is one part of an archive"),
    Hostile(
        "the last part", "a.zip", lambda: OF_TWO[40:], Cause.IN_PARTS, "is one part of an archive in several parts; send one zip"
    ),
    # Damaged
    Hostile("a zip cut off", "a.zip", lambda: OF_TWO[:-40], Cause.DAMAGED, "is damaged (its end is missing); send it again"),
    Hostile("half a zip's end", "a.zip", lambda: DEFLATED[:-10], Cause.DAMAGED, "is damaged (its end is cut off); send it again"),
    Hostile("a tar cut off", "a.tar", lambda: tarred({"a": NOISE})[:1500], Cause.DAMAGED, "is damaged (its end is missing)"),
    Hostile("a gzip cut off", "a.tgz", lambda: gzip.compress(tarred({"a": NOISE}))[:-60], Cause.DAMAGED, "is damaged"),
    Hostile(
        "an xz cut off",
        "a.txz",
        lambda: lzma.compress(tarred({"a": NOISE}))[:-90],
        Cause.DAMAGED,
        "is damaged (its end is missing)",
    ),
    Hostile("a bzip2 cut off", "a.tbz", lambda: bz2.compress(tarred({"a": NOISE}))[:-90], Cause.DAMAGED, "is damaged"),
    Hostile("a wrong checksum", "a.zip", lambda: with_field(DEFLATED, 14, 16, "<I", 7), Cause.DAMAGED, "is damaged (Bad CRC-32"),
    Hostile("a damaged header in a tar", "a.tar", damaged_middle, Cause.DAMAGED, "is damaged (bad checksum)"),
    Hostile(
        "a negative size", "a.tar", lambda: with_tar_size(tarred({"a": b"a"}), -512), Cause.DAMAGED, "is damaged (a negative size)"
    ),
    Hostile("a zstd cut off", "a.py.zst", lambda: zstandard.compress(NOISE)[:-9], Cause.DAMAGED, "is damaged (its end is missing)"),
    Hostile("a gzip of one file cut off", "a.py.gz", lambda: gzip.compress(NOISE)[:-9], Cause.DAMAGED, "(its end is missing)"),
    Hostile("a terabyte that isn't there", "a.tgz", endless, Cause.DAMAGED, "is damaged (its end is missing); send it again"),
    Hostile(
        "a number of 12 bytes",
        "a.tar",
        lambda: with_tar_size(tarred({"a": b"a"}), -1).replace(b"\xff" * 12, b"\x80" + b"\x7f" * 11),
        Cause.DAMAGED,
        "is damaged (bad checksum)",
    ),
    Hostile(
        "a negative size in what is compressed",
        "a.tgz",
        lambda: gzip.compress(with_tar_size(tarred({"a": b"a"}), -512)),
        Cause.NOT_AN_ARCHIVE,
        "is not an archive",
    ),
    Hostile("a size in words", "a.tar", lambda: pax(pax_record("size", "many")), Cause.DAMAGED, "(a size that is no number)"),
    Hostile("a size below zero", "a.tar", lambda: pax(pax_record("size", "-1")), Cause.DAMAGED, "(a size that is no number)"),
    Hostile(
        "a size of 10 exabytes", "a.tar", lambda: pax(pax_record("size", "9" * 19)), Cause.DAMAGED, "(a size that no file has)"
    ),
    Hostile("digits without end", "a.tar", lambda: pax(b"9" * 60_000), Cause.DAMAGED, "(a header of pax that makes no sense)"),
    Hostile(
        "a record longer than its header", "a.tar", lambda: pax(b"99 a=b\n"), Cause.DAMAGED, "(a header of pax that makes no sense)"
    ),
    Hostile("records without end", "a.tar", lambda: pax(b"4 =\n" * 2_000), Cause.DAMAGED, "(a header of pax that is too long)"),
    Hostile("headers of headers", "a.tar", lambda: pax(b"4 =\n")[:1024] * 20, Cause.DAMAGED, "(too many headers for one member)"),
    Hostile("a header of nothing", "a.tar", lambda: pax(b"4 =\n")[:1024], Cause.DAMAGED, "is damaged (its end is missing)"),
    Hostile(
        "streams without end", "a.py.gz", lambda: gzip.compress(b"") * 10_001, Cause.DAMAGED, "(it has more than 10,000 parts)"
    ),
    Hostile("long extra fields", "a.zip", long_extra, Cause.DAMAGED, "is damaged (a header that is too long)"),
    Hostile("members that share bytes", "a.zip", overlapping, Cause.DAMAGED, "is damaged (members that overlap)"),
    Hostile(
        "a wrong checksum in bzip2",
        "a.zip",
        lambda: with_field(zipped({"a": NOISE}, zipfile.ZIP_BZIP2), 14, 16, "<I", 7),
        Cause.DAMAGED,
        "is damaged (Bad CRC-32)",
    ),
    # Locked, or compressed in a way that is not read
    Hostile("a password", "a.zip", lambda: with_field(DEFLATED, 6, 8, "<H", 1), Cause.LOCKED, "is locked with a password"),
    Hostile(
        "AES",
        "a.zip",
        lambda: with_field(DEFLATED, 8, 10, "<H", 99),
        Cause.LOCKED,
        "is locked with a password; send it without one",
    ),
    Hostile(
        "Deflate64", "a.zip", lambda: with_field(DEFLATED, 8, 10, "<H", 9), Cause.METHOD, "compressed in an unusual way (Deflate64)"
    ),
    Hostile(
        "LZMA in a zip",
        "a.zip",
        lambda: zipped({"a": NOISE}, zipfile.ZIP_LZMA),
        Cause.METHOD,
        "in an unusual way (LZMA); make a zip",
    ),
    # Paths that lead out
    Hostile(
        "two dots", "a.zip", lambda: zipped({"../../evil": b""}), Cause.OUTSIDE, "contains a path that leads out of it (../../evil)"
    ),
    Hostile(
        "two dots inside", "a.zip", lambda: zipped({"a/../../evil": b""}), Cause.OUTSIDE, "that leads out of it (a/../../evil)"
    ),
    Hostile(
        "backslashes", "a.zip", lambda: zipped({"..\\evil": b""}), Cause.OUTSIDE, "leads out of it (../evil); zip the folder itself"
    ),
    Hostile("two dots in a tar", "a.tar", lambda: tarred({"../evil": b""}), Cause.OUTSIDE, "leads out of it (../evil)"),
    Hostile(
        "an absolute path", "a.tar", lambda: tarred({"/etc/evil": b""}), Cause.ABSOLUTE, "starts at the top of a disk (/etc/evil)"
    ),
    Hostile("a drive", "a.zip", lambda: zipped({"C:\\evil": b""}), Cause.ABSOLUTE, "starts at the top of a disk (C:/evil)"),
    Hostile("a drive's folder", "a.zip", lambda: zipped({"c:evil": b""}), Cause.ABSOLUTE, "starts at the top of a disk (c:evil)"),
    Hostile("a network share", "a.zip", lambda: zipped({"\\\\host\\evil": b""}), Cause.ABSOLUTE, "top of a disk (//host/evil)"),
    # Names
    Hostile("a zero byte", "a.zip", lambda: raw_name("aQb", b"a\0b"), Cause.BAD_NAME, "contains a name that no file can have (a"),
    Hostile("no name", "a.zip", lambda: raw_name("Q", b"."), Cause.BAD_NAME, "contains a name that no file can have (.)"),
    Hostile(
        "a zero byte in pax", "a.tar", lambda: pax(pax_record("path", "a\0b")), Cause.BAD_NAME, "a name that no file can have (a"
    ),
    Hostile("two dots in pax", "a.tar", lambda: pax(pax_record("path", "../evil")), Cause.OUTSIDE, "leads out of it (../evil)"),
    Hostile("accents to be put in order", "a.zip", lambda: zipped({"\u0315\u0300" * 15_000: b""}), Cause.LONG_NAME, "too long"),
    Hostile(
        "folders without end", "a.zip", lambda: zipped({"a/" * 700: b""}), Cause.TOO_DEEP, "folders more than 600 deep; send only"
    ),
    Hostile("a long name", "a.zip", lambda: zipped({"n" * 300: b""}), Cause.LONG_NAME, "contains a name that is too long (nnn"),
    Hostile(
        "a long path", "a.zip", lambda: zipped({"n/" * 600 + "a": b""}), Cause.LONG_NAME, "contains a name that is too long (n/n"
    ),
    Hostile("the same name twice", "a.tar", lambda: tarred([("a", b"1"), ("a", b"2")]), Cause.TWICE, "the same path twice (a)"),
    Hostile("the same by another path", "a.tar", lambda: tarred([("a", b"1"), ("./a", b"2")]), Cause.TWICE, "same path twice (a)"),
    Hostile(
        "a file, then a folder", "a.zip", lambda: zipped({"a": b"", "a/b": b""}), Cause.FILE_AND_FOLDER, "a file and a folder (a)"
    ),
    Hostile(
        "a folder, then a file", "a.zip", lambda: zipped({"a/b": b"", "a": b""}), Cause.FILE_AND_FOLDER, "a file and a folder (a)"
    ),
    # Neither files nor folders
    Hostile(
        "a device",
        "a.tar",
        lambda: tarred_as(tarfile.BLKTYPE, "disk"),
        Cause.SPECIAL,
        "neither a file nor a folder (disk); leave it out",
    ),
    Hostile("a pipe", "a.tar", lambda: tarred_as(tarfile.FIFOTYPE, "pipe"), Cause.SPECIAL, "neither a file nor a folder (pipe)"),
    Hostile(
        "a device in a zip", "a.zip", lambda: zipped_as(stat.S_IFCHR | 0o666), Cause.SPECIAL, "neither a file nor a folder (odd)"
    ),
    Hostile(
        "holes in pax", "a.tar", lambda: pax(pax_record("GNU.sparse.size", "9"), b"x"), Cause.SPARSE, "a file with holes (bot.py)"
    ),
    Hostile(
        "holes",
        "a.tar",
        lambda: with_tar_size(tarred({"a": b""}), 0, tarfile.GNUTYPE_SPARSE),
        Cause.SPARSE,
        "a file with holes (a)",
    ),
    # Too much
    Hostile(
        "a bomb", "a.zip", lambda: zipped({"a": bytes(40_000_000)}), Cause.BOMB, "more than 200 times as large when it is unpacked"
    ),
    Hostile(
        "a bomb of bzip2 in a zip",
        "a.zip",
        lambda: zipped({"a": bytes(40_000_000)}, zipfile.ZIP_BZIP2),
        Cause.BOMB,
        "more than 200 times as large",
    ),
    Hostile(
        "a bomb that is left out",
        "a.tbz",
        lambda: bz2.compress(tarred({"junk/a": bytes(80_000_000)})),
        Cause.BOMB,
        "becomes more than 800 times as large",
    ),
    Hostile(
        "a bomb of one file", "a.gz", lambda: gzip.compress(bytes(40_000_000)), Cause.BOMB, "becomes more than 200 times as large"
    ),
    Hostile(
        "zstd",
        "a.tar.zst",
        lambda: zstandard.compress(tarred({"a": bytes(40_000_000)})),
        Cause.BOMB,
        "more than 200 times as large",
    ),
    Hostile(
        "many bytes", "a.tar", lambda: tarred({"a": bytes(200_000)}), Cause.TOO_LARGE, "contains more than 100,000 bytes", SMALL
    ),
    Hostile(
        "zeros that are left out",
        "a.tgz",
        lambda: gzip.compress(tarred({"junk/a": bytes(900_000)})),
        Cause.TOO_LARGE,
        "more than",
        SMALL,
    ),
    Hostile(
        "many files",
        "a.zip",
        lambda: zipped({f"{n}": b"" for n in range(30)}),
        Cause.TOO_MANY,
        "contains more than 20 files",
        SMALL,
    ),
    Hostile("many folders", "a.zip", many_folders, Cause.MANY_FOLDERS, "contains more than 20 folders; leave out", SMALL),
    Hostile(
        "many that are left out",
        "a.zip",
        lambda: zipped({f"junk/{n}": b"" for n in range(50)}),
        Cause.LONG_LIST,
        "more than 40",
        SMALL,
    ),
    Hostile("deep folders", "a.zip", lambda: zipped({"a/" * 33 + "b": b""}), Cause.TOO_DEEP, "contains folders more than 32 deep"),
    Hostile(
        "a list of two gigabytes", "a.zip", big_directory, Cause.LONG_LIST, "has too long a list of contents (more than 64 MB)"
    ),
    Hostile("a header of eight gigabytes", "a.tar", long_pax, Cause.DAMAGED, "is damaged (a header that is too long)"),
    Hostile("a window of two gigabytes", "a.zst", zstd_window, Cause.DAMAGED, "is damaged"),
    Hostile("memory for xz", "a.xz", xz_memory, Cause.DAMAGED, "is damaged (Memory usage limit exceeded)"),
]


@pytest.mark.parametrize("hostile", HOSTILE, ids=lambda hostile: hostile.what)
def test_nothing_is_left_and_people_are_told(hostile: Hostile, tmp_path: Path) -> None:
    archive = tmp_path / hostile.name
    archive.write_bytes(hostile.make())
    with pytest.raises(UnpackError) as raised:
        unpack(archive, tmp_path / "tree", account=Account(hostile.bounds), left_out=lambda parts: parts[0] == "junk")
    assert raised.value.cause is hostile.cause
    assert str(raised.value).startswith(f"{hostile.name}: ")
    assert hostile.sentence in str(raised.value)
    assert str(raised.value).isprintable()
    assert [path.name for path in tmp_path.iterdir()] == [hostile.name]


def test_there_are_at_least_forty_and_most_causes_have_one() -> None:
    assert len({hostile.what for hostile in HOSTILE}) == len(HOSTILE) >= 40
    # These five are about folders, trees, file systems and the process that reads, and have tests there.
    elsewhere = {Cause.UNREADABLE, Cause.NESTED, Cause.NOTHING, Cause.TOO_LONG, Cause.TWINS}
    assert {hostile.cause for hostile in HOSTILE} == set(Cause) - elsewhere


def test_each_kind_of_archive_has_a_hostile_one() -> None:
    magic = {hostile.make()[:2] for hostile in HOSTILE}
    assert len(ArchiveKind) == 8
    assert magic >= {b"PK", b"\x1f\x8b", b"BZ", b"\xfd7", b"\x28\xb5", b"7z", b"Ra"}


def test_every_cause_has_a_sentence_that_says_what_to_do() -> None:
    assert set(SENTENCES) == set(Cause)
    for cause, sentence in SENTENCES.items():
        assert sentence.count("{}") <= 1
        assert "; " in sentence or cause is Cause.UNREADABLE


@pytest.mark.parametrize(
    "make",
    [
        partial(zipped_as, stat.S_IFLNK | 0o777, "link", b"/etc/passwd"),
        partial(tarred_as, tarfile.SYMTYPE, "link", "../../outside"),
        partial(tarred_as, tarfile.LNKTYPE, "link", "/etc/passwd"),
    ],
)
def test_links_are_left_out_and_told(make: Callable[[], bytes], tmp_path: Path) -> None:
    archive = tmp_path / "a.zip"
    archive.write_bytes(make())
    done = unpack(archive, tmp_path / "tree")
    assert done.notes() == ["links are left out: link"]
    assert list((tmp_path / "tree").iterdir()) == []


def test_a_link_to_a_folder_does_not_lead_out(tmp_path: Path) -> None:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        link = tarfile.TarInfo("door")
        link.type, link.linkname = tarfile.SYMTYPE, str(tmp_path / "outside")
        archive.addfile(link)
        archive.addfile(tarfile.TarInfo("door/evil"))
    (tmp_path / "outside").mkdir()
    (tmp_path / "a.tar").write_bytes(file.getvalue())
    done = unpack(tmp_path / "a.tar", tmp_path / "tree")
    assert done.links == ["door"]
    assert list((tmp_path / "outside").iterdir()) == []
    assert (tmp_path / "tree" / "door" / "evil").is_file()
