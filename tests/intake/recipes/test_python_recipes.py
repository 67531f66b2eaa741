"""Python teams in each form that they are handed in: what comes out is a plugin that the registry reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest
from tests.intake.making import built, plant, tank_plugin

from tiltyard_engine.registry import Registry, Selection
from tiltyard_intake.recipes.program_recipes import python
from tiltyard_intake.recipes.program_recipes import recipes as program_recipes
from tiltyard_intake.recipes.python_recipes import recipes
from tiltyard_intake.recipes.recognition import recognise, runs_on_python
from tiltyard_simulator.registry.guarded_registry import open_registry
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy

RECIPES: Final = [*recipes(), python()]
PLUGIN: Final = tank_plugin("spinner")
PYPROJECT: Final = """[project]
name = "spinner"
version = "1.0"

[project.entry-points.tiltyard]
spinner = "spinner.team"
"""


def notebook(*cells: str) -> str:
    listed = [{"cell_type": "markdown", "source": ["# My tank"]}]
    listed += [{"cell_type": "code", "source": cell.splitlines(keepends=True)} for cell in cells]
    return json.dumps({"cells": listed, "nbformat": 4})


HALVES: Final = PLUGIN.split("\n\n\nclass Coach")
CASES: Final = {
    "python-file": {"spinner.py": PLUGIN, "readme.md": "ours"},
    "python-package": {"mine/__init__.py": "from .team import algorithms\n", "mine/team.py": PLUGIN},
    "python-project": {"hw/pyproject.toml": PYPROJECT, "hw/src/spinner/__init__.py": "", "hw/src/spinner/team.py": PLUGIN},
    "python-notebook": {"Tank.ipynb": notebook("%matplotlib inline\n" + HALVES[0], "!pip list", "class Coach" + HALVES[1])},
}


@pytest.mark.parametrize("name", list(CASES))
def test_each_form_becomes_a_team(name: str, tmp_path: Path) -> None:
    made = built(plant(tmp_path / "tree", CASES[name]), RECIPES, game="tanks")
    assert (made.error, made.recipe) == ("", name)
    (row,) = Registry.from_paths([tmp_path / "teams"]).rows
    assert (row.name, row.status, row.reason) == ("spinner", "ok", "")


def test_a_package_in_src_without_a_project_is_found(tmp_path: Path) -> None:
    tree = plant(tmp_path / "tree", {"src/mine/__init__.py": PLUGIN, "docs/notes.txt": ""})
    found = recognise(tree, RECIPES)
    assert (found.recipe and found.recipe.name, found.root) == ("python-package", "src/mine")
    assert built(tree, RECIPES).error == ""
    assert [row.name for row in Registry.from_paths([tmp_path / "teams"]).rows] == ["spinner"]


def test_a_notebook_says_in_the_file_where_it_comes_from(tmp_path: Path) -> None:
    built(plant(tmp_path / "tree", CASES["python-notebook"]), RECIPES)
    text = (tmp_path / "teams" / "anna.py").read_text()
    assert text.startswith("# The code cells of Tank.ipynb, exported.\n")
    assert "# %matplotlib inline" in text
    assert "# Cell 3" in text


@pytest.mark.parametrize("name", ["python-file", "python-package"])
def test_a_syntax_error_is_named_with_file_and_line(name: str, tmp_path: Path) -> None:
    files = {file: text.replace("def get_action(self):", "def get_action(self)") for file, text in CASES[name].items()}
    made = built(plant(tmp_path / "tree", files), RECIPES)
    file = next(file for file, text in files.items() if "get_action" in text).rpartition("/")[2]
    assert made.error == f"{file}:8: SyntaxError: expected ':'"
    assert made.products == ()


AT_HOME: Final[dict[str, dict[str, str | bytes]]] = {
    "a helper": {"spinner.py": f"from util import X\n{PLUGIN}", "util.py": "X = 1\n", "readme.md": ""},
    "data": {"spinner.py": f"W = open('weights.npy', 'rb').read()\n{PLUGIN}", "weights.npy": b"\x93NUMPY"},
    "the folder's name": {"mybot/tank.py": f"from mybot.conf import K\n{PLUGIN}", "mybot/conf.py": "K = 1\n"},
    "a package that names itself": {
        "mybot/__init__.py": "from mybot.tank import algorithms\n",
        "mybot/tank.py": f"from mybot.conf import K\n{PLUGIN}",
        "mybot/conf.py": "K = 1\n",
    },
    "an empty __init__.py": {"mybot/__init__.py": "", "mybot/tank.py": f"from conf import K\n{PLUGIN}", "mybot/conf.py": "K = 1\n"},
    "a package beside the file": {
        "tank.py": f"from mybot.conf import K\n{PLUGIN}",
        "mybot/__init__.py": "",
        "mybot/conf.py": "from tiltyard_engine import BattleInfo\nK = 1\n",
    },
    "a pyproject.toml for a linter": {
        "pyproject.toml": "[tool.ruff]\n",
        "tank.py": f"from conf import K\n{PLUGIN}",
        "conf.py": "K = 1\n",
    },
}


@pytest.mark.parametrize("form", list(AT_HOME))
def test_what_ran_at_home_becomes_a_team_with_all_that_lies_beside_it(form: str, tmp_path: Path) -> None:
    made = built(plant(tmp_path / "tree", AT_HOME[form]), RECIPES, game="tanks")
    assert made.error == ""
    assert made.products == (tmp_path / "teams" / "anna",)
    reader = open_registry(IsolationPolicy(), Selection(only=frozenset(["tiltyard"])))
    for place in ("teams", "teams/anna"):
        (row,) = reader.of_paths([tmp_path / place]).rows
        assert (row.name, row.status, row.reason) == ("spinner", "ok", "")


def test_several_teams_in_one_work_are_named(tmp_path: Path) -> None:
    made = built(plant(tmp_path / "tree", {"new.py": PLUGIN, "old.py": PLUGIN}), RECIPES)
    assert made.error == "new.py and old.py are a team each: hand in only one"


def test_a_program_in_python_gets_a_manifest(tmp_path: Path) -> None:
    tree = plant(tmp_path / "tree", {"main.py": "import moves\n", "moves.py": "", "data/book.txt": "e4", "test_moves.py": ""})
    made = built(tree, RECIPES, game="penguins", team="Ben B\u00f6hm")
    assert (made.error, made.recipe) == ("", "python-program")
    (entry,) = Registry.from_paths([tmp_path / "teams"]).entries
    program = entry.reference.program
    assert program is not None
    assert (program.name, program.game, program.command) == ("Ben B\u00f6hm", "penguins", ("python3", "main.py"))
    assert (Path(program.folder) / "data" / "book.txt").read_text() == "e4"


def test_a_file_that_is_gone_from_the_sources_goes_from_the_team(tmp_path: Path) -> None:
    tree = plant(tmp_path / "tree", CASES["python-package"])
    plant(tree, {"mine/old.py": "x = 1\n"})
    built(tree, RECIPES)
    assert (tmp_path / "teams" / "anna" / "old.py").exists()
    (tree / "mine" / "old.py").unlink()
    built(tree, RECIPES)
    assert not (tmp_path / "teams" / "anna" / "old.py").exists()
    assert (tmp_path / "teams" / "anna" / "team.py").exists()


def test_what_runs_on_python_is_known_by_its_recipe() -> None:
    assert all(runs_on_python(recipe) for recipe in recipes())
    assert [recipe.name for recipe in program_recipes() if runs_on_python(recipe)] == ["program-manifest", "python-program"]
