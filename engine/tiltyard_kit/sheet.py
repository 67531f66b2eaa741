"""What is said about a class, a robot's games or a set of maps: columns that are stated once, and a row for each.

COLUMNS = [Column[Bot]("bot", lambda bot: bot.label), Column[Bot]("won", lambda bot: str(bot.won), is_number=True)]
sheet = Sheet(COLUMNS, bots, left_out=[{"bot": "Eve", "note": "not marked: handed in nothing"}])
print(*sheet.lines(), sep="\n")
path.write_text(sheet.csv())
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from tiltyard_engine.texts.sanitize import spreadsheet_cell

R = TypeVar("R")


@dataclass(frozen=True)  # with slots, Column[Bot](...) raises a TypeError before Python 3.13
class Column(Generic[R]):
    """One column of a sheet: its title, and the text of a row in it."""

    title: str
    text: Callable[[R], str]
    is_number: bool = False
    """Whether it is flush right on a terminal."""
    is_for_files: bool = False
    """Whether only files have it, because the same stands below the table on a terminal."""
    is_whole: bool = False
    """Whether a file has even its longest texts in full."""


@dataclass(frozen=True, slots=True)
class Sheet(Generic[R]):
    """Rows in columns, as lines for a terminal, as a file for spreadsheets, and as values for JSON."""

    columns: Sequence[Column[R]]
    rows: Sequence[R]
    left_out: Sequence[Mapping[str, str]] = ()
    """Who has no row, and why: texts by the titles of columns. Only files list them; on a terminal they stand below the table."""

    @property
    def screen_columns(self) -> list[Column[R]]:
        """The columns on a terminal."""
        return [column for column in self.columns if not column.is_for_files]

    def titles(self) -> list[str]:
        """The titles of the columns on a terminal."""
        return [column.title for column in self.screen_columns]

    def cells(self) -> list[list[str]]:
        """The rows on a terminal."""
        return [[column.text(row) for column in self.screen_columns] for row in self.rows]

    def lines(self, *, is_ruled: bool = True) -> list[str]:
        """The table on a terminal; ``is_ruled``: with a line below the titles."""
        right = [number for number, column in enumerate(self.screen_columns) if column.is_number]
        return table_lines([self.titles(), *self.cells()], right, is_ruled=is_ruled)

    def objects(self) -> list[dict[str, str]]:
        """The rows by the titles of the columns on a terminal, for JSON."""
        return [dict(zip(self.titles(), cells, strict=True)) for cells in self.cells()]

    def csv(self) -> str:
        """All columns and all that is left out. No text begins like a spreadsheet's formula."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([column.title for column in self.columns])
        rows = [[column.text(row) for column in self.columns] for row in self.rows]
        rows += [[texts.get(column.title, "") for column in self.columns] for texts in self.left_out]
        for row in rows:
            cells = zip(self.columns, row, strict=True)
            writer.writerow([spreadsheet_cell(cell, is_whole=column.is_whole) for column, cell in cells])
        return text.getvalue()


def table_lines(rows: Sequence[Sequence[str]], right: Iterable[int] = (), *, is_ruled: bool = False) -> list[str]:
    """Rows with columns below each other; those in ``right`` are flush right, and the last one has any width.

    With ``is_ruled`` the first row has a line below it.
    """
    alignments = [">" if column in set(right) else "<" for column in range(len(rows[0]))]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    body = [rows[0], ["-" * width for width in widths], *rows[1:]] if is_ruled else rows
    return [
        "  ".join(f"{text:{alignment}{width}}" for text, alignment, width in zip(row, alignments, widths)).rstrip() for row in body
    ]
