"""A tournament's site, written from its store."""

from __future__ import annotations

from pathlib import Path

from tiltyard_tournaments.running.schedule import follow
from tiltyard_tournaments.running.site_data import site_data
from tiltyard_tournaments.running.tournament import Tournament
from tiltyard_tournaments.site.publishing import Published, publish
from tiltyard_tournaments.store import Store


def site_folder(tournament: Tournament, output: Path | None = None) -> Path:
    """Where the site goes."""
    return output if output is not None else tournament.folder / tournament.publication.folder


def publish_tournament(tournament: Tournament, output: Path | None = None) -> tuple[Published, int]:
    """Write the site as far as the tournament was played; also how many matches of the current batch are missing.

    Raises:
        UserError: nothing was played yet, or the folder cannot be written.
    """
    with Store(tournament.folder, writable=False) as store:
        progress = follow(tournament, store.outcome)
        return publish(site_data(tournament, progress, store), site_folder(tournament, output)), len(progress.missing)
