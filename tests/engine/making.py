"""Plugins on disk and fake installed distributions, for tests of the registry."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tiltyard_engine.hooks import PROJECT
from tiltyard_engine.registry import Plugin, Registry, Row, Selection, load_source, path_sources

TEAMS: Final = """\
from tiltyard_engine import ActionRequest, Player, TankAlgorithm, TankTeam, hookimpl

class Tank(TankAlgorithm):
    def __init__(self, player_index, tank_index):
        pass
    def get_action(self):
        ACTION
    def update_battle_info(self, info):
        pass

class Commander(Player):
    def update_tank_with_battle_info(self, tank, satellite_view):
        pass

@hookimpl
def algorithms():
"""
_numbers = itertools.count(1)


def unique(stem: str) -> str:
    """A module name that no other test has: imported modules stay for the whole run. A later one sorts after an earlier one."""
    return f"{stem}_{next(_numbers):06}_of_the_tests"


def write(path: Path, text: str) -> Path:
    """Write a file, its folders too; the text may be indented as a whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    return path


def team_source(*names: str, action: str = "return ActionRequest.SHOOT") -> str:
    """The source of a sound plugin with tank teams of these names, by default one; ``action`` is the body of their get_action."""
    return TEAMS.replace("ACTION", textwrap.indent(action, 8 * " ").strip()) + "".join(
        f"    yield TankTeam({name!r}, player=Commander, tank=Tank)\n" for name in names or ("bot",)
    )


def load_text(tmp_path: Path, text: str, name: str = "bot.py") -> Plugin:
    """Load the plugin that a file with this text is."""
    (source,) = path_sources(write(tmp_path / name, text))
    return load_source(source)


def reasons(plugin: Plugin) -> list[str]:
    """Why what of it is not usable."""
    return [problem.reason for problem in plugin.problems]


def install(site: Path, distribution: str, version: str, entry_points: Mapping[str, str], group: str = PROJECT) -> Path:
    """A fake installed distribution, without files; ``site`` must be on ``sys.path`` for it to be seen."""
    folder = site / f"{distribution.replace('-', '_')}-{version}.dist-info"
    write(folder / "METADATA", f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n")
    lines = [f"[{group}]", *[f"{name} = {value}" for name, value in entry_points.items()]]
    write(folder / "entry_points.txt", "\n".join(lines) + "\n")
    return folder


def project(folder: Path, name: str, entry_points: Mapping[str, str], version: str = "1.0") -> Path:
    """A project folder as a team hands it in: a pyproject.toml with entry points."""
    lines = ["[project]", f'name = "{name}"', f'version = "{version}"', "", "[project.entry-points.tiltyard]"]
    lines += [f'{entry} = "{value}"' for entry, value in entry_points.items()]
    write(folder / "pyproject.toml", "\n".join(lines) + "\n")
    return folder


def installed(*only: str) -> Registry:
    """What is installed, of these plugins or distributions alone."""
    return Registry.installed(Selection(only=frozenset(only)))


def row_of(registry: Registry, name: str) -> Row:
    """The one row that is not about a refusal and has this name."""
    (row,) = [row for row in registry.rows if row.name == name and row.status != "blocked"]
    return row
