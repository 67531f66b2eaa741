"""Tables for people and for pipes, by tabulate; CSV and JSON by the standard library.

What stands in cells and titles may come from strangers: names of teams and maps, messages of faults. It is escaped in HTML and
Markdown, characters that could command a terminal are replaced, and in CSV and TSV nothing begins as a formula does.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from html import escape
from typing import Final

from tabulate import tabulate, tabulate_formats

from tiltyard_engine.errors import NotFoundError
from tiltyard_engine.publishing import Cell, Table
from tiltyard_engine.wording import printable

__all__ = ["FORMATS", "MARKDOWN_FORMATS", "PROGRAM_FORMATS", "Cell", "Table", "check_format", "render", "render_all"]

FORMATS: Final = ("csv", "json", "markdown", *[name for name in tabulate_formats if name != "unsafehtml"])
"""Names of table formats."""

MARKDOWN_FORMATS: Final = ("markdown", "github", "pipe")

FORMULA_SIGNS: Final = ("=", "+", "-", "@", "\t", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""How what a spreadsheet would compute begins, the wide forms of these signs included."""

PROGRAM_FORMATS: Final = ("csv", "json", "tsv")
"""Those that programs read: nothing else may stand beside them."""


def render_all(tables: Sequence[Table], style: str = "simple") -> str:
    """Tables with their titles, one below the other; for ``json`` one object that has each table's rows under its title.

    Raises:
        NotFoundError: there is no such format.
    """
    if style == "json":
        return json.dumps({table.title: _objects(table.headers, table.rows) for table in tables}, indent=2, ensure_ascii=False)
    return "\n\n".join(f"{_title(table.title, style)}\n\n{render(table.headers, table.rows, style)}" for table in tables)


def render(headers: Sequence[str], rows: Sequence[Sequence[Cell]], style: str = "simple") -> str:
    """A table as text; ``style`` is one of FORMATS.

    Raises:
        NotFoundError: there is no such format.
    """
    if style == "csv":
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerows([_no_formula(cell) if isinstance(cell, str) else cell for cell in row] for row in (headers, *rows))
        return text.getvalue().rstrip("\n")
    if style == "json":
        return json.dumps(_objects(headers, rows), indent=2, ensure_ascii=False)
    check_format(style)
    cells = [[_safe(cell, style) if isinstance(cell, str) else cell for cell in row] for row in rows]
    form = "github" if style == "markdown" else style
    # Names such as "1e5" are names: numbers are only what is a number already.
    safe_headers = [_safe(header, style) for header in headers]
    return tabulate(cells, safe_headers, tablefmt=form, disable_numparse=True, colalign=_align(rows))


def check_format(style: str) -> None:
    """Raise NotFoundError for a format that does not exist, before anything is played."""
    if style not in FORMATS:
        raise NotFoundError("table format", style, FORMATS)


def _objects(headers: Sequence[str], rows: Sequence[Sequence[Cell]]) -> list[dict[str, Cell]]:
    return [dict(zip(headers, row)) for row in rows]


def _title(title: str, style: str) -> str:
    if style == "csv":
        return _no_formula(title)
    safe = _safe(title, style)
    return f"<h2>{escape(safe)}</h2>" if style == "html" else f"## {safe}" if style == "markdown" else safe


def _safe(text: str, style: str) -> str:
    """A text without characters that command a terminal or, in Markdown, mean something; tabulate escapes HTML itself."""
    text = "\n".join(printable(line) for line in text.split("\n"))
    if style == "tsv":
        return _no_formula(" ".join(text.splitlines()).strip())
    if style not in MARKDOWN_FORMATS:
        return text
    text = " ".join(text.splitlines())
    for sign in "\\`*[|":
        text = text.replace(sign, f"\\{sign}")
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _no_formula(text: str) -> str:
    """A text that a spreadsheet does not take for a formula: what begins like one gets an apostrophe. Numbers are no texts.

    Source: OWASP, CSV injection.
    """
    # The csv module does not quote a lone carriage return, at which some readers begin a new row.
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return f"'{text}" if text.startswith(FORMULA_SIGNS) else text


def _align(rows: Sequence[Sequence[Cell]]) -> list[str] | None:
    """Columns of numbers, gaps allowed, stand right."""
    if not rows:
        return None
    columns = [[row[column] for row in rows if row[column] != ""] for column in range(len(rows[0]))]
    return ["right" if cells and all(isinstance(cell, int | float) for cell in cells) else "left" for cells in columns]
