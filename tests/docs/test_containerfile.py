"""The container file for organisers: what it copies is all that it installs, and what it installs works."""

from __future__ import annotations

import ast
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import dev
import pytest
from release.builds import wheels_of
from tests.container_files import LONG, ROOT, Step, bare_python, copied, inside, steps

CONTAINERFILE = ROOT / "docs" / "examples" / "Containerfile"
PACKAGES = {"go": "golang-go", "mcs": "mono-mcs", "dotnet": "", "python3": "", "mkdir": ""}
"""Debian's packages of tools that have another name; Debian has no .NET, and the image has Python."""


@pytest.fixture(scope="module")
def recipe() -> list[Step]:
    return steps(CONTAINERFILE.read_text())


@pytest.fixture(scope="module")
def installed(recipe: list[Step]) -> list[str]:
    """What its pip is to install."""
    (line,) = [command for step in recipe if step.name == "RUN" for command in step.text.split("&&") if "pip install" in command]
    return [word for word in shlex.split(line)[2:] if not word.startswith("-")]


def test_the_recipe_is_read(recipe: list[Step]) -> None:
    assert {step.name for step in recipe} <= {"FROM", "ARG", "RUN", "COPY", "USER", "WORKDIR", "CMD"}
    assert re.fullmatch(r"python:3\.1[1-9]-slim-bookworm", recipe[0].text)
    assert [step.text for step in recipe if step.name in {"COPY", "USER", "WORKDIR"}] == [". /src", "organiser", "/cup"]
    assert json.loads(recipe[-1].text) == ["tiltyard", "doctor"]


def test_all_compilers_of_recipes_are_in_it(recipe: list[Step]) -> None:
    files = [*ROOT.glob("simulator/tiltyard_intake/recipes/*.py"), *ROOT.glob("plugins/*/*/recipes.py")]
    calls = [node for path in files for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.keyword)]
    tools = {str(node.value.value) for node in calls if node.arg == "tool" and isinstance(node.value, ast.Constant)}
    assert {"g++", "gcc", "cargo"} <= tools
    (languages,) = [step.text for step in recipe if step.name == "ARG"]
    assert {PACKAGES.get(tool, tool) for tool in tools} - {""} <= set(re.split(r'[ "]', languages))


def test_it_installs_every_distribution_but_the_optional_ones(installed: list[str], tmp_path: Path) -> None:
    source = copied(CONTAINERFILE.with_name("Containerfile.dockerignore"), tmp_path / "src")
    folders = {path.relative_to(source).as_posix() for path in (found.parent for found in source.rglob("pyproject.toml"))}
    assert folders == {room.relative_to(ROOT).as_posix() for room in dev.rooms()}
    assert {Path("src", re.sub(r"^/src/?|\[.*\]$", "", word)).as_posix() for word in installed} == {
        Path("src", folder).as_posix() for folder in folders
    }
    python = bare_python(tmp_path)
    # As pip would build them, but by one process that has imported the backend.
    (tmp_path / "wheels").mkdir()
    wheels = wheels_of([source / re.sub(r"^/src/?|\[.*\]$", "", word) for word in installed], tmp_path / "wheels")
    uv = [sys.executable, "-m", "uv", "--quiet", "--offline", "pip", "install", "--python", str(python), "--no-deps"]
    uv += ["--no-index", *map(str, wheels)]
    done = subprocess.run(uv, capture_output=True, text=True, check=False, timeout=LONG)
    assert done.returncode == 0, done.stderr
    plugins = inside(tmp_path, python, "tiltyard", "plugins", "--format", "json")
    assert plugins.returncode == 0, plugins.stderr
    found = json.loads(plugins.stdout)
    assert {row["status"] for row in found} == {"ok"}
    assert {"acorn", "dragoon", "heat", "penguins-champion"} <= {row["name"] for row in found}
