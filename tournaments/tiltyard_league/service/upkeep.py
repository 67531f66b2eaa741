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
        """Remove replays of games that are among the last of no version in its seat, and in which nobody failed; how many.

        The last game in which each version that plays came before each other one stays: the end of the season is told with these.
        """
        replays = self._league.settings.keys.replays_kept
        active = [row["id"] for row in active_versions(self._database)]
        marks = ", ".join("?" * len(active))
        rows = self._games.rows(
            "WITH last_wins AS (SELECT max(ahead.game) FROM league_seats AS ahead JOIN league_seats AS behind"  # noqa: S608 -- question marks
            " ON behind.game = ahead.game AND behind.rank > ahead.rank JOIN league_games ON place = ahead.game WHERE NOT voided"
            f" AND ahead.version IN ({marks}) AND behind.version IN ({marks}) GROUP BY ahead.version, behind.version),"
            " numbered AS (SELECT game, row_number() OVER (PARTITION BY version, seat ORDER BY game DESC) AS number"
            " FROM league_seats)"
            " SELECT league_games.key FROM league_games JOIN matches ON matches.key = league_games.key"
            " WHERE league_games.place NOT IN (SELECT game FROM numbered WHERE number <= ?) AND fault = 0 AND NOT voided"
            " AND replay IS NOT NULL"
            " AND league_games.place NOT IN last_wins ORDER BY league_games.place LIMIT ?",
            *(*active, *active, replays, MOST_AT_ONCE),
        )
        for (key,) in rows:
            self._store.remove_replay(key)
        # It is shown beside its replay alone.
        forget_explained(self._league.tournament.folder, {str(key) for (key,) in rows})
        return len(rows)
