"""Tables as files, in the forms that ``tiltyard standings`` prints."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Final

from tiltyard_engine.errors import NotFoundError, UserError
from tiltyard_engine.publishing import Table, TournamentResults
from tiltyard_engine.wording import printable
from tiltyard_simulator.tables import render, render_all
from tiltyard_tournaments.publishers.options import CsvOptions, FileOptions

ENDINGS: Final = {"markdown": ".md", "html": ".html", "json": ".json"}
NOT_ADMITTED: Final = "not-admitted"
"""Of the results' tables only where there is somebody in it."""
PAGE: Final = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>body {{ font-family: sans-serif; margin: 2em }} td, th {{ padding: 0.2em 0.6em }}</style>
<h1>{title}</h1>
{body}
</html>
"""


def write_one_file(results: TournamentResults, style: str, options: FileOptions) -> list[Path]:
    """All wanted tables one below the other; for JSON an object with the rows of each under its title.

    Raises:
        NotFoundError: there is no such table.
        UserError: the file cannot be written.
    """
    path = results.folder / (options.file or f"standings{ENDINGS[style]}")
    text = render_all(list(_tables(results, options.tables).values()), style)
    title = results.publication.title or results.title
    if style == "html":
        text = PAGE.format(title=escape(printable(title)), body=text)
    _write(path, f"{text.rstrip()}\n")
    return [path]


def write_csv_files(results: TournamentResults, options: CsvOptions) -> list[Path]:
    """A file a table; errors as ``write_one_file``."""
    written: list[Path] = []
    for name, table in _tables(results, options.tables).items():
        path = results.folder / options.folder / f"{name}.csv"
        _write(path, render(table.headers, table.rows, "csv") + "\n")
        written.append(path)
    return written


def _tables(results: TournamentResults, names: Sequence[str]) -> dict[str, Table]:
    """By name; those whose contents are hidden from readers are left out. Who was not admitted stands below the standings."""
    if "standings" in names and NOT_ADMITTED in results.tables and NOT_ADMITTED not in names:
        after = list(names).index("standings") + 1
        names = (*names[:after], NOT_ADMITTED, *names[after:])
    for name in names:
        if name not in (*results.tables, NOT_ADMITTED):
            raise NotFoundError("table", name, results.tables)
    there = [name for name in names if name in results.tables]
    return {name: results.table(name) for name in there if name not in results.publication.hide}


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror}") from error
