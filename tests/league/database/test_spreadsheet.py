from __future__ import annotations

import io
import zipfile
from xml.etree import ElementTree

from tiltyard_league.database.spreadsheet import KIND, spreadsheet

ROWS: list[tuple[str | int, ...]] = [
    ("id", "name", "rating"),
    ("00017", "=1+1", 120),
    ("1e5", "Zo\u00eb <&> \ufffe\x01", -3),
    ("2026-01-02", "", 0),
]
TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
WANTED = [
    [("string", "id"), ("string", "name"), ("string", "rating")],
    [("string", "00017"), ("string", "=1+1"), ("float", "120")],
    [("string", "1e5"), ("string", "Zo\u00eb <&> "), ("float", "-3")],
    [("string", "2026-01-02"), (None, None), ("float", "0")],
]


def cells(content: bytes) -> list[list[tuple[str | None, str | None]]]:
    """The kind and the text of each cell."""
    return [
        [(cell.get(f"{OFFICE}value-type"), cell.findtext(f"{TEXT}p")) for cell in row.iter(f"{TABLE}table-cell")][:3]
        for row in ElementTree.fromstring(content).iter(f"{TABLE}table-row")
    ]


def test_text_is_text_whatever_it_looks_like() -> None:
    data = spreadsheet("grades & more", ROWS)
    # Programs know the kind of the file by its first bytes.
    assert data[30 : 38 + len(KIND)] == b"mimetype" + KIND.encode()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        assert cells(archive.read("content.xml")) == WANTED
        listed = archive.read("META-INF/manifest.xml").decode()
    assert 'full-path="content.xml"' in listed
