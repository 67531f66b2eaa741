"""The site as a publisher, through the same hook as everybody's. What it needs is imported when it is published."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from tiltyard_engine.formats import NoOptions
from tiltyard_engine.hooks import hookimpl
from tiltyard_engine.publishing import Publisher, TournamentResults

TILTYARD_API = 1


@hookimpl
def publishers() -> Iterator[Publisher]:
    """Yield the site, the one publisher here."""
    yield Publisher("site", _publish, NoOptions, "a folder of pages with standings, ratings and the replay of every game")


def _publish(results: TournamentResults, options: NoOptions) -> Iterable[Path]:
    from tiltyard_site.publication.publisher import publish_site

    return publish_site(results)
