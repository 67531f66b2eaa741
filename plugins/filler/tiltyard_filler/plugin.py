"""What the filler plugin contributes: the game, its GameManagers, its robots and its maps."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from importlib import resources
from typing import Final

from tiltyard_engine.hooks import hookimpl
from tiltyard_engine.records import Game, Manager, MapFile, TurnTeam
from tiltyard_filler.adapter import RobotAdapter
from tiltyard_filler.algorithms.champion import Champion
from tiltyard_filler.algorithms.heat import Heat
from tiltyard_filler.algorithms.nearest import Nearest
from tiltyard_filler.algorithms.voronoi import Voronoi
from tiltyard_filler.dialects import FORTY_TWO
from tiltyard_filler.generate import MapWishes, generate_map
from tiltyard_filler.manager import FillerGameManager
from tiltyard_filler.map_files import FillerMap, read_board, read_map
from tiltyard_filler.positions import FillerPosition, Placement
from tiltyard_filler.theme import THEME
from tiltyard_filler.transcript import is_transcript, read_transcript

LIMITS: Final = {"move_seconds": 10.0, "match_seconds": 600.0}
"""The subject gives a robot ten seconds a move; a game on its largest map has about 800 moves a player."""


@hookimpl
def games() -> Iterator[Game[FillerMap]]:
    """The game."""
    yield Game(
        "filler",
        seats=range(2, 3),
        read_map=read_map,
        position_type=FillerPosition,
        answer_type=Placement,
        adapter=RobotAdapter,
        theme=THEME,
        is_transcript=is_transcript,
        read_transcript=read_transcript,
        map_options=MapWishes,
        generate_map=generate_map,
        limits=LIMITS,
        description="two robots place random pieces on one board until neither can; most cells win",
    )


@hookimpl
def game_managers() -> Iterator[Manager]:
    """The referees."""
    yield Manager("filler", "filler", FillerGameManager, on_fault="raise", description="the subject's rules; cells are counted")
    yield Manager(
        "filler-42",
        "filler",
        partial(FillerGameManager, FORTY_TWO),
        on_fault="raise",
        description="the rules and the protocol of 42's engine; pieces are counted",
    )


@hookimpl
def algorithms() -> Iterator[TurnTeam]:
    """The project's own robots, the weakest first."""
    yield TurnTeam("nearest", "filler", Nearest, "as near to the enemy as it can")
    yield TurnTeam("heat", "filler", Heat, "a heat map of the distances to the enemy")
    yield TurnTeam("voronoi", "filler", Voronoi, "most squares that it reaches before the enemy does")
    yield TurnTeam("champion", "filler", Champion, "the same, seen two moves ahead; then it fills with care")


@hookimpl
def maps() -> Iterator[MapFile]:
    """The shipped maps: the subject's three, and own ones."""
    folder = resources.files("tiltyard_filler").joinpath("shipped_maps")
    for file in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if not file.name.startswith((".", "__")):
            data = file.read_bytes()
            board = read_board(file.name, data)
            yield MapFile(file.name, "filler", data, 2, f"{board.width} x {board.height}")
