"""Trees of teams, and builds of them, for tests."""

from __future__ import annotations

import resource
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Final

import pytest
from tests.fork_server import call_at_exit

from tiltyard_engine.recipes import Recipe
from tiltyard_intake.building.build import BUILD_LIMITS, BuildRules, Built, build
from tiltyard_intake.building.toolchains import find_tool, missing_tools
from tiltyard_intake.recipes.recognition import recognise
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.guard.confinement.probes import probe_confinement
from tiltyard_simulator.guard.policy import Level
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import Limits

TANK_PLUGIN: Final = """from tiltyard_engine import BattleInfo, Player, TankAlgorithm, TankTeam, ActionRequest, hookimpl


class Tank(TankAlgorithm):
    def __init__(self, player, tank):
        pass

    def get_action(self):
        return ActionRequest.SHOOT

    def update_battle_info(self, info):
        pass


class Coach(Player):
    def update_tank_with_battle_info(self, tank, view):
        tank.update_battle_info(BattleInfo())


@hookimpl
def algorithms():
    yield TankTeam("NAME", player=Coach, tank=Tank)
"""


def plant(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files below a folder; scripts may be executed."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        if name.endswith(".sh") or path.read_bytes().startswith(b"#!"):
            path.chmod(0o755)
    return folder


@contextmanager
def file_size_limit(size: int) -> Iterator[None]:
    """What a full disk is like, for files of this process that are larger."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def need(*tools: str) -> None:
    """Skip where this machine lacks a tool, or has one that doesn't run."""
    for lacking in missing_tools(tools):
        pytest.skip(f"no {lacking} here")


def pool_of_builds() -> CellPool | None:
    """For all builds of this process: what cells are forked from takes longer to start than most of what tests build.

    As in an intake, which has one for its whole class. None where nothing is confined.
    """
    level = probe_confinement().level
    return None if level is Level.C else _pool_of_builds(level, tempfile.gettempdir())


@cache
def _pool_of_builds(level: Level, scratch_root: str) -> CellPool:
    pool = CellPool(reserve=0, level=level, scratch_root=scratch_root)
    call_at_exit(pool.close)
    # What cells are forked from ends with the thread that starts it, and intakes build in threads of their own.
    python = find_tool("python3")
    pool.open_build([] if python is None else python.readable, BUILD_LIMITS, Isolation.SANDBOX)
    pool.end_match()
    return pool


class LastingPool(CellPool):
    """Who plays in it takes it for its own, and closes it after the last match; it goes on for the next one."""

    def close(self) -> None:
        self.end_match()

    def end(self) -> None:
        """End it."""
        super().close()


@cache
def pool_of_smoke_matches(readable: tuple[str, ...]) -> LastingPool:
    """For all first matches of this process, in these folders; see ``pool_of_builds``."""
    pool = LastingPool(reserve=0, readable=readable, templates=False)
    call_at_exit(pool.end)
    return pool


def built(
    tree: Path,
    recipes: Iterable[Recipe],
    limits: Limits = BUILD_LIMITS,
    *,
    team: str = "anna",
    game: str = "",
    forced: str = "",
    pool: CellPool | None = None,
) -> Built:
    """Recognise and build a tree; teams go into ``teams`` beside it. Without a pool of its own it is built in that of all tests."""
    rules, cells = BuildRules(limits), pool or pool_of_builds()
    return build(recognise(tree, recipes, forced), tree.parent / "teams", rules, team=team, game=game, pool=cells)


def tank_plugin(name: str) -> str:
    """The text of a Python team that plays tanks."""
    return TANK_PLUGIN.replace("NAME", name)
