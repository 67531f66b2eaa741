"""The files of a new team's package: it installs, loads, passes its tests and plays as it is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from string import Template
from typing import Final

FILES: Final[dict[str, str]] = {
    "pyproject.toml": """\
[build-system]
requires = ["hatchling>=1.27"]
build-backend = "hatchling.build"

[project]
name = "$name"
version = "0.1.0"
description = "The team $name for the tank game of tiltyard"
requires-python = ">=3.11"
dependencies = ["tiltyard-engine"]

[project.optional-dependencies]
test = ["pytest"]

[project.entry-points.tiltyard]
"$name" = "$package"

[tool.hatch.build.targets.wheel]
packages = ["$package"]

[tool.pytest.ini_options]
testpaths = ["tests"]
pythonpath = ["."]
""",
    "README.md": """\
# $name

A team for the tank game of tiltyard.

    pip install -e .
    tiltyard plugins --only $name --only tanks
    tiltyard check $name
    tiltyard watch $name acorn --map narrow-pass
    tiltyard round-robin $name acorn bramble
""",
    "$package/__init__.py": '''\
"""The team $name."""

from collections.abc import Iterator

from tiltyard_engine import TankTeam, hookimpl

from .player import ${prefix}Player
from .tank import ${prefix}Tank


@hookimpl
def algorithms() -> Iterator[TankTeam]:
    """Tell tiltyard what this package brings."""
    yield TankTeam("$name", player=${prefix}Player, tank=${prefix}Tank)
''',
    "$package/player.py": '''\
"""The Player: it sees the board and tells a tank that asked what it should know."""

from __future__ import annotations

from collections.abc import Sequence

from tiltyard_engine import BattleInfo, Player, SatelliteView, TankAlgorithm


class BoardInfo(BattleInfo):
    """The whole board, a string a row; the tank that asked is shown as %."""

    def __init__(self, rows: Sequence[str]) -> None:
        self.rows = rows


class ${prefix}Player(Player):
    """One a match; it may remember what it saw before."""

    def __init__(self, player_index: int, x: int, y: int, max_steps: int, num_shells: int) -> None:
        self.width, self.height = x, y

    def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None:
        """Copy the view, which expires after this call, and pass it on."""
        tank.update_battle_info(BoardInfo(satellite_view.get_rows(self.width, self.height)))
''',
    "$package/tank.py": '''\
"""The tank: asked once a round for what it wants to do."""

from __future__ import annotations

from collections.abc import Sequence

from tiltyard_engine import ActionRequest, BattleInfo, TankAlgorithm

from .player import BoardInfo


class ${prefix}Tank(TankAlgorithm):
    """Looks at the board once, then turns and shoots for ever: a beginning to build on."""

    def __init__(self, player_index: int, tank_index: int) -> None:
        self.rows: Sequence[str] = ()
        self.round = 0

    def get_action(self) -> ActionRequest:
        """Decide for this round."""
        self.round += 1
        if self.round == 1:
            return ActionRequest.GET_BATTLE_INFO
        if self.round % 5 == 0:
            return ActionRequest.SHOOT
        return ActionRequest.ROTATE_RIGHT_45

    def update_battle_info(self, info: BattleInfo) -> None:
        """Take what the Player saw; keep what you need of it, not the info itself."""
        assert isinstance(info, BoardInfo)
        self.rows = info.rows
''',
    "tests/test_$package.py": '''\
"""What the team promises. These tests need only tiltyard-engine and pytest."""

from collections.abc import Sequence

from $package import algorithms
from tiltyard_engine import ActionRequest, SatelliteView
from tiltyard_engine.inline import InlineTankSeat

BOARD = ("######", "#1   #", "#   2#", "######")


class BoardView(SatelliteView):
    """A view of BOARD as player 1's only tank sees it."""

    def get_object_at(self, x: int, y: int) -> str:
        return "%" if (x, y) == (1, 1) else BOARD[y][x]


def play(rounds: int) -> Sequence[ActionRequest]:
    """What a tank asks for on a board where nothing else moves; a fault of the team fails the test."""
    (team,) = algorithms()
    seat = InlineTankSeat(1, team, (len(BOARD[0]), len(BOARD), rounds, 10), "raise")
    tank = seat.create_tank(0)
    actions = []
    for _ in range(rounds):
        actions.append(tank.get_action())
        if actions[-1] is ActionRequest.GET_BATTLE_INFO:
            seat.player.update_tank_with_battle_info(tank, BoardView())
    return actions


def test_plays_without_a_fault() -> None:
    assert len(play(100)) == 100


def test_decides_the_same_twice() -> None:
    assert play(100) == play(100)
''',
}
"""Path to text, both with ``$`` places to fill."""


def team_template(name: str) -> Mapping[str, str]:
    """The files of a team called ``name``: path to text.

    Args:
        name: a registered name: letters, digits, ``_``, ``.``, ``+`` and ``-``.
    """
    words = [word for word in re.split(r"[^A-Za-z0-9]+", name) if word]
    package = "_".join(words).lower() or "team"
    prefix = "".join(word[0].upper() + word[1:] for word in words) or "Team"
    if package[0].isdigit():
        package, prefix = f"team_{package}", f"Team{prefix}"
    places = {"name": name, "package": package, "prefix": prefix}
    return {Template(path).substitute(places): Template(text).substitute(places) for path, text in FILES.items()}
