"""What several subcommands play: every pair of algorithms, both ways, on maps, under one GameManager."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from tiltyard_engine.errors import UserError
from tiltyard_engine.records import Game
from tiltyard_engine.registry import Reference, Registry
from tiltyard_engine.registry.registry import ALGORITHM, MANAGER
from tiltyard_simulator.choosing import choose, choose_all, choose_maps, game_reference, is_plain_folder
from tiltyard_simulator.loading import load
from tiltyard_simulator.modes import say_left_out
from tiltyard_simulator.specs import MatchSpec
from tiltyard_tournaments.round_robin import schedule

Algorithms = Annotated[
    list[str] | None,
    typer.Argument(
        help="Installed names, .py and .so files, package folders, FILE:NAME, programs, folders of these, or 'installed'.",
        show_default="installed",
    ),
]
Maps = Annotated[
    list[str] | None,
    typer.Option("--maps", help="A folder of maps, a map file, a shipped map's name, or 'installed'; repeatable."),
]
ManagerName = Annotated[str, typer.Option("--manager", "-m", help="The GameManager.")]


@dataclass(frozen=True, slots=True)
class Games:
    """The matches, map by map, and who takes part."""

    specs: list[MatchSpec]
    names: list[str]


def choose_games(
    algorithms: Sequence[str] | None, maps: Sequence[str] | None, manager: str, found: Registry, verbose: bool = False
) -> Games:
    """All games of a round robin; what cannot be used of a folder is said on standard error.

    Raises:
        UserError: something named is missing or unusable, or too few algorithms or maps are left.
    """
    game_manager = choose(manager, MANAGER, found)
    game = game_reference(found, game_manager.game)
    teams = _teams(algorithms or ["installed"], found, game.name)
    chosen = choose_maps(maps or ["installed"], found, load(game, Game), 2)
    say_left_out(chosen.left_out)
    if not chosen.maps:
        raise UserError(f"no usable map for {game.name} and two players was found")
    return Games(schedule(game, game_manager, chosen.maps, teams, verbose), [team.name for team in teams])


def _teams(texts: Sequence[str], found: Registry, game: str) -> list[Reference]:
    teams: list[Reference] = []
    known = {entry.name for entry in found.all(ALGORITHM, game)}
    for text in texts:
        if text == "installed" or (is_plain_folder(Path(text)) and text not in known):
            several = choose_all(text, ALGORITHM, found, game)
            say_left_out(several.left_out)
            teams += several.references
        else:
            teams.append(choose(text, ALGORITHM, found, game))
    teams = list(dict.fromkeys(teams))
    names = [team.name for team in teams]
    doubled = sorted({name for name in names if names.count(name) > 1})
    if doubled:
        raise UserError(f"two algorithms are both called '{doubled[0]}': tables could not tell them apart; rename one")
    if len(teams) < 2:
        raise UserError(f"{len(teams) or 'no'} usable algorithm for {game}: a round robin needs at least 2")
    return teams
