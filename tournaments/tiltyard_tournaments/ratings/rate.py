"""The ratings of a tournament, and their table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest

from tiltyard_simulator.tables import Cell, Table
from tiltyard_tournaments.played import PlayedMatch
from tiltyard_tournaments.ratings.counting import rated
from tiltyard_tournaments.ratings.davidson import fit_davidson
from tiltyard_tournaments.ratings.model import PRIOR, Ratings
from tiltyard_tournaments.ratings.plackett_luce import fit_plackett_luce

MOST_SURE = 99.9
"""Percent; nothing is called surer than that: it rests on an approximation."""


def rate(matches: Iterable[PlayedMatch], prior: float = PRIOR) -> Ratings:
    """Davidson's model where all matches are of two, Plackett-Luce otherwise."""
    given = list(matches)
    if all(len(match.teams) == 2 for match in rated(given)):
        return fit_davidson(given, prior=prior)
    return fit_plackett_luce(given, prior)


def surety(ratings: Ratings, team: str, following: str | None) -> float | None:
    """Percent: how likely it is that a team is better than the next one, if there is one; never quite 100."""
    return None if following is None else min(MOST_SURE, round(100 * ratings.superiority(team, following), 1))


def ratings_table(ratings: Ratings, teams: Sequence[str] = ()) -> Table:
    """Rating, half width of the 95 % interval, and how likely each is better than the next; unrated ``teams`` stand last."""
    rows: list[tuple[Cell, ...]] = []
    for team, following in zip_longest(ratings.teams, ratings.teams[1:]):
        rating = ratings.rating(team)
        sure = surety(ratings, team, following)
        rows.append((team, round(rating.value), round(rating.error), ratings.games(team), "" if sure is None else sure))
    rows += [(team, "", "", 0, "") for team in sorted(teams) if team not in ratings]
    title = "Ratings: Elo points above the average, ± the 95 % interval"
    if not ratings.connected:
        title += "; not everybody met, so groups cannot be compared"
    if ratings.repeats:
        title += f"; {ratings.repeats} games that only repeat others are left out"
    return Table(title, ("algorithm", "rating", "±", "games", "better than next, %"), tuple(rows))
