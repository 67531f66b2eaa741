"""The tables as publishers, through the same hook as everybody's."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from tiltyard_engine.hooks import hookimpl
from tiltyard_engine.lifecycle import Publisher
from tiltyard_tournaments.publishers.tables import CsvOptions, FileOptions, write_csv_files, write_one_file

TILTYARD_API = 1


@hookimpl
def publishers() -> Iterator[Publisher]:
    """Yield one for each form of a table."""
    for style, what in (("markdown", "Markdown"), ("html", "one HTML page"), ("json", "one JSON object of all tables")):
        yield Publisher(style, partial(write_one_file, style), FileOptions, f"tables as {what}")
    yield Publisher("csv", write_csv_files, CsvOptions, "tables as CSV, one file per table")
