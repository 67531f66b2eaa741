"""The ratings of a tournament in the form that the site draws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tiltyard_tournaments.played import PlayedMatch
from tiltyard_tournaments.ratings.counting import rated
from tiltyard_tournaments.ratings.rate import rate
from tiltyard_tournaments.site.data import Rating

RATING_TITLE: Final = "Rating"
RATING_NOTE: Final = (
    "Elo points above the average of the field; the bars are 95 % intervals. Where two overlap widely, the order may be luck."
)


def elo_ratings(matches: Sequence[PlayedMatch]) -> list[Rating]:
    """Best first; none where no match says anything about its teams' play."""
    if not list(rated(matches)):
        return []
    ratings = rate(matches)
    estimates = {team: ratings.rating(team) for team in ratings.teams}
    return [Rating(team, estimate.value, estimate.low, estimate.high) for team, estimate in estimates.items()]
