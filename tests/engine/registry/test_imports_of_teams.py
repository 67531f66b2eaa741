"""A team's own modules: it finds those beside its plugin as at home, and never another team's."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import pytest
from tests.engine.making import project, reasons, team_source, unique, write

from tiltyard_engine.registry import Plugin, Source, load_source, path_sources

FORMS: Final = {
    "a file beside it": {
        "tank.py": "from helper import NAME\n",
        "helper.py": "NAME = 'x'\n",
    },
    "an import within a function": {
        "tank.py": "def late():\n    import helper\n    return helper\nNAME = late().NAME\n",
        "helper.py": "NAME = 'x'",
    },
    "a package beside it": {
        "tank.py": "import parts.names\nNAME = parts.names.NAME\n",
        "parts/names.py": "from parts.more import NAME\n",
        "parts/more.py": "NAME = 'x'\n",
    },
    "a module of the package by name": {
        "tank.py": "from parts import names as other\nNAME = other.NAME\n",
        "parts/__init__.py": "",
        "parts/names.py": "NAME = 'x'\n",
    },
    "the folder's own name": {
        "tank.py": "from FOLDER.conf import NAME\n",
        "conf.py": "from FOLDER import values\nNAME = values.NAME\n",
        "values.py": "NAME = 'x'\n",
    },
    "a folder that had another name": {
        "tank.py": "import old_bot.values\nfrom old_bot import conf\nNAME = conf.NAME\n",
        "conf.py": "from old_bot.values import NAME\n",
        "values.py": "NAME = 'x'\n",
    },
    "an empty __init__.py": {
        "__init__.py": "",
        "tank.py": "from helper import NAME\n",
        "helper.py": "NAME = 'x'\n",
    },
    "a relative import": {
        "tank.py": "from .helper import NAME\n",
        "helper.py": "NAME = 'x'\n",
    },
    "a package by its name": {
        "__init__.py": "from FOLDER.tank import algorithms\n",
        "tank.py": "import FOLDER.conf\nNAME = FOLDER.conf.NAME\n",
        "conf.py": "NAME = 'x'\n",
    },
    "a package that imports what lies in it": {
        "__init__.py": "from tank import algorithms\n",
        "tank.py": "from conf import *\n",
        "conf.py": "NAME = 'x'\n",
    },
    "a package in the folder": {
        "mybot/__init__.py": "from mybot.tank import algorithms\n",
        "mybot/tank.py": "from mybot.conf import NAME\n",
        "mybot/conf.py": "from run import NAME\n",
        "run.py": "NAME = 'x'\n",
    },
    "a folder in the folder": {
        "mybot/tank.py": "from mybot.conf import NAME\nimport conf\nassert conf.NAME is NAME\n",
        "mybot/conf.py": "NAME = 'x'\n",
    },
    "a name of the standard library": {
        "tank.py": "from random import NAME\n",
        "random.py": "NAME = 'x'\n",
    },
    "a project without entry points": {
        "pyproject.toml": "[tool.ruff]\n",
        "src/tank.py": "from helper import NAME\n",
        "src/helper.py": "NAME = 'x'\n",
    },
}


def plant(folder: Path, form: str, name: str) -> Path:
    """A team of a form that is called as its helper says."""
    for file, text in FORMS[form].items():
        whole = text.replace("FOLDER", folder.name).replace("'x'", repr(name))
        write(
            folder / file, whole + team_source("x").replace("TankTeam('x'", "TankTeam(NAME") if file.endswith("tank.py") else whole
        )
    return folder


def only(sources: list[Source]) -> Plugin:
    (source,) = sources
    plugin = load_source(source)
    assert reasons(plugin) == []
    return plugin


@pytest.mark.parametrize("form", list(FORMS))
def test_two_teams_of_one_form_each_see_their_own_modules(form: str, tmp_path: Path) -> None:
    before = set(sys.modules)
    folder = unique("mybot")
    teams = [plant(tmp_path / name / folder, form, name) for name in ("anna", "ben")]
    for team in teams:
        assert [record.name for record in only(path_sources(team.parent)).records] == [team.parent.name]
    loaded = set(sys.modules) - before
    assert [name for name in loaded if name.startswith(("helper", "conf", "tank", "parts", "values", "mybot"))] == []
    # As one of several teams' folders, it is the same code.
    assert [load_source(source).problems for team in teams for source in path_sources(team)] == [[], []]


def test_a_file_that_is_named_has_its_helpers(tmp_path: Path) -> None:
    team = plant(tmp_path / "anna", "a file beside it", "anna")
    (source,) = path_sources(team / "tank.py")
    assert (source.folder, source.home) == (str(team), str(team))
    assert [record.name for record in only([source]).records] == ["anna"]


@pytest.mark.parametrize(
    "other",
    ["ben.py", "ben/tank.py", "ben/program.toml", "ben.so", "ben", ".tiltyard-intake.json"],
)
def test_a_file_among_other_teams_has_no_modules_but_its_own(other: str, tmp_path: Path) -> None:
    plant(tmp_path, "a file beside it", "anna")
    path = write(tmp_path / other, team_source("ben") if other.endswith(".py") else "")
    path.chmod(0o755 if other == "ben" else 0o644)
    (source,) = path_sources(tmp_path / "tank.py")
    assert (source.folder, source.home) == ("", "")
    (reason,) = reasons(load_source(source))
    assert (
        "No module named 'helper' (tank.py, line 1); helper.py is in the same folder, but that may be many teams': put both"
        in reason
    )
    named = {source.name: source for source in path_sources(tmp_path)}
    assert named["tank"].folder == ""


def test_a_file_that_uses_nothing_beside_it_is_all_of_its_team(tmp_path: Path) -> None:
    write(tmp_path / "bot.py", team_source())
    write(tmp_path / "notes.txt", "")
    assert [source.folder for source in (*path_sources(tmp_path), *path_sources(tmp_path / "bot.py"))] == ["", ""]


@pytest.mark.parametrize(
    "use", ["open('weights.txt')", "open(f'weights_{1}.txt')", "open('./weights.txt')", "open('data/one.txt')"]
)
def test_a_file_that_names_data_beside_it_has_a_folder(use: str, tmp_path: Path) -> None:
    write(tmp_path / "bot.py", f"def read():\n    return {use}\n\n\n{team_source()}")
    for name in ("weights.txt", "weights_1.txt", "data/one.txt"):
        write(tmp_path / name, "1")
    assert [source.folder for source in path_sources(tmp_path / "bot.py")] == [str(tmp_path)]


def test_a_home_folder_is_no_teams(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(tmp_path, "a file beside it", "anna")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert [source.folder for source in path_sources(tmp_path / "tank.py")] == [""]


def test_several_plugins_in_a_teams_folder_are_named(tmp_path: Path) -> None:
    for name in ("new.py", "old.py"):
        write(tmp_path / "anna" / name, team_source())
    (source,) = path_sources(tmp_path)
    assert source.error == "new.py and old.py are separate teams; keep only the one that should play, or give each its own folder"


def test_projects_with_modules_of_one_name_each_see_their_own(tmp_path: Path) -> None:
    helper, names = unique("helper"), ("anna", "ben")
    for name in names:
        folder = project(tmp_path / name, name, {name: f"{name}_of_the_tests"})
        write(
            folder / f"{name}_of_the_tests.py",
            f"from {helper} import NAME\n" + team_source("x").replace("TankTeam('x'", "TankTeam(NAME"),
        )
        write(folder / f"{helper}.py", f"NAME = {name!r}\n")
    assert [record.name for name in names for record in only(path_sources(tmp_path / name)).records] == list(names)
