"""What the tanks plugin contributes: the game, its GameManagers and its maps."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from tiltyard_engine.hooks import hookimpl
from tiltyard_engine.recipes import Recipe
from tiltyard_engine.records import Game, GameDisplay, GameLogs, GameMaps, GameTeams, Manager, MapFile, TankInterface
from tiltyard_tanks.encoding import ENCODING
from tiltyard_tanks.files import shipped_map_files
from tiltyard_tanks.game_rules import TanksRules
from tiltyard_tanks.gm_209277367 import NAME, GameManager209277367
from tiltyard_tanks.log_replay import read_log
from tiltyard_tanks.manager import TanksGameManager
from tiltyard_tanks.map_generator import MapOptions, generate_map_file
from tiltyard_tanks.maps import TankMap, count_players, player_arguments, read_map, truncate
from tiltyard_tanks.output import describe
from tiltyard_tanks.recipes import tanks_recipes
from tiltyard_tanks.rules import DIALECTS
from tiltyard_tanks.team_template import team_template
from tiltyard_tanks.theme import THEME

TILTYARD_API = 1


@hookimpl
def games() -> Iterator[Game[TankMap]]:
    """The tank game, with what it brings for maps, teams, displays and logs."""
    yield Game(
        name="tanks",
        seats=range(2, 10),
        maps=GameMaps(read_map, truncate=truncate, generate=generate_map_file, options=MapOptions),
        interface=TankInterface(player_arguments),
        rules=TanksRules(),
        teams=GameTeams(template=team_template, samples=("acorn", "bramble")),
        display=GameDisplay(THEME, describe, modules=("tiltyard_tanks.theme",)),
        logs=GameLogs(read_log),
        encoding=ENCODING,
        default_manager="reference",
        compiled_package="tiltyard_tanks",
        description="tanks on a torus, the game of assignments 2 and 3",
    )


@hookimpl
def game_managers() -> Iterator[Manager]:
    """The reference rules and the dialects, and one team's own manager."""
    for name, (rules, description) in DIALECTS.items():
        yield Manager(name=name, game="tanks", create=partial(TanksGameManager, rules), on_fault="raise", description=description)
    yield Manager(
        name=NAME,
        game="tanks",
        create=GameManager209277367,
        on_fault="raise",
        log_suffix="",
        description="a team's GameManager from assignment 3",
    )


@hookimpl
def recipes() -> Iterator[Recipe]:
    """How assignment 2's whole program is built."""
    yield from tanks_recipes()


@hookimpl
def maps() -> Iterator[MapFile]:
    """The maps that come with the game, each with its title."""
    for file in shipped_map_files():
        data = file.read_bytes()
        title = data.split(b"\n", 1)[0].decode("latin-1").strip()
        yield MapFile(file.name.removesuffix(".txt"), "tanks", data, count_players(file.name, data), title)
