"""What the advance plugin contributes: the game, its tests, its GameManager, its algorithms and its map."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tiltyard_advance.adapter import introduce, open_program
from tiltyard_advance.algorithms import own_player
from tiltyard_advance.asking import TEST_GAME, AdvanceTestManager, read_test_map
from tiltyard_advance.board_files import write_board_file
from tiltyard_advance.choosing import CHAMPION
from tiltyard_advance.generate import MapWishes, generate_by_wishes
from tiltyard_advance.level_tests import LevelTest
from tiltyard_advance.levels import LEVELS
from tiltyard_advance.manager import AdvanceGameManager
from tiltyard_advance.map_files import AdvanceMap, read_map, truncate
from tiltyard_advance.positions import AdvancePosition, Turn
from tiltyard_advance.qualifying import QUALIFIER
from tiltyard_advance.start import START
from tiltyard_advance.theme import THEME
from tiltyard_engine.hooks import hookimpl
from tiltyard_engine.records import Game, Manager, MapFile, TurnTeam

GAME: Final = "advance"
LIMITS: Final = {"move_seconds": 30.0, "match_seconds": 3600.0}
"""Programs start anew for each of their hundred moves."""
DESCRIPTIONS: Final = {
    4: "any legal move",
    5: "wins at once where it can",
    6: "wins, or gains the most material at once",
    7: "as level 6, and looks two plies further: the course's reference",
}


@hookimpl
def games() -> Iterator[Game[AdvanceMap] | Game[LevelTest]]:
    """The game, and single tests of it."""
    yield Game(
        GAME,
        seats=range(2, 3),
        read_map=read_map,
        position_type=AdvancePosition,
        answer_type=Turn,
        adapter=open_program,
        truncate=truncate,
        theme=THEME,
        map_options=MapWishes,
        generate_map=generate_by_wishes,
        limits=LIMITS,
        introduce=introduce,
        qualifier=QUALIFIER,
        description="a game a little like chess, with walls and conversions; trap the opponent, or have more material",
    )
    yield Game(
        TEST_GAME,
        seats=range(1, 2),
        read_map=read_test_map,
        position_type=AdvancePosition,
        answer_type=Turn,
        adapter=open_program,
        theme=THEME,
        limits=LIMITS,
        description="one test of a level: a position of advance with one right answer",
    )


@hookimpl
def game_managers() -> Iterator[Manager]:
    """The referees."""
    yield Manager("advance", GAME, AdvanceGameManager, on_fault="raise", description="the course's rules; seat 1 plays white")
    yield Manager(TEST_GAME, TEST_GAME, AdvanceTestManager, on_fault="raise", description="asks for the answer to one test")


@hookimpl
def algorithms() -> Iterator[TurnTeam]:
    """The course's levels and the champion."""
    for level in LEVELS:
        yield TurnTeam(f"advance-level-{level}", GAME, own_player(str(level)), DESCRIPTIONS[level])
    yield TurnTeam("advance-champion", GAME, own_player(CHAMPION), "chooses by search among the best moves of level 7")


@hookimpl
def maps() -> Iterator[MapFile]:
    """The start position."""
    yield MapFile("advance-start", GAME, write_board_file(START), 2, "the position that the game begins with")
