"""What the penguins plugin contributes: the game, its GameManagers, its algorithms and its maps."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from importlib import resources
from typing import Final

from tiltyard_engine.hooks import hookimpl
from tiltyard_engine.recipes import Recipe
from tiltyard_engine.records import Game, GameDisplay, GameMaps, GamePrograms, GameTeams, Manager, MapFile, TurnInterface, TurnTeam
from tiltyard_penguins.adapter import ProgramPlayer
from tiltyard_penguins.algorithms import ALGORITHMS
from tiltyard_penguins.encoding import ENCODING
from tiltyard_penguins.game_rules import PenguinsRules
from tiltyard_penguins.map_files import PenguinsMap, read_map
from tiltyard_penguins.map_generator import MapOptions, generate_map
from tiltyard_penguins.positions import Move, PenguinsPosition
from tiltyard_penguins.recipes import penguins_recipes
from tiltyard_penguins.referee import PenguinsGameManager
from tiltyard_penguins.rules import MOST_PLAYERS
from tiltyard_penguins.theme import THEME

TILTYARD_API = 1
USUAL_MAP: Final = "rookery"
"""Of the size of the course's smallest boards: programs are made for those."""
GAME: Final = "penguins"
LIMITS: Final = {"move_seconds": 5.0, "match_seconds": 900.0}
"""The course's five seconds a call. A match has up to some 130 calls a player."""


@hookimpl
def games() -> Iterator[Game[PenguinsMap]]:
    """The game Penguins, with its maps, programs and limits."""
    yield Game(
        name=GAME,
        seats=range(1, MOST_PLAYERS + 1),
        maps=GameMaps(read_map, generate=generate_map, options=MapOptions, usual=USUAL_MAP),
        interface=TurnInterface(PenguinsPosition, Move),
        rules=PenguinsRules(),
        programs=GamePrograms(ProgramPlayer),
        teams=GameTeams(limits=LIMITS),
        display=GameDisplay(THEME, modules=("tiltyard_penguins.theme",)),
        encoding=ENCODING,
        default_manager="penguins",
        compiled_package="tiltyard_penguins",
        description="penguins slide over ice floes that melt behind them; whoever has the most fish wins",
    )


@hookimpl
def game_managers() -> Iterator[Manager]:
    """The GameManagers: one asks all players in each round, the other only those who can move."""
    yield Manager(
        name="penguins",
        game=GAME,
        create=PenguinsGameManager,
        on_fault="raise",
        description="the course's loop: also asks players with nothing to do",
    )
    yield Manager(
        name="penguins-lenient",
        game=GAME,
        create=partial(PenguinsGameManager, asks_when_done=False),
        on_fault="raise",
        description="skips players with nothing to do",
    )


@hookimpl
def algorithms() -> Iterator[TurnTeam]:
    """Opponents to begin with, and one to aim at."""
    for name, (create, description) in ALGORITHMS.items():
        yield TurnTeam(name, GAME, create, description)


@hookimpl
def recipes() -> Iterator[Recipe]:
    """How what students hand in becomes teams."""
    yield from penguins_recipes()


@hookimpl
def maps() -> Iterator[MapFile]:
    """The maps that come with the game, each with its size."""
    folder = resources.files("tiltyard_penguins").joinpath("shipped_maps")
    for file in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if file.name.endswith(".txt"):
            data = file.read_bytes()
            board = read_map(file.name, data)
            yield MapFile(file.name.removesuffix(".txt"), GAME, data, 2, f"{board.rows} x {board.columns}")
