"""The ratings of a tournament, and their table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest

import numpy as np

from tiltyard_engine.errors import describe
from tiltyard_engine.match_record import Outcome
from tiltyard_engine.texts.quantities import counted
from tiltyard_simulator.output.tables import Cell, Table
from tiltyard_tournaments.ratings.counts import rated
from tiltyard_tournaments.ratings.davidson import fit_davidson
from tiltyard_tournaments.ratings.model import PRIOR, Ratings
from tiltyard_tournaments.ratings.plackett_luce import fit_plackett_luce
from tiltyard_tournaments.ratings.posterior import Posterior

MOST_SURE = 99.9
"""Percent; nothing is called surer than that: no tournament is quite what the model says."""


def rate(matches: Iterable[Outcome], prior: float = PRIOR) -> Ratings:
    """Davidson's model where all matches are of two, Plackett-Luce otherwise.

    Where the fit fails, nobody is rated, and ``problem`` of the ratings says why: standings don't depend on it.
    """
    all_matches = list(matches)
    try:
        if all(len(match.teams) == 2 for match in rated(all_matches)):
            return fit_davidson(all_matches, prior=prior)
        return fit_plackett_luce(all_matches, prior)
    except (ArithmeticError, np.linalg.LinAlgError, MemoryError) as error:
        nothing = Posterior(np.zeros(0), np.zeros((0, 0)), lambda _, steps: np.zeros(len(steps)))
        return Ratings("none", (), nothing, {}, problem=f"the ratings can't be computed: {describe(error)}")


def surety(ratings: Ratings, team: str, following: str | None) -> float | None:
    """Percent: how likely it is that a team is better than the next one, if there is one; never quite 100."""
    return None if following is None else min(MOST_SURE, round(100 * ratings.superiority(team, following), 1))


def ratings_table(ratings: Ratings, teams: Sequence[str] = ()) -> Table:
    """Rating, its 95 % interval, and how likely each is better than the next; unrated ``teams`` stand last."""
    rows: list[tuple[Cell, ...]] = []
    for team, following in zip_longest(ratings.teams, ratings.teams[1:]):
        rating = ratings.rating(team)
        sure = surety(ratings, team, following)
        numbers = (round(rating.value), round(rating.low), round(rating.high), ratings.games(team))
        rows.append((team, *numbers, "" if sure is None else sure))
    rows += [(team, "", "", "", 0, "") for team in sorted(teams) if team not in ratings]
    title = "Ratings: Elo points above the average, and the ends of the 95 % interval"
    if ratings.problem:
        title += f"; {ratings.problem}"
    if not ratings.connected:
        title += "; some teams have not met, not even through others, so their ratings can't be compared"
    if ratings.repeats:
        title += f"; {counted(ratings.repeats, 'game that only repeats others is', 'games that only repeat others are')} left out"
    return Table(title, ("algorithm", "rating", "from", "to", "games", "better than next, %"), tuple(rows))
