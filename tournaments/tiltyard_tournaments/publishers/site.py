"""The site as a publisher: what every publisher gets is enough to make it."""

from __future__ import annotations

from pathlib import Path

from tiltyard_engine.errors import UserError
from tiltyard_engine.publishing import Publication, TournamentResults
from tiltyard_tournaments.played import finished_match
from tiltyard_tournaments.publishers.tables import NOT_ADMITTED
from tiltyard_tournaments.site.data import Hidden, Link, Logo, SiteData, SiteTeam
from tiltyard_tournaments.site.elo_ratings import RATING_TITLE, ratings_and_note
from tiltyard_tournaments.site.publishing import publish


def publish_site(results: TournamentResults) -> list[Path]:
    """Write the site, or bring the one that is there up to date; the page to begin with.

    Raises:
        UserError: the folder cannot be written, or the logo cannot be read.
    """
    published = publish(site_data(results), results.folder / results.publication.folder)
    for problem in published.problems:
        print(f"note: {problem}")
    print(f"{published.written} files written, {published.unchanged} unchanged, {published.removed} removed")
    return [published.index]


def site_data(results: TournamentResults) -> SiteData:
    """What the site is made from.

    Raises:
        UserError: the logo cannot be read.
    """
    publication = results.publication
    matches = [finished_match(match) for match in results.matches]
    ratings, note = ([], "") if "ratings" in publication.hide else ratings_and_note(matches)
    return SiteData(
        publication.title or results.title,
        [SiteTeam(name) for name in results.teams],
        matches,
        results.table("standings"),
        ratings,
        RATING_TITLE,
        note,
        results.replay,
        outputs=results.output,
        theme=results.theme,
        game=results.game,
        description=results.description,
        notes=results.notes,
        planned=len(matches) + results.missing,
        links=[Link(label, address) for label, address in publication.links],
        logo=_logo(publication),
        not_admitted=_not_admitted(results),
        hidden=Hidden("replays" in publication.hide, "faults" in publication.hide, "output" in publication.hide),
    )


def _not_admitted(results: TournamentResults) -> list[tuple[str, str]]:
    if NOT_ADMITTED not in results.tables:
        return []
    return [(str(team), str(reason)) for team, reason in results.table(NOT_ADMITTED).rows]


def _logo(publication: Publication) -> Logo | None:
    if publication.logo is None:
        return None
    try:
        return Logo(publication.logo.name, publication.logo.read_bytes())
    except OSError as error:
        raise UserError(f"{publication.logo}: cannot be read: {error.strerror}") from error
