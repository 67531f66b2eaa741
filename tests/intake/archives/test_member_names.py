"""Names inside archives: safe whatever they are, and readable where they can be."""

from __future__ import annotations

import struct
import zipfile
import zlib
from pathlib import PurePosixPath

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tiltyard_intake.archives.member_names import LONGEST_PATH, safe_parts, tar_name, twin_key, zip_name
from tiltyard_intake.archives.unpack_errors import UnpackError

PIECES = st.sampled_from(
    ["..", ".", "", "/", "\\", "C:", "a", "b.txt", "~", "\0", "\x1b[2J", "é", "e\u0301", "..\u2024", " ", "CON", "n" * 300]
)
PATHS = st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=8).map("/".join), st.lists(PIECES, max_size=8).map("".join))


@given(PATHS)
@example("./A:")
def test_a_safe_path_stays_inside(name: str) -> None:
    try:
        parts = safe_parts("a.zip", name)
    except UnpackError:
        return
    for part in parts:
        assert part not in ("", ".", "..")
        assert part.isprintable()
        assert "/" not in part
    assert not PurePosixPath(*parts).is_absolute()
    assert len("/".join(parts).encode()) <= LONGEST_PATH
    # Safe once is safe for good.
    assert safe_parts("a.zip", "/".join(parts)) == parts


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("bot/main.cpp", ("bot", "main.cpp")),
        ("./bot//main.cpp", ("bot", "main.cpp")),
        ("bot/", ("bot",)),
        ("./", ()),
        ("...", ("...",)),
        ("a\tb\x1b", ("a_b_",)),
        ("e\u0301t\u00e9.py", ("\u00e9t\u00e9.py",)),
        ("שלום.py", ("שלום.py",)),
    ],
)
def test_names_are_kept_where_they_can_be(name: str, parts: tuple[str, ...]) -> None:
    assert safe_parts("a.zip", name) == parts


def info(name: str, flag: int = 0, extra: bytes = b"") -> zipfile.ZipInfo:
    made = zipfile.ZipInfo(name)
    made.flag_bits, made.extra = flag, extra
    return made


def test_names_of_zips_in_every_encoding() -> None:
    assert zip_name(info("été", 0x800)) == "été"
    # As zipfile reads bytes without the flag: as CP437, of which they may be UTF-8.
    assert zip_name(info("été".encode().decode("cp437"))) == "été"
    assert zip_name(info("été".encode("cp437").decode("cp437"))) == "été"
    assert zip_name(info("bot\\main.cs")) == "bot/main.cs"


def test_the_name_in_the_extra_field_counts_if_it_belongs_to_this_name() -> None:
    raw = "été".encode("cp850")
    field = struct.pack("<BI", 1, zlib.crc32(raw)) + "été!".encode()
    extra = struct.pack("<HH", 1, 2) + b"xx" + struct.pack("<HH", 0x7075, len(field)) + field
    assert zip_name(info(raw.decode("cp437"), extra=extra)) == "été!"
    assert zip_name(info("other", extra=extra)) == "other"


@given(st.binary(max_size=40))
def test_any_extra_field_is_read(extra: bytes) -> None:
    assert zip_name(info("bot", extra=extra)) == "bot" or b"bot" not in extra


def test_names_of_tars_in_every_encoding() -> None:
    assert tar_name("été".encode()) == "été"
    assert tar_name(b"\xe9t\xe9") == "été"


def test_twins() -> None:
    assert twin_key(("Bot", "MAIN.cs")) == twin_key(("bot", "main.CS"))
    assert twin_key(("straße",)) == twin_key(("STRASSE",))
    assert twin_key(("a", "b")) != twin_key(("ab",))
