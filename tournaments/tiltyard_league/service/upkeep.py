"""What has to be done from time to time: old replays go, and tokens that expired long ago, if the clock can be believed."""

from __future__ import annotations

import time
from typing import Final

from tiltyard_league.database.database import Database
from tiltyard_league.database.games import Games
from tiltyard_league.database.log_lines import Emit
from tiltyard_league.database.tokens import forget_expired
from tiltyard_league.database.versions import active_versions
from tiltyard_league.league_file.loading import League
from tiltyard_league.service.clock_watch import ClockWatch
from tiltyard_league.submissions.environments import remove_unused
from tiltyard_league.submissions.upload import free_bytes
from tiltyard_site.explained.explained import forget_explained
from tiltyard_tournaments.store import Store

EVERY_SECONDS: Final = 60.0
MOST_AT_ONCE: Final = 500
"""So many replays at most are removed at once: games wait meanwhile."""


class Upkeep:
    """Looks around once a minute."""

    def __init__(self, league: League, database: Database, store: Store, games: Games, emit: Emit) -> None:
        self._league = league
        self._database = database
        self._store = store
        self._games = games
        self._emit = emit
        self.clock = ClockWatch(database, emit)
        self._done_at = time.monotonic()
        self._looked_at = 0
        """The newest game of the last look for old replays."""
        self._warned = False

    def step(self) -> None:
        """Do what is due."""
        self.clock.look()
        if time.monotonic() - self._done_at >= EVERY_SECONDS:
            self._done_at = time.monotonic()
            self.look_around()

    def look_around(self) -> None:
        """Do all of it now."""
        self.clock.look()
        if self.clock.is_trusted:
            with self._database.writing():
                forget_expired(self._database)
        removed = self.remove_old_replays()
        if removed:
            self._emit("old replays removed", number=removed)
        if unused := remove_unused(self._league.settings.folder, self._database):
            self._emit("unused packages removed", environments=unused)
        settings = self._league.settings
        free = free_bytes(settings.folder)
        if free < 2 * settings.keys.least_free and not self._warned:
            self._emit("the disk is nearly full", free_bytes=free, least_free=settings.keys.least_free)
        self._warned = free < 2 * settings.keys.least_free

    def remove_old_replays(self) -> int:
        """Remove replays of games that are among the last of neither version, and in which nobody failed; how many.

        The last win of each version that plays against each other one stays: the end of the season is told with these.
        """
        replays = self._league.settings.keys.replays_kept
        active = [row["id"] for row in active_versions(self._database)]
        marks = ", ".join("?" * len(active))
        rows = self._games.rows(
            "WITH last_wins AS (SELECT max(place) FROM league_games WHERE winner != 0 AND NOT voided"  # noqa: S608 -- question marks
            f" AND version_1 IN ({marks}) AND version_2 IN ({marks})"
            # Both together and who won say who lost.
            " GROUP BY version_1 + version_2, CASE winner WHEN 1 THEN version_1 ELSE version_2 END),"
            " numbered AS (SELECT place, key, fault, voided,"
            " row_number() OVER (PARTITION BY version_1 ORDER BY place DESC) AS first,"
            " row_number() OVER (PARTITION BY version_2 ORDER BY place DESC) AS second FROM league_games)"
            " SELECT numbered.key FROM numbered JOIN matches ON matches.key = numbered.key"
            " WHERE first > ? AND second > ? AND fault = 0 AND NOT voided AND replay IS NOT NULL"
            " AND numbered.place NOT IN last_wins LIMIT ?",
            *(*active, *active, replays, replays, MOST_AT_ONCE),
        )
        for (key,) in rows:
            self._store.remove_replay(key)
        # It is shown beside its replay alone.
        forget_explained(self._league.tournament.folder, {str(key) for (key,) in rows})
        return len(rows)
