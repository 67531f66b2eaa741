"""The site as a publisher: what every publisher gets is enough to make it."""

from __future__ import annotations

from pathlib import Path

from tiltyard_engine.lifecycle import TournamentResults
from tiltyard_engine.texts.quantities import counted
from tiltyard_site.pages.site_data import site_data
from tiltyard_site.publication.whole_site import publish


def publish_site(results: TournamentResults) -> list[Path]:
    """Write the site, or bring the one that is there up to date; the page to begin with.

    Raises:
        UserError: the folder cannot be written, or the logo cannot be read.
    """
    published = publish(site_data(results), results.folder / results.publication.folder)
    for problem in published.problems:
        print(f"note: {problem}")
    print(f"{counted(published.written, 'file')} written, {published.unchanged} unchanged, {published.removed} removed")
    return [published.index]
