"""What the penguins plugin contributes: the game, its GameManagers, its algorithms and its maps."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from importlib import resources
from typing import Final

from tiltyard_engine.hooks import hookimpl
from tiltyard_engine.records import Game, Manager, MapFile, TurnTeam
from tiltyard_penguins.adapter import open_program
from tiltyard_penguins.algorithms import ALGORITHMS
from tiltyard_penguins.generate import MapWishes, generate_by_wishes
from tiltyard_penguins.map_files import PenguinsMap, read_map
from tiltyard_penguins.positions import Move, PenguinsPosition
from tiltyard_penguins.referee import PenguinsGameManager
from tiltyard_penguins.rules import MOST_PLAYERS
from tiltyard_penguins.theme import THEME

GAME: Final = "penguins"
LIMITS: Final = {"move_seconds": 5.0, "match_seconds": 900.0}
"""The course's five seconds a call. A match has up to some 130 calls a player."""


@hookimpl
def games() -> Iterator[Game[PenguinsMap]]:
    """The game."""
    yield Game(
        GAME,
        seats=range(1, MOST_PLAYERS + 1),
        read_map=read_map,
        position_type=PenguinsPosition,
        answer_type=Move,
        adapter=open_program,
        theme=THEME,
        map_options=MapWishes,
        generate_map=generate_by_wishes,
        limits=LIMITS,
        description="penguins slide over ice floes that melt behind them; most fish wins",
    )


@hookimpl
def game_managers() -> Iterator[Manager]:
    """The referees."""
    yield Manager(
        "penguins", GAME, PenguinsGameManager, on_fault="raise", description="the course's loop: players are asked when done, too"
    )
    yield Manager(
        "penguins-lenient",
        GAME,
        partial(PenguinsGameManager, asks_when_done=False),
        on_fault="raise",
        description="passes over players that have nothing to do",
    )


@hookimpl
def algorithms() -> Iterator[TurnTeam]:
    """Opponents to begin with, and one to aim at."""
    for name, (create, description) in ALGORITHMS.items():
        yield TurnTeam(name, GAME, create, description)


@hookimpl
def maps() -> Iterator[MapFile]:
    """The shipped maps."""
    folder = resources.files("tiltyard_penguins").joinpath("shipped_maps")
    for file in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if file.name.endswith(".txt"):
            data = file.read_bytes()
            board = read_map(file.name, data)
            yield MapFile(file.name.removesuffix(".txt"), GAME, data, 2, f"{board.rows} x {board.columns}")
