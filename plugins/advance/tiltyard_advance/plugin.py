"""What the advance plugin contributes: the game, its tests, its GameManager, its algorithms and its map."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from tiltyard_advance.adapter import ProgramPlayer, introduce
from tiltyard_advance.algorithms import CHAMPION, OwnPlayer
from tiltyard_advance.board_files import write_board_file
from tiltyard_advance.encoding import ENCODING
from tiltyard_advance.game_rules import AdvanceRules
from tiltyard_advance.level_test_game import QUALIFIER, TEST_GAME, AdvanceTestManager, read_test_map
from tiltyard_advance.level_tests import LevelTest
from tiltyard_advance.levels import LEVELS
from tiltyard_advance.manager import AdvanceGameManager
from tiltyard_advance.map_files import AdvanceMap, MapOptions, generate_map, read_map, truncate
from tiltyard_advance.name_game import NAME_GAME, Introduction, NamedProgram, NameManager, NameQuestion, read_name_map
from tiltyard_advance.positions import START, AdvancePosition, Turn
from tiltyard_advance.theme import THEME
from tiltyard_engine.hooks import hookimpl
from tiltyard_engine.records import Game, GameDisplay, GameMaps, GamePrograms, GameTeams, Manager, MapFile, TurnInterface, TurnTeam

TILTYARD_API = 1
GAME: Final = "advance"
LIMITS: Final = {"move_seconds": 30.0, "match_seconds": 3600.0}
"""Programs start again for each of their hundred moves."""
DESCRIPTIONS: Final = {
    4: "makes a random legal move",
    5: "wins at once if it can",
    6: "wins, or gains the most material at once",
    7: "like level 6, but looks two plies further; the course's reference",
}


@hookimpl
def games() -> Iterator[Game[AdvanceMap] | Game[LevelTest] | Game[bytes]]:
    """The game, single tests of it, and the question for a program's name."""
    yield Game(
        name=GAME,
        seats=range(2, 3),
        maps=GameMaps(read_map, truncate=truncate, generate=generate_map, options=MapOptions),
        interface=TurnInterface(AdvancePosition, Turn),
        rules=AdvanceRules(),
        programs=GamePrograms(ProgramPlayer, introduce),
        teams=GameTeams(qualifier=QUALIFIER, limits=LIMITS),
        display=GameDisplay(THEME, modules=("tiltyard_advance.theme",)),
        encoding=ENCODING,
        default_manager="advance",
        compiled_package="tiltyard_advance",
        description="a game like chess with walls and conversions; trap the opponent, or have more material at the end",
    )
    yield Game(
        name=TEST_GAME,
        seats=range(1, 2),
        maps=GameMaps(read_test_map),
        interface=TurnInterface(AdvancePosition, Turn),
        programs=GamePrograms(ProgramPlayer),
        teams=GameTeams(limits=LIMITS),
        display=GameDisplay(THEME, modules=("tiltyard_advance.theme",)),
        default_manager=TEST_GAME,
        description="a test of a level: a position of Advance with one right answer",
    )
    yield Game(
        name=NAME_GAME,
        seats=range(1, 2),
        maps=GameMaps(read_name_map),
        interface=TurnInterface(NameQuestion, Introduction),
        programs=GamePrograms(NamedProgram),
        default_manager=NAME_GAME,
        description="not a game: asks a program for Advance what it calls itself",
    )


@hookimpl
def game_managers() -> Iterator[Manager]:
    """The GameManagers of the game and of the two that marking uses."""
    yield Manager(
        name="advance", game=GAME, create=AdvanceGameManager, on_fault="raise", description="the course's rules; seat 1 plays white"
    )
    yield Manager(
        name=TEST_GAME, game=TEST_GAME, create=AdvanceTestManager, on_fault="raise", description="asks for the answer to one test"
    )
    yield Manager(name=NAME_GAME, game=NAME_GAME, create=NameManager, on_fault="raise", description="asks for a program's name")


@hookimpl
def algorithms() -> Iterator[TurnTeam]:
    """The course's levels and the champion."""
    for level in LEVELS:
        yield TurnTeam(f"advance-level-{level}", GAME, partial(OwnPlayer, str(level)), DESCRIPTIONS[level])
    yield TurnTeam("advance-champion", GAME, partial(OwnPlayer, CHAMPION), "searches among the best moves of level 7")


@hookimpl
def maps() -> Iterator[MapFile]:
    """The start position, which is the only map that comes with the game."""
    yield MapFile("advance-start", GAME, write_board_file(START), 2, "the game's start position")
