"""The project's own publishers, through the same door as everybody's. What they need is imported when they publish."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from tiltyard_engine.formats import NoOptions
from tiltyard_engine.hooks import hookimpl
from tiltyard_engine.publishing import Publisher, TournamentResults
from tiltyard_tournaments.publishers.options import CsvOptions, FileOptions


@hookimpl
def publishers() -> Iterator[Publisher]:
    """One for each form."""
    yield Publisher("site", _site, NoOptions, "pages with standings, ratings and every game's replay, in a folder")
    for style, what in (("markdown", "Markdown"), ("html", "one HTML page"), ("json", "one JSON object of all tables")):
        yield Publisher(style, _in_one_file(style), FileOptions, f"tables as {what}")
    yield Publisher("csv", _csv, CsvOptions, "tables as CSV, a file each")


def _site(results: TournamentResults, options: NoOptions) -> Iterable[Path]:
    from tiltyard_tournaments.publishers.site import publish_site

    return publish_site(results)


def _in_one_file(style: str) -> Callable[[TournamentResults, FileOptions], Iterable[Path]]:
    def publish(results: TournamentResults, options: FileOptions) -> Iterable[Path]:
        from tiltyard_tournaments.publishers.tables import write_one_file

        return write_one_file(results, style, options)

    return publish


def _csv(results: TournamentResults, options: CsvOptions) -> Iterable[Path]:
    from tiltyard_tournaments.publishers.tables import write_csv_files

    return write_csv_files(results, options)
