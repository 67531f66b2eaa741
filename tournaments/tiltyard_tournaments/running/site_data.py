"""What a tournament's site is made from: its file, its store, and the tables that everybody else sees too."""

from __future__ import annotations

from collections.abc import Callable

from tiltyard_engine.errors import UserError
from tiltyard_engine.records import Game
from tiltyard_simulator.loading import load
from tiltyard_simulator.reports import isolation_line, quarantine_line
from tiltyard_tournaments.running.reporting import standings
from tiltyard_tournaments.running.schedule import Progress
from tiltyard_tournaments.running.tournament import Publication, Tournament
from tiltyard_tournaments.site.data import Hidden, Link, Logo, SiteData, SiteTeam
from tiltyard_tournaments.site.elo_ratings import RATING_NOTE, RATING_TITLE, elo_ratings
from tiltyard_tournaments.standings import standings_table
from tiltyard_tournaments.store import Store


def site_data(tournament: Tournament, progress: Progress, store: Store) -> SiteData:
    """The site's data as far as the tournament was played; replays and outputs are read from the store when they are wanted.

    Raises:
        UserError: the logo cannot be read.
    """
    schedule = progress.schedule
    publication = tournament.publication
    matches = schedule.matches()
    lines = standings(tournament, schedule)
    left = len(progress.missing)
    return SiteData(
        publication.title or tournament.title,
        [SiteTeam(line.team) for line in lines],
        matches,
        standings_table(lines, tournament.rules),
        [] if "ratings" in publication.hide else elo_ratings(matches),
        RATING_TITLE,
        RATING_NOTE,
        store.replay,
        outputs=_outputs(store),
        theme=load(tournament.game, Game).theme,
        game=tournament.game.name,
        description=tournament.description,
        notes=_notes(tournament, progress),
        planned=len(matches) + left,
        links=[Link(label, address) for label, address in publication.links],
        logo=_logo(publication),
        hidden=Hidden("replays" in publication.hide, "faults" in publication.hide, "output" in publication.hide),
    )


def _notes(tournament: Tournament, progress: Progress) -> list[str]:
    schedule = progress.schedule
    games = [(planned.spec, outcome) for planned, outcome in zip(schedule.planned, schedule.outcomes)]
    notes = [*tournament.format.notes(schedule.results), quarantine_line(games), isolation_line(games)]
    return [note for note in notes if note]


def _outputs(store: Store) -> Callable[[str], tuple[str, ...]]:
    def outputs(key: str) -> tuple[str, ...]:
        outcome = store.outcome(key)
        accounts = () if outcome is None else outcome.accounts
        return tuple(account.output.decode("utf-8", "replace") for account in accounts)

    return outputs


def _logo(publication: Publication) -> Logo | None:
    if publication.logo is None:
        return None
    try:
        return Logo(publication.logo.name, publication.logo.read_bytes())
    except OSError as error:
        raise UserError(f"{publication.logo}: cannot be read: {error.strerror}") from error
