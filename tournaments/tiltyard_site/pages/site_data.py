"""What the site is made from, out of what every publisher gets."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Final

from tiltyard_engine.errors import file_errors
from tiltyard_engine.lifecycle import Publication, Table, TournamentResults
from tiltyard_engine.match_record import Outcome
from tiltyard_engine.texts.quantities import counted
from tiltyard_site.explained.explained import Explained, read_explained, replay_path, shows
from tiltyard_site.pages.data import Logo, RatedTeams, Rating, SiteData
from tiltyard_tournaments.publishers.tables import DISQUALIFIED, NOT_ADMITTED
from tiltyard_tournaments.ratings import beyond_ratings
from tiltyard_tournaments.ratings.counts import rated
from tiltyard_tournaments.ratings.rate import rate, surety
from tiltyard_tournaments.standings.scoring import without_tie_breaks

RATING_NOTE: Final = (
    "Elo points above the average of all teams. The bars are 95 % intervals. If two bars overlap widely, the order may be luck."
    " The last column shows how likely each team is better than the next."
)


def site_data(results: TournamentResults) -> SiteData:
    """What the site is made from.

    Raises:
        UserError: the logo cannot be read.
    """
    publication = results.publication
    matches = list(results.matches)
    return SiteData(
        title=publication.title or results.title,
        teams=results.teams,
        matches=matches,
        standings=results.table("standings"),
        rated=RatedTeams if "ratings" in publication.hide else cache(lambda: rated_teams(without_tie_breaks(matches))),
        fair_maps=cache(lambda: fair_maps(matches)),
        replay=results.replay,
        replay_bytes=results.replay_bytes,
        outputs=results.output,
        theme=results.theme,
        game=results.game,
        description=results.description,
        notes=[note for note in results.notes if note not in results.findings],
        planned=len(matches) + results.missing,
        links=publication.links,
        address=publication.address,
        logo=_logo(publication),
        not_admitted=() if NOT_ADMITTED in publication.hide else _rows(results, NOT_ADMITTED),
        disqualified=_rows(results, DISQUALIFIED),
        hide=publication.hide,
        format=results.format,
        challengers=results.challengers,
        findings=results.findings,
        pairings=results.pairings,
        is_scored=results.is_scored,
        explained=cache(lambda: [each for each in read_explained(results.store) if shows(each, publication.hide)]),
        explained_replay=lambda explained, moment: _replay_of(results.store, explained, moment),
        period=results.period,
        decisions=results.decisions,
        brackets=results.brackets,
        stages=publication.stages,
    )


def _replay_of(store: Path | None, explained: Explained, moment: int) -> bytes:
    if store is None:
        return b""
    try:
        return replay_path(store, explained.key, explained.seat, moment).read_bytes()
    except OSError:
        return b""


def rated_teams(matches: Sequence[Outcome]) -> RatedTeams:
    """The ratings, best first, and a few sentences on what the numbers are; none where no match says anything about strength."""
    if not rated(matches):
        return RatedTeams()
    ratings = rate(matches)
    if ratings.problem:
        return RatedTeams((), f"{ratings.problem[0].upper()}{ratings.problem[1:]}.")
    rows: list[Rating] = []
    for team, following in zip_longest(ratings.teams, ratings.teams[1:]):
        estimate = ratings.rating(team)
        rows.append(Rating(team, estimate.value, estimate.low, estimate.high, surety(ratings, team, following)))
    note = RATING_NOTE
    if not ratings.connected:
        note += " Some teams have not met, not even through others, so their ratings can't be compared."
    if ratings.repeats:
        note += f" {counted(ratings.repeats, 'game that only repeats others is', 'games that only repeat others are')} left out."
    if (more := beyond_ratings()) is None:
        return RatedTeams(rows, note)
    hardest = {team: (opponent.name, opponent.words) for team, opponent in more.hardest_opponents(matches).items()}
    return RatedTeams(rows, note, more.fit_note(matches), hardest)


def fair_maps(matches: Sequence[Outcome]) -> Table | None:
    """What the matches say of their maps; None: too little, or nobody here can tell."""
    more = beyond_ratings()
    table: Table | None = None if more is None else more.fair_maps(without_tie_breaks(matches), only_if_conclusive=True)
    return table if table is not None and table.rows else None


def _rows(results: TournamentResults, table: str) -> list[tuple[str, ...]]:
    return [tuple(map(str, row)) for row in results.table(table).rows] if table in results.tables else []


def _logo(publication: Publication) -> Logo | None:
    if publication.logo is None:
        return None
    with file_errors(publication.logo, "read"):
        return Logo(publication.logo.name, publication.logo.read_bytes())
