"""What several subcommands play: algorithms that meet each other, on maps, under one GameManager."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any

import typer

from tiltyard_engine.data_classes import dataclass, replace
from tiltyard_engine.errors import UserError
from tiltyard_engine.formats import Field, Fixture
from tiltyard_engine.records import LEAST_PLAYERS, Game, check_players, players_in_words, usual_players
from tiltyard_engine.registry import Reference, Registry
from tiltyard_engine.registry.registry import ALGORITHM
from tiltyard_simulator.match.spec import MapSource
from tiltyard_simulator.output.reports import say, say_left_out, say_notes
from tiltyard_simulator.registry.finder import Finder
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_simulator.registry.map_files import no_usable_map
from tiltyard_simulator.registry.plugin_list import EVERY, INSTALLED
from tiltyard_simulator.teams.team_labels import with_unique_labels
from tiltyard_tournaments.cli.options import GameName
from tiltyard_tournaments.formats.conditions import OneBatchFormat, seat_orders
from tiltyard_tournaments.running.tournament import Tournament

ManagerName = Annotated[
    str | None,
    typer.Option(
        "--manager",
        "-m",
        help="The GameManager: an installed name, a file, a folder, or FILE:NAME. Default: the game's own.",
        show_default=False,
    ),
]


@dataclass(frozen=True, slots=True)
class MatchupOptions:
    """The games that a round robin plays."""

    maps: Annotated[
        list[str] | None,
        typer.Option(
            "--maps", "--map", help="A folder of maps, a map file, a shipped map's name, or 'installed'. Can be repeated."
        ),
    ] = None
    manager: ManagerName = None
    game: GameName = None
    players: Annotated[
        int | None,
        typer.Option(
            "--players",
            min=2,
            help="Number of players in a match. Default: 2, or the fewest that the game allows.",
            show_default=False,
        ),
    ] = None


class MapByMap(OneBatchFormat):
    """The round robin of the command line, map by map: after each map all have met on it, so the table can be read early.

    Every group of as many teams as a match has players meets as often as there are players, each team once in each seat.
    """

    def __init__(self, field: Field) -> None:
        self._field = field

    def fixtures(self) -> list[Fixture]:
        return [
            Fixture(tuple(group[place] for place in order), number)
            for number in range(len(self._field.maps))
            for group in combinations(range(len(self._field.teams)), self._field.seats)
            for order in seat_orders("double", self._field.seats)
        ]


def round_robin_of(
    algorithms: Sequence[str] | None, options: MatchupOptions, registry: Registry, isolation_policy: IsolationPolicy
) -> Tournament:
    """The tournament in which every pair meets in both seats on every map, or every group of as many as a match has players.

    What can't be used of a folder is printed; so is the number of players, if nobody said it and the game allows another than two.

    Raises:
        UserError: something named is missing or unusable, or too few algorithms or maps are left.
    """
    texts, maps = algorithms or [INSTALLED], options.maps or [INSTALLED]
    referee = Finder(registry).referee(game=options.game, manager=options.manager, algorithms=texts, maps=maps)
    game = referee.game.load_as(Game)
    players = _players(options.players, game)
    teams, not_admitted = _teams(texts, registry, game.name, players)
    selection = Finder(registry).maps(maps, game, players)
    say_left_out(selection.left_out)
    if not selection.maps:
        raise no_usable_map(registry, game, players)
    sources = _with_names_of_their_own(selection.maps)
    isolation_policy.limits.check_teams(team.label for team in teams)
    if options.players is None and players != LEAST_PLAYERS:
        others = "" if len(game.seats) == 1 else "; --players takes another number"
        say(f"note: {players} players in each match: {game.name} is for {players_in_words(game)}{others}")
    field = Field(teams=tuple(team.label for team in teams), maps=tuple(source.name for source in sources), seats=players)
    return Tournament(
        title="round robin",
        game=referee.game,
        manager=referee.manager,
        teams=tuple(teams),
        maps=tuple(sources),
        format=MapByMap(field),
        format_name="round-robin",
        field=field,
        folder=Path(),
        isolation_policy=isolation_policy,
        replays=False,
        not_admitted=tuple(not_admitted),
    )


def _players(number: int | None, game: Game[Any]) -> int:
    """How many play a match.

    Raises:
        UserError: the game is not for so many, or for one alone.
    """
    players = usual_players(game) if number is None else number
    check_players(game, players, "" if number is None else "change --players")
    if players < LEAST_PLAYERS:
        raise UserError(f"{game.name} is for {players_in_words(game)}: a round robin needs a game for at least {LEAST_PLAYERS}")
    return players


def _with_names_of_their_own(maps: Sequence[MapSource]) -> list[MapSource]:
    """Maps that differ but share a name are told apart: the second is ``name (2)``; equal ones stay one map."""
    by_name: dict[str, MapSource] = {}
    for source in dict.fromkeys(maps):
        name, number = source.name, 1
        while name in by_name:
            number += 1
            name = f"{source.name} ({number})"
        by_name[name] = replace(source, name=name)
    return list(by_name.values())


def _teams(texts: Sequence[str], registry: Registry, game: str, players: int) -> tuple[list[Reference], list[tuple[str, str]]]:
    """The teams, and what could not be used of the folders that were named, with the reason."""
    teams: list[Reference] = []
    refused: list[tuple[str, str]] = []
    known_people: dict[Reference, str] = {}
    registered = {entry.name for entry in registry.all(ALGORITHM, game)}
    for text in texts:
        if text in registered and text != INSTALLED:
            teams.append(Finder(registry).plugin(text, ALGORITHM, game))
            continue
        # A round robin is for many teams: a file stands for all that it holds, and one that holds none is an error.
        several = Finder(registry).teams(f"{text}{EVERY}" if Path(text).is_file() and text.endswith(".py") else text, game)
        if Path(text).is_file() and not several.references:
            Finder(registry).plugin(text, ALGORITHM, game)
        say_left_out(several.left_out or several.if_empty(text, f"{ALGORITHM} for {game}"))
        teams += several.references
        refused += several.refused
        known_people |= several.labels
    twice = len(teams) - len(set(teams))
    teams, notes = with_unique_labels(list(dict.fromkeys(teams)), known_people)
    say_notes(notes)
    names = [team.label for team in teams]
    doubled = sorted({name for name in names if names.count(name) > 1})
    if doubled:
        raise UserError(f"two algorithms are called '{doubled[0]}'; rename one of them with NAME=PATH", see="same-name")
    if len(teams) < players:
        why = f": {teams[0].label} was named more than once, and it can't play itself" if twice else ""
        each = ", one for each player of a match" if players > LEAST_PLAYERS else ""
        raise UserError(
            f"a round robin needs at least {players} usable algorithms for {game}{each}, found {len(teams)}{why}",
            see="too-few-teams",
        )
    return teams, refused
