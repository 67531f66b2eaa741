"""The ratings of a tournament in the form that the site draws."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Final

from tiltyard_tournaments.played import PlayedMatch
from tiltyard_tournaments.ratings.counting import rated
from tiltyard_tournaments.ratings.rate import rate, surety
from tiltyard_tournaments.site.data import Rating

RATING_TITLE: Final = "Rating"
RATING_NOTE: Final = (
    "Elo points above the average of the field; the bars are 95 % intervals. Where two overlap widely, the order may be luck:"
    " the last column says how likely each team is better than the next."
)


def elo_ratings(matches: Sequence[PlayedMatch]) -> list[Rating]:
    """Best first; none where no match says anything about its teams' play."""
    return ratings_and_note(matches)[0]


def ratings_and_note(matches: Sequence[PlayedMatch]) -> tuple[list[Rating], str]:
    """The same, and a few sentences on what the numbers are."""
    if not list(rated(matches)):
        return [], RATING_NOTE
    ratings = rate(matches)
    found: list[Rating] = []
    for team, following in zip_longest(ratings.teams, ratings.teams[1:]):
        estimate = ratings.rating(team)
        found.append(Rating(team, estimate.value, estimate.low, estimate.high, surety(ratings, team, following)))
    note = RATING_NOTE
    if not ratings.connected:
        note += " Not everybody met, so groups cannot be compared."
    if ratings.repeats:
        note += f" {ratings.repeats} games that only repeat others are left out."
    return found, note
