"""Games of the league as matches: before they are played, and once more as they were played."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace

from tiltyard_engine.errors import UserError
from tiltyard_league.database.games import RATED, REQUESTED, LeagueGame, Seats
from tiltyard_league.service.active_versions import ActiveVersions
from tiltyard_simulator.match.key import KeyMaker
from tiltyard_simulator.match.spec import MatchInput, MatchSpec, Place, Recording
from tiltyard_tournaments.formats.conditions import match_seed
from tiltyard_tournaments.store import Store
from tiltyard_whatif.stored import StoredGame


def match_of(active_versions: ActiveVersions, keys: KeyMaker, seats: Seats) -> MatchSpec:
    """The match of a game. Its seed follows from its map alone.

    Raises:
        UserError: a version or the map is gone, files cannot be read, or this machine cannot confine a version.
    """
    tournament = active_versions.league.tournament
    source = next((source for source in tournament.maps if source.name == seats.map), None)
    if source is None:
        raise UserError(f"the league has no map '{seats.map}' now")
    spec = MatchSpec(
        MatchInput(
            game=tournament.game,
            manager=tournament.manager,
            map=source,
            teams=tuple(active_versions.reference(version) for version in seats.versions),
            seed=match_seed(tournament.field.seed, hashlib.blake2b(source.data).hexdigest(), 0),
            on_crash=tournament.on_crash,
        ),
        recording=Recording(replay=True),
        place=Place(stage="" if seats.kind == RATED else REQUESTED),
    )
    return keys.with_key(tournament.isolation_policy.apply(spec))


def game_to_repeat(store: Store, spec_of: Callable[[Seats], MatchSpec], game: LeagueGame) -> StoredGame:
    """The match of a game as it was played, under the names that it was played with: GameManagers may repeat these.

    Raises:
        UserError: it can't be played again.
    """
    record, replay = store.record(game.key), store.replay(game.key)
    if record is None or replay is None:
        raise UserError("its replay is no longer stored")
    spec = spec_of(Seats(versions=game.versions, map=game.map, kind=game.kind))
    if spec.place.key != game.key:
        raise UserError("the game, a limit or the code of a team has changed since it was played")
    return StoredGame(with_names(spec, record.outcome.teams).at(game.place - 1), record.outcome, replay)


def with_names(spec: MatchSpec, names: Sequence[str]) -> MatchSpec:
    """A match whose teams are called so."""
    teams = tuple(replace(team, shown=name) for team, name in zip(spec.input.teams, names, strict=True))
    return replace(spec, input=replace(spec.input, teams=teams))
