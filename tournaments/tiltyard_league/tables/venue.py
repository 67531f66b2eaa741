"""Who can be played against by hand: the versions that everybody sees play, under the names that everybody sees."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from tiltyard_engine.errors import UserError
from tiltyard_engine.records import Game
from tiltyard_league.database.database import Database
from tiltyard_league.database.teams import public_label
from tiltyard_league.database.versions import FROZEN_VERSIONS, active_versions
from tiltyard_league.league_file.loading import League
from tiltyard_league.service.active_versions import ActiveVersions
from tiltyard_web_play.venue import PERSON, MatchPlayer, Venue, check_game, player_of


class LeagueVenue(Venue):
    """A league's teams on its maps, held and limited as in its own games.

    What plays changes all day, and each answer is of its moment.

    Args:
        league: the league.

    Raises:
        UserError: nobody can play this game by hand.
    """

    home = "../"

    def __init__(self, league: League) -> None:
        tournament = league.tournament
        self.title, self.game = league.settings.title, tournament.game.load_as(Game)
        check_game(self.game)
        self._league, self._maps = league, {each.name: each for each in tournament.maps}
        self.maps = tuple(self._maps)

    @property
    def opponents(self) -> tuple[str, ...]:
        with Database(self._league.settings.folder) as database:
            return tuple(sorted(self._versions(database)))

    def player(self, names: Sequence[str], seat: int, map_name: str, seed: int) -> MatchPlayer:
        """A match in an arena of its own."""
        with Database(self._league.settings.folder) as database:
            versions, active = self._versions(database), ActiveVersions(self._league, database)
            try:
                teams = [None if name == PERSON else active.reference(versions[name]) for name in names]
            except (KeyError, UserError):
                # Why is nothing for another team.
                raise UserError("one of these can't play now; load the page again") from None
        return player_of(self._league.tournament, teams, self._maps[map_name], seed)

    def _versions(self, database: Database) -> Mapping[str, int]:
        """The version of each team that plays, by its name; while the league is frozen, that which played then."""
        rows = active_versions(database)
        if database.fact("frozen_at"):
            then = set(json.loads(database.fact(FROZEN_VERSIONS) or "{}").values())
            rows = [row for row in database.rows(_OF_TEAMS) if row["id"] in then]
        has_pseudonyms = self._league.settings.keys.pseudonyms
        return {
            public_label(row["kind"], row["team_name"], row["pseudonym"], row["number"], has_pseudonyms): int(row["id"])
            for row in rows
        }


_OF_TEAMS = (
    "SELECT versions.*, teams.pseudonym, teams.kind, teams.name AS team_name FROM versions JOIN teams ON teams.id = versions.team"
    " WHERE teams.state = 'active' AND versions.entry IS NOT NULL"
)
