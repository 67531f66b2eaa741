"""Tables as files, in the forms that ``tiltyard standings`` prints."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Final, Literal, TypeAlias

from tiltyard_engine.data_classes import dataclass, replace
from tiltyard_engine.errors import NotFoundError, UserError
from tiltyard_engine.errors.named_paths import check_output
from tiltyard_engine.formats import option
from tiltyard_engine.lifecycle import Table, TournamentResults
from tiltyard_engine.texts.public_text import public_text
from tiltyard_engine.texts.sanitize import printable

TableName: TypeAlias = Literal[
    "standings", "not-admitted", "disqualified", "ratings", "crosstable", "maps", "seats", "faults", "games"
]
SHOWN: tuple[TableName, ...] = ("standings", "ratings", "crosstable", "maps")
WHICH: Final = "the tables to publish: standings, not-admitted, disqualified, ratings, crosstable, maps, seats, faults, games"
ENDINGS: Final = {"markdown": ".md", "html": ".html", "json": ".json"}
TEXT_ENDINGS: Final = ("", ".txt", ".htm", ".csv")
"""Others that a file of tables may have."""
NOT_ADMITTED: Final = "not-admitted"
DISQUALIFIED: Final = "disqualified"
BELOW_STANDINGS: Final = (NOT_ADMITTED, DISQUALIFIED)
"""Of the results' tables only where there is somebody in them."""


@dataclass(frozen=True, slots=True)
class FileOptions:
    """All tables in one file."""

    file: str = option("", "the file, inside the output folder; default: standings, with the format's extension")
    tables: Sequence[TableName] = option(SHOWN, WHICH)


@dataclass(frozen=True, slots=True)
class CsvOptions:
    """A file for each table, which has its name."""

    folder: str = option("tables", "the folder of the files, inside the output folder")
    tables: Sequence[TableName] = option((*SHOWN, "games"), WHICH)


def write_one_file(style: str, results: TournamentResults, options: FileOptions) -> list[Path]:
    """All wanted tables one below the other; for JSON an object with the rows of each under its title.

    Raises:
        NotFoundError: there is no such table.
        UserError: the file cannot be written.
    """
    from tiltyard_simulator.output.tables import render_all  # tabulate takes a moment: every command lists the publishers

    path = results.folder / (options.file or f"standings{ENDINGS[style]}")
    if path.suffix not in (*ENDINGS.values(), *TEXT_ENDINGS):
        check_output(path, "a file of tables", lambda head: False)
    text = render_all(list(_tables(results, options.tables).values()), style)
    title = results.publication.title or results.title
    write_text(path, f"{(html_page(title, text) if style == 'html' else text).rstrip()}\n")
    return [path]


def html_page(title: str, body: str) -> str:
    """A whole page around tables in HTML."""
    page = files(__package__).joinpath("tables.html").read_text(encoding="utf-8")
    return Template(page).substitute(title=escape(printable(title)), body=body)


def write_csv_files(results: TournamentResults, options: CsvOptions) -> list[Path]:
    """A file a table; errors as ``write_one_file``."""
    from tiltyard_simulator.output.tables import render

    files: list[Path] = []
    for name, table in _tables(results, options.tables).items():
        path = results.folder / options.folder / f"{name}.csv"
        write_text(path, render(table.headers, table.rows, "csv") + "\n")
        files.append(path)
    return files


def _tables(results: TournamentResults, names: Sequence[str]) -> dict[str, Table]:
    """By name; those whose contents are hidden from readers are left out. Who does not play stands below the standings."""
    if "standings" in names:
        after = list(names).index("standings") + 1
        below = [name for name in BELOW_STANDINGS if name in results.tables and name not in names]
        names = (*names[:after], *below, *names[after:])
    for name in names:
        if name not in (*results.tables, *BELOW_STANDINGS):
            raise NotFoundError("table", name, results.tables)
    there = [name for name in names if name in results.tables]
    return {name: _public(results.table(name)) for name in there if name not in results.publication.hide}


def _public(table: Table) -> Table:
    rows = (tuple(public_text(cell) if isinstance(cell, str) else cell for cell in row) for row in table.rows)
    return replace(table, rows=tuple(rows))


def write_text(path: Path, text: str) -> None:
    """Write a file, and its folder where that is missing.

    Raises:
        UserError: it cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror}") from error
