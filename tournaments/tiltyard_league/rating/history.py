"""Ratings over time: what the standing was at the end of each hour of the last days and of each day before, as all games see it.

It is worked out by the service from the games, a point now and then, and kept in a file that can be removed at any time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import msgspec

from tiltyard_league.rating.standing import LeagueStanding
from tiltyard_simulator.output.result_files import write_over

HISTORY: Final = "history.json"
HOURLY: Final = timedelta(hours=48)
"""So long ago each hour has a point; before that each day has one."""
_HOUR, _DAY = timedelta(hours=1), timedelta(days=1)


class Point(msgspec.Struct, frozen=True):
    """The standing of a moment."""

    at: str
    games: int
    ratings: dict[str, tuple[float, float]]
    """Rating and error of each team, by its number."""


class History(msgspec.Struct, frozen=True):
    """All points, earlier ones first."""

    points: list[Point] = []

    def of_team(self, team: int, until: str = "") -> list[tuple[str, float, float]]:
        """When, rating and error; up to a time, or all."""
        ratings = ((point.at, point.ratings.get(str(team))) for point in self.points if not until or point.at <= until)
        return [(at, *rating) for at, rating in ratings if rating is not None]


def read_history(folder: Path) -> History:
    """What there is; an empty one if there is none, or if it is damaged."""
    try:
        return msgspec.json.decode((folder / HISTORY).read_bytes(), type=History)
    except (OSError, msgspec.MsgspecError):
        return History()


def point_times(first: datetime, here: datetime) -> Iterator[datetime]:
    """When there is to be a point, the newest first: after each full hour, and longer ago at midnight."""
    at = here.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    while at > first:
        if here - at <= HOURLY or at.hour == 0:
            yield at
        at -= _HOUR if here - at <= HOURLY + _DAY else _DAY if at.hour == 0 else timedelta(hours=at.hour)


class HistoryKeeper:
    """Adds points that are missing, one at a time.

    Args:
        folder: of the league.
        standing_at: the standing of a moment, as all games until then see it.
    """

    def __init__(self, folder: Path, standing_at: Callable[[str], LeagueStanding]) -> None:
        self._folder = folder
        self.standing_at = standing_at
        self._points = {point.at: point for point in read_history(folder).points}

    def forget(self) -> None:
        """After staff have voided games, the past was another one."""
        self._points.clear()

    def step(self, first: str, here: datetime) -> bool:
        """Add the newest point that is missing, and drop those that nobody wants any more; whether one was added.

        Args:
            first: when the first game ended; empty: there was none.
            here: the time.
        """
        if not first:
            return False
        times = [at.isoformat(timespec="milliseconds") for at in point_times(datetime.fromisoformat(first), here)]
        missing = next((at for at in times if at not in self._points), None)
        if missing is None:
            return False
        standing = self.standing_at(missing)
        ratings = {str(line.team): (round(line.rating, 1), round(line.error, 1)) for line in standing.lines}
        self._points[missing] = Point(missing, standing.games, ratings)
        points = [self._points[at] for at in reversed(times) if at in self._points]
        self._points = {point.at: point for point in points}
        write_over(self._folder / HISTORY, msgspec.json.encode(History(points)).decode())
        return True
