"""One match of the algorithms that somebody names, without a tournament around it."""

from __future__ import annotations

from collections.abc import Sequence

from tiltyard_engine.players import check_players
from tiltyard_engine.records import Game
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import ALGORITHM
from tiltyard_simulator.match.map_reading import read_map
from tiltyard_simulator.match.spec import MatchInput, MatchSpec
from tiltyard_simulator.registry.lookup import choose, choose_map, find_referee
from tiltyard_simulator.teams.team_labels import with_unique_labels
from tiltyard_tournaments.running.given_teams import GivenTeam, game_of_given


def match_of(
    algorithms: Sequence[str | GivenTeam], game_map: str, manager: str | None, game: str | None, registry: Registry
) -> MatchSpec:
    """The match of algorithms, player 1 first, on a map; the game follows from these names where it isn't given.

    Raises:
        UserError: something named is missing or can't be used, or the game isn't for so many players.
    """
    named = [each for each in algorithms if isinstance(each, str)]
    if game is None and manager is None:
        game = game_of_given(each for each in algorithms if isinstance(each, GivenTeam))
    referee = find_referee(registry, game=game, manager=manager, algorithms=named, maps=[game_map])
    record = referee.game.load_as(Game)
    check_players(record, len(algorithms), "name one algorithm for each player")
    source = choose_map(game_map, registry, record.name)
    read_map(record, game_map, source.data, len(algorithms))
    teams = [
        choose(each, ALGORITHM, registry, record.name) if isinstance(each, str) else each.reference(registry, record)
        for each in algorithms
    ]
    # A team may play against itself.
    labelled = dict(zip(dict.fromkeys(teams), with_unique_labels(list(dict.fromkeys(teams)))[0], strict=True))
    seats = tuple(labelled[team] for team in teams)
    return MatchSpec(MatchInput(game=referee.game, manager=referee.manager, map=source, teams=seats))
