"""A long table as text, line by line: the same text as ``tables.render`` gives, without having all of it in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, TypeAlias

from tiltyard_simulator.output.tables import Cell, as_json, check_format, render, safe_text

Rows: TypeAlias = Callable[[], Iterable[Sequence[Cell]]]
"""Gives the rows, each time from the start."""

_MARK: Final = 0x2801
"""The first of the signs that stand for a column's cells: none of them is ASCII, and all can be printed."""
_OTHERWISE: Final = ("asciidoc", "colon_grid", "html", "latex", "latex_booktabs", "latex_longtable", "latex_raw", "tsv")
"""Formats that change a cell's text, or put it into the middle."""
_AT_ONCE: Final = 10_000
"""Rows that are looked at together, which is quicker."""


def table_lines(headers: Sequence[str], rows: Rows, style: str = "simple") -> Iterator[str]:
    """The lines of a table, each with its newline; ``style`` is one of FORMATS.

    Raises:
        NotFoundError: there is no such format.
    """
    if style == "csv":
        yield f"{render(headers, [], style)}\n"
        for row in rows():
            yield f"{render(row_as_headers(row), [], style)}\n"
    elif style == "json":
        yield from _json_lines(headers, rows())
    else:
        check_format(style)
        yield from _text_lines(headers, rows, style)


def row_as_headers(row: Sequence[Cell]) -> list[str]:
    """A row as what ``render`` takes for headers."""
    return [str(cell) for cell in row]


def _json_lines(headers: Sequence[str], rows: Iterable[Sequence[Cell]]) -> Iterator[str]:
    before = "["
    for row in rows:
        text = as_json([dict(zip(headers, row))])
        yield before + text[1:-2]
        before = ","
    yield "[]\n" if before == "[" else "\n]\n"


@dataclass(slots=True)
class _Column:
    """What is known of a column's cells after all of them were seen."""

    width: int = 1
    numbers: int = 0
    texts: dict[str, str] = field(default_factory=dict)
    """Each text as it is shown."""

    def see(self, cells: Iterable[Cell], style: str) -> None:
        """Take some of the column's cells into account."""
        for cell in set(cells):
            if isinstance(cell, str):
                if cell not in self.texts:
                    self.texts[cell] = safe_text(cell, style)
                    self.width = max(self.width, len(self.texts[cell]))
            else:
                self.numbers += 1
                self.width = max(self.width, len(str(cell)))

    @property
    def is_number(self) -> bool:
        return self.numbers > 0 and not any(self.texts)


def _text_lines(headers: Sequence[str], rows: Rows, style: str) -> Iterator[str]:
    columns = [_Column() for _ in headers]
    empty = True
    source = iter(rows())
    while some := list(islice(source, _AT_ONCE)):
        empty = False
        for column, cells in zip(columns, zip(*some, strict=True), strict=True):
            column.see(cells, style)
    parts = None if empty or style in _OTHERWISE else _parts(headers, columns, style)
    if parts is None:
        yield f"{render(headers, list(rows()), style)}\n"
        return
    before, line, between, after = parts
    yield from before
    gap = ""
    all_texts: list[dict[Cell, Cell]] = [dict(column.texts.items()) for column in columns]
    for row in rows():
        texts_of_row = [texts.get(cell, cell) for texts, cell in zip(all_texts, row, strict=True)]
        yield f"{gap}{line.format(*texts_of_row).rstrip()}\n"
        gap = between
    yield from after


def _parts(headers: Sequence[str], columns: Sequence[_Column], style: str) -> tuple[list[str], str, str, list[str]] | None:
    """The lines above the rows, a row to fill in, what is between two rows, and the lines below; None: it isn't so simple."""
    if not all(text.isascii() for text in (*headers, *(text for column in columns for text in column.texts.values()))):
        # Only the renderer knows how wide other signs are.
        return None
    marks = [chr(_MARK + number) for number in range(len(columns))]
    row = [mark * column.width for mark, column in zip(marks, columns, strict=True)]
    align = ["right" if column.is_number else "left" for column in columns]
    lines = render(headers, [row, row], style, align).splitlines()
    numbers = [number for number, line in enumerate(lines) if marks[0] in line]
    if len(numbers) != 2 or any(lines[numbers[0]].count(cell) != 1 for cell in row):
        return None
    first, second = numbers
    line = lines[first].replace("{", "{{").replace("}", "}}")
    for cell, column, side in zip(row, columns, align, strict=True):
        line = line.replace(cell, f"{{:{'>' if side == 'right' else '<'}{column.width}}}")
    between = "".join(f"{text}\n" for text in lines[first + 1 : second])
    return [f"{text}\n" for text in lines[:first]], line, between, [f"{text}\n" for text in lines[second + 1 :]]
