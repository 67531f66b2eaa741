"""Tables as text, by tabulate; CSV and JSON by the standard library.

Cells and titles may come from other people's code: names of teams and maps, messages of faults. They are escaped in HTML and
Markdown, control characters are replaced, each stands on one line, and in CSV and TSV no text begins like a formula. JSON
alone holds them as they are, by its own escapes.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape
from itertools import chain, islice
from typing import Final, TypeAlias

from tabulate import multiline_formats, tabulate, tabulate_formats

from tiltyard_engine.data_classes import dataclass, field
from tiltyard_engine.errors import NotFoundError
from tiltyard_engine.lifecycle import Cell, Table
from tiltyard_engine.texts.sanitize import cell_text, json_escaped, spreadsheet_cell, whole_line

__all__ = [
    "FORMATS",
    "MARKDOWN_FORMATS",
    "PROGRAM_FORMATS",
    "Cell",
    "Table",
    "check_format",
    "render",
    "render_all",
    "render_lines",
    "line_as",
]

Rows: TypeAlias = Callable[[], Iterable[Sequence[Cell]]]
"""Gives the rows, each time from the start."""

FORMATS: Final = ("csv", "json", "markdown", *[name for name in tabulate_formats if name != "unsafehtml"])
"""Names of table formats."""

WIDTH: Final = 60
"""Characters of a line of the last column, where it has several."""
AT_ONCE: Final = 10_000
"""Rows that are looked at together, which is quicker."""
MARK: Final = 0x2801
"""The first of the signs that stand for a column's cells: none of them is ASCII, and all can be printed."""
_OTHERWISE: Final = ("asciidoc", "colon_grid", "html", "latex", "latex_booktabs", "latex_longtable", "latex_raw", "rst", "tsv")
"""Formats that change a cell's text, or put it into the middle."""
MARKDOWN_FORMATS: Final = ("markdown", "github", "pipe")

PROGRAM_FORMATS: Final = ("csv", "json", "tsv")
"""Formats for programs. Nothing else may be printed beside them."""


def render_all(tables: Sequence[Table], style: str = "simple") -> str:
    """Tables with their titles, one below the other. ``json`` gives an object, with the rows under each title and ``notes``.

    Raises:
        NotFoundError: there is no such format.
    """
    if style == "json":
        notes = [table.note for table in tables if table.note]
        return as_json({table.title: _objects(table.headers, table.rows) for table in tables} | ({"notes": notes} if notes else {}))
    texts = [(line_as(each.title, style, "h2", "## "), render(each.headers, each.rows, style)) for each in tables]
    return "\n\n".join(line for each, two in zip(tables, texts) for line in (*two, *filter(None, [line_as(each.note, style, "p")])))


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
        return "".join(_csv_lines([headers, *rows], is_last_whole=is_last_whole)).rstrip("\n")
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


def render_lines(headers: Sequence[str], rows: Rows, style: str = "simple") -> Iterator[str]:
    """The text of ``render`` line by line, each with its newline; in most formats without having all of it in memory.

    Raises:
        NotFoundError: there is no such format.
    """
    if style == "csv":
        yield from _csv_lines(chain([headers], rows()))
    elif style == "json":
        before = "["
        for row in rows():
            yield before + as_json(_objects(headers, [row]))[1:-2]
            before = ","
        yield "[]\n" if before == "[" else "\n]\n"
    else:
        check_format(style)
        yield from _text_lines(headers, rows, style)


@dataclass(slots=True)
class _Column:
    """What is known of a column's cells after all of them were seen."""

    width: int = 1
    has_numbers: bool = False
    texts: dict[Cell, Cell] = field(default_factory=dict)
    """Each text as it is shown."""

    def see(self, cells: Iterable[Cell], style: str) -> None:
        """Take some of the column's cells into account."""
        for cell in set(cells) - self.texts.keys():
            if isinstance(cell, str):
                self.texts[cell] = safe_text(cell, style).strip()
            else:
                self.has_numbers = True
            self.width = max(self.width, len(str(self.texts.get(cell, cell))))

    @property
    def align(self) -> str:
        return "right" if self.has_numbers and not any(self.texts) else "left"


def _text_lines(headers: Sequence[str], rows: Rows, style: str) -> Iterator[str]:
    columns = [_Column() for _ in headers]
    is_empty = True
    source = iter(rows())
    while some := list(islice(source, AT_ONCE)):
        is_empty = False
        for column, cells in zip(columns, zip(*some, strict=True), strict=True):
            column.see(cells, style)
    parts = None if is_empty or style in _OTHERWISE else _parts(headers, columns, style)
    if parts is None:
        yield f"{render(headers, list(rows()), style)}\n"
        return
    before, line, between, after = parts
    yield from before
    gap = ""
    all_texts = [column.texts for column in columns]
    for row in rows():
        yield f"{gap}{line.format(*[texts.get(cell, cell) for texts, cell in zip(all_texts, row, strict=True)]).rstrip()}\n"
        gap = between
    yield from after


def _parts(headers: Sequence[str], columns: Sequence[_Column], style: str) -> tuple[list[str], str, str, list[str]] | None:
    """The lines above the rows, a row to fill in, what is between two rows, and the lines below; None: it isn't so simple."""
    if not all(str(text).isascii() for text in chain(headers, *(column.texts.values() for column in columns))):
        # Only the renderer knows how wide other signs are.
        return None
    row = [chr(MARK + number) * column.width for number, column in enumerate(columns)]
    lines = f"{render(headers, [row, row], style, [column.align for column in columns])}\n".splitlines(keepends=True)
    numbers = [number for number, line in enumerate(lines) if row[0] in line]
    if len(numbers) != 2 or any(lines[numbers[0]].count(cell) != 1 for cell in row):
        return None
    first, second = numbers
    line = lines[first].replace("{", "{{").replace("}", "}}")
    for cell, column in zip(row, columns, strict=True):
        line = line.replace(cell, f"{{:{'>' if column.align == 'right' else '<'}{column.width}}}")
    return lines[:first], line, "".join(lines[first + 1 : second]), lines[second + 1 :]


def as_json(value: object) -> str:
    """Values as JSON that people can read, and that does nothing to a terminal."""
    return json_escaped(json.dumps(value, indent=2, ensure_ascii=False))


def check_format(style: str) -> None:
    """Raise NotFoundError if the format does not exist."""
    if style not in FORMATS:
        raise NotFoundError("table format", style, FORMATS)


class _Echo:
    """A file that gives back what is written, which a csv.writer passes on."""

    def write(self, text: str) -> str:
        return text


def _csv_lines(rows: Iterable[Sequence[Cell]], *, is_last_whole: bool = False) -> Iterator[str]:
    writer = csv.writer(_Echo(), lineterminator="\n")
    for row in rows:
        last = len(row) - 1 if is_last_whole else -1
        cells = (spreadsheet_cell(cell, is_whole=at == last) if isinstance(cell, str) else cell for at, cell in enumerate(row))
        yield str(writer.writerow(cells))


def _objects(headers: Sequence[str], rows: Sequence[Sequence[Cell]]) -> list[dict[str, Cell]]:
    return [dict(zip(headers, row)) for row in rows]


def line_as(text: str, style: str, tag: str, mark: str = "") -> str:
    """A line beside tables: in HTML between a tag, in Markdown behind a mark."""
    if style == "csv" or not text:
        return spreadsheet_cell(text)
    safe = safe_text(text, style)
    return f"<{tag}>{escape(safe)}</{tag}>" if style == "html" else f"{mark}{safe}" if style == "markdown" else safe


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
