"""What the filler plugin contributes: the game, its GameManagers, its robots and its maps."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from tiltyard_engine.hooks import hookimpl
from tiltyard_engine.recipes import Recipe
from tiltyard_engine.records import (
    Game,
    GameDisplay,
    GameLogs,
    GameMaps,
    GamePrograms,
    GameTeams,
    Manager,
    MapFile,
    TurnInterface,
    TurnTeam,
)
from tiltyard_filler.adapter import PROTOCOLS, RobotAdapter
from tiltyard_filler.algorithms.champion import Champion
from tiltyard_filler.algorithms.heat import Heat
from tiltyard_filler.algorithms.nearest import Nearest
from tiltyard_filler.algorithms.voronoi import Voronoi
from tiltyard_filler.dialects import FORTY_TWO
from tiltyard_filler.encoding import ENCODING
from tiltyard_filler.game_rules import FillerRules
from tiltyard_filler.manager import FillerGameManager
from tiltyard_filler.map_files import FillerMap, MapOptions, generate_map, read_board, read_map, shipped_maps
from tiltyard_filler.positions import FillerPosition, Placement
from tiltyard_filler.recipes import filler_recipes
from tiltyard_filler.theme import THEME
from tiltyard_filler.transcript import is_transcript, read_transcript

TILTYARD_API = 1
LIMITS: Final = {"move_seconds": 10.0, "match_seconds": 600.0}
"""The subject gives a robot ten seconds a move; a game on its largest map has about 800 moves a player."""


@hookimpl
def games() -> Iterator[Game[FillerMap]]:
    """The game Filler, with its maps, programs and limits."""
    yield Game(
        name="filler",
        seats=range(2, 3),
        maps=GameMaps(read_map, generate=generate_map, options=MapOptions),
        interface=TurnInterface(FillerPosition, Placement),
        rules=FillerRules(),
        programs=GamePrograms(RobotAdapter, protocols=PROTOCOLS),
        teams=GameTeams(limits=LIMITS),
        display=GameDisplay(THEME, modules=("tiltyard_filler.theme",)),
        logs=GameLogs(is_transcript=is_transcript, read_transcript=read_transcript),
        encoding=ENCODING,
        default_manager="filler",
        compiled_package="tiltyard_filler",
        description="two robots place random pieces on a board until neither can; whoever has more cells wins",
    )


@hookimpl
def game_managers() -> Iterator[Manager]:
    """The GameManagers: the subject's rules, and others by name."""
    yield Manager(
        name="filler",
        game="filler",
        create=FillerGameManager,
        on_fault="raise",
        description="the subject's rules; counts cells",
    )
    yield Manager(
        name="filler-42",
        game="filler",
        create=partial(FillerGameManager, FORTY_TWO),
        on_fault="raise",
        description="the rules and the protocol of 42's engine; counts pieces",
    )


@hookimpl
def algorithms() -> Iterator[TurnTeam]:
    """The project's own robots, the weakest first."""
    yield TurnTeam("nearest", "filler", Nearest, "places each piece as near to the enemy as it can")
    yield TurnTeam("heat", "filler", Heat, "follows a heat map of the distances to the enemy")
    yield TurnTeam("voronoi", "filler", Voronoi, "maximizes the squares that it reaches before the enemy")
    yield TurnTeam("champion", "filler", Champion, "like voronoi, but looks two moves ahead; then fills carefully")


@hookimpl
def recipes() -> Iterator[Recipe]:
    """How what is handed in as the subject lays it out becomes a team."""
    yield from filler_recipes()


@hookimpl
def maps() -> Iterator[MapFile]:
    """The shipped maps: the subject's three, and own ones."""
    for name, file in shipped_maps().items():
        data = file.read_bytes()
        board = read_board(name, data)
        yield MapFile(name, "filler", data, 2, f"{board.width} x {board.height}")
