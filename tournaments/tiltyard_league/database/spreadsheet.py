"""Tables as OpenDocument spreadsheets (ISO/IEC 26300), in which text stays text.

Of CSV, LibreOffice and Excel take whatever looks like a number for one: an id 00017 becomes 17, and 1e5 becomes 100000.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from typing import Final
from xml.sax.saxutils import escape, quoteattr

KIND: Final = "application/vnd.oasis.opendocument.spreadsheet"
_MANIFEST: Final = f"""<?xml version="1.0" encoding="UTF-8"?>
<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" manifest:version="1.2">
<manifest:file-entry manifest:full-path="/" manifest:version="1.2" manifest:media-type="{KIND}"/>
<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/>
</manifest:manifest>
"""
_OFFICE: Final = "urn:oasis:names:tc:opendocument:xmlns"
_HEAD: Final = f"""<?xml version="1.0" encoding="UTF-8"?>
<office:document-content xmlns:office="{_OFFICE}:office:1.0" xmlns:table="{_OFFICE}:table:1.0" xmlns:text="{_OFFICE}:text:1.0"
 office:version="1.2"><office:body><office:spreadsheet>
"""
_END: Final = "</table:table></office:spreadsheet></office:body></office:document-content>\n"


def spreadsheet(name: str, rows: Sequence[Sequence[str | int]]) -> bytes:
    """The file of a spreadsheet with one table: text as text, whatever it looks like, and numbers as numbers."""
    lines = [f"<table:table-row>{''.join(map(_cell, row))}</table:table-row>\n" for row in rows]
    content = f"{_HEAD}<table:table table:name={quoteattr(_plain(name))}>\n{''.join(lines)}{_END}"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        # First and not packed, so that the kind of the file is known by its first bytes.
        archive.writestr("mimetype", KIND, zipfile.ZIP_STORED)
        archive.writestr("content.xml", content)
        archive.writestr("META-INF/manifest.xml", _MANIFEST)
    return buffer.getvalue()


def _cell(value: str | int) -> str:
    if isinstance(value, int):
        return f'<table:table-cell office:value-type="float" office:value="{value}"><text:p>{value}</text:p></table:table-cell>'
    if not value:
        return "<table:table-cell/>"
    return f'<table:table-cell office:value-type="string"><text:p>{escape(_plain(value))}</text:p></table:table-cell>'


def _plain(text: str) -> str:
    """Without what XML can't hold."""
    return "".join(sign for sign in text if sign >= " " and sign not in "\ufffe\uffff")
