"""The project's own publishers, through the same hook as everybody's. What the site needs is imported when it is published."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from tiltyard_engine.formats import NoOptions
from tiltyard_engine.hooks import hookimpl
from tiltyard_engine.publishing import Publisher, TournamentResults
from tiltyard_tournaments.publishers.tables import CsvOptions, FileOptions, write_csv_files, write_one_file

TILTYARD_API = 1


@hookimpl
def publishers() -> Iterator[Publisher]:
    """One for each form."""
    yield Publisher("site", _site, NoOptions, "a folder of pages with standings, ratings and the replay of every game")
    for style, what in (("markdown", "Markdown"), ("html", "one HTML page"), ("json", "one JSON object of all tables")):
        yield Publisher(style, partial(write_one_file, style), FileOptions, f"tables as {what}")
    yield Publisher("csv", write_csv_files, CsvOptions, "tables as CSV, one file per table")


def _site(results: TournamentResults, options: NoOptions) -> Iterable[Path]:
    from tiltyard_tournaments.publishers.site import publish_site

    return publish_site(results)
