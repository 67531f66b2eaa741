"""What the tanks plugin contributes: the game, its GameManagers and its maps."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from importlib import resources

from tiltyard_engine.hooks import hookimpl
from tiltyard_engine.records import Game, Manager, MapFile
from tiltyard_tanks.generate import MapWishes, generate_by_wishes
from tiltyard_tanks.gm_209277367 import NAME, GameManager209277367
from tiltyard_tanks.manager import TanksGameManager
from tiltyard_tanks.maps import TankMap, count_players, player_arguments, read_map, truncate
from tiltyard_tanks.output import describe
from tiltyard_tanks.rebuild import read_log
from tiltyard_tanks.rules import DIALECTS
from tiltyard_tanks.team_template import team_template
from tiltyard_tanks.theme import THEME


@hookimpl
def games() -> Iterator[Game[TankMap]]:
    """The tank game."""
    yield Game(
        "tanks",
        seats=range(2, 10),
        read_map=read_map,
        player_arguments=player_arguments,
        truncate=truncate,
        describe=describe,
        theme=THEME,
        read_log=read_log,
        team_template=team_template,
        map_options=MapWishes,
        generate_map=generate_by_wishes,
        description="tanks on a torus: the game of assignments 2 and 3",
    )


@hookimpl
def game_managers() -> Iterator[Manager]:
    """The reference rules and the dialects, and one team's own manager."""
    for name, (rules, description) in DIALECTS.items():
        yield Manager(name, "tanks", partial(TanksGameManager, rules), on_fault="raise", description=description)
    yield Manager(
        NAME, "tanks", GameManager209277367, on_fault="raise", log_suffix="", description="one team's GameManager of assignment 3"
    )


@hookimpl
def maps() -> Iterator[MapFile]:
    """The shipped maps."""
    folder = resources.files("tiltyard_tanks").joinpath("shipped_maps")
    for file in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if file.name.endswith(".txt"):
            data = file.read_bytes()
            title = data.split(b"\n", 1)[0].decode("latin-1").strip()
            yield MapFile(file.name.removesuffix(".txt"), "tanks", data, count_players(file.name, data), title)
