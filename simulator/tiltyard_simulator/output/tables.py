"""Tables as text, by tabulate; CSV and JSON by the standard library.

Cells and titles may come from other people's code: names of teams and maps, messages of faults. They are escaped in HTML and
Markdown, control characters are replaced, each stands on one line, and in CSV and TSV no text begins like a formula. JSON
alone holds them as they are, by its own escapes.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from html import escape
from typing import Final

from tabulate import multiline_formats, tabulate, tabulate_formats

from tiltyard_engine.errors import NotFoundError
from tiltyard_engine.lifecycle import Cell, Table
from tiltyard_engine.texts.sanitize import cell_text, json_escaped, spreadsheet_cell, whole_line

__all__ = ["FORMATS", "MARKDOWN_FORMATS", "PROGRAM_FORMATS", "Cell", "Table", "check_format", "render", "render_all"]

FORMATS: Final = ("csv", "json", "markdown", *[name for name in tabulate_formats if name != "unsafehtml"])
"""Names of table formats."""

WIDTH: Final = 60
"""Characters of a line of the last column, where it has several."""
MARKDOWN_FORMATS: Final = ("markdown", "github", "pipe")

PROGRAM_FORMATS: Final = ("csv", "json", "tsv")
"""Formats for programs. Nothing else may be printed beside them."""


def render_all(tables: Sequence[Table], style: str = "simple") -> str:
    """Tables with their titles, one below the other. ``json`` gives one object, with each table's rows under its title.

    Raises:
        NotFoundError: there is no such format.
    """
    if style == "json":
        return as_json({table.title: _objects(table.headers, table.rows) for table in tables})
    return "\n\n".join(f"{_title(table.title, style)}\n\n{render(table.headers, table.rows, style)}" for table in tables)


def render(
    headers: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    style: str = "simple",
    align: Sequence[str] | None = None,
    *,
    is_last_whole: bool = False,
) -> str:
    """A table as text; ``style`` is one of FORMATS. ``align`` may have ``left`` or ``right`` for each column.

    With ``is_last_whole``, texts of the last column are never cut: where cells can have several lines, they go over as many.

    Raises:
        NotFoundError: there is no such format.
    """
    if style == "csv":
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        for row in (headers, *rows):
            last = len(row) - 1 if is_last_whole else -1
            cells = enumerate(row)
            writer.writerow([spreadsheet_cell(each, is_whole=at == last) if isinstance(each, str) else each for at, each in cells])
        return text.getvalue().rstrip("\n")
    if style == "json":
        return as_json(_objects(headers, rows))
    check_format(style)
    last = len(headers) - 1 if is_last_whole else -1
    texts = [
        [safe_text(cell, style, is_whole=at == last) if isinstance(cell, str) else cell for at, cell in enumerate(row)]
        for row in rows
    ]
    form = "github" if style == "markdown" else style
    # A name such as "1e5" is not a number.
    safe_headers = [safe_text(header, style) for header in headers]
    widths = (
        [*[None] * last, WIDTH] if is_last_whole and rows and form in multiline_formats and style not in MARKDOWN_FORMATS else None
    )
    return tabulate(texts, safe_headers, tablefmt=form, disable_numparse=True, colalign=align or _align(rows), maxcolwidths=widths)


def as_json(value: object) -> str:
    """Values as JSON that people can read, and that does nothing to a terminal."""
    return json_escaped(json.dumps(value, indent=2, ensure_ascii=False))


def check_format(style: str) -> None:
    """Raise NotFoundError if the format does not exist."""
    if style not in FORMATS:
        raise NotFoundError("table format", style, FORMATS)


def _objects(headers: Sequence[str], rows: Sequence[Sequence[Cell]]) -> list[dict[str, Cell]]:
    return [dict(zip(headers, row)) for row in rows]


def _title(title: str, style: str) -> str:
    if style == "csv":
        return spreadsheet_cell(title)
    safe = safe_text(title, style)
    return f"<h2>{escape(safe)}</h2>" if style == "html" else f"## {safe}" if style == "markdown" else safe


def safe_text(text: str, style: str, *, is_whole: bool = False) -> str:
    """A text on one line, without control characters and, for Markdown, with escaped signs. tabulate escapes HTML itself."""
    if style == "tsv":
        return spreadsheet_cell(text, is_whole=is_whole)
    text = whole_line(text) if is_whole else cell_text(text)
    if style not in MARKDOWN_FORMATS:
        return text
    for sign in "\\`*[|":
        text = text.replace(sign, f"\\{sign}")
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _align(rows: Sequence[Sequence[Cell]]) -> list[str] | None:
    """Columns of numbers are aligned to the right, also with gaps."""
    if not rows:
        return None
    columns = [[row[column] for row in rows if row[column] != ""] for column in range(len(rows[0]))]
    return ["right" if cells and all(isinstance(cell, int | float) for cell in cells) else "left" for cells in columns]
