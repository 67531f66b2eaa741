"""The Dockerfile, step by step in a scratch folder: no container, but the same files, installation and layout."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from tests.container_files import ROOT, Step, bare_python, copied, inside, run, steps

DOCKERFILE = ROOT / "plugins" / "filler" / "Dockerfile"
KNOWN = {"FROM", "ARG", "RUN", "COPY", "WORKDIR", "CMD"}


@pytest.fixture(scope="module")
def recipe() -> list[Step]:
    return steps(DOCKERFILE.read_text())


@pytest.fixture(scope="module")
def source(recipe: list[Step], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What ``COPY . /src`` brings."""
    assert [step.text for step in recipe if step.name == "COPY"] == [". /src"]
    return copied(DOCKERFILE.with_name("Dockerfile.dockerignore"), tmp_path_factory.mktemp("image") / "src")


@pytest.fixture(scope="module")
def python(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the dependencies of this one, but nothing of the project."""
    return bare_python(tmp_path_factory.mktemp("environment"))


@pytest.fixture(scope="module")
def folder(recipe: list[Step], source: Path, python: Path) -> Path:
    """/filler, after the steps that install and lay out; those that fetch from a distribution's archive are left out."""
    laid_out = source.parent / "filler"
    for step in recipe:
        if step.name == "RUN" and "apt-get" not in step.text:
            for command in step.text.split("&&"):
                run(re.sub(r"(?<= )/(src|filler)", lambda found: str(source.parent / found[1]), command), python)
    return laid_out


def test_the_recipe_is_read(recipe: list[Step]) -> None:
    assert {step.name for step in recipe} <= KNOWN
    assert recipe[0].name == "FROM"
    wanted = json.loads(recipe[-1].text)
    assert [step.text for step in recipe if step.name == "WORKDIR"] == ["/filler"]
    assert wanted == ["/bin/bash"]


def test_the_base_image_has_a_python_that_the_project_takes(recipe: list[Step]) -> None:
    found = re.fullmatch(r"python:3\.(\d+)-slim-bookworm", recipe[0].text)
    needed = re.search(r'requires-python = ">=3\.(\d+)"', (ROOT / "pyproject.toml").read_text())
    assert found is not None
    assert needed is not None
    assert int(found[1]) >= int(needed[1])


def test_what_is_sent_is_what_is_installed(source: Path) -> None:
    assert sorted(path.name for path in source.iterdir()) == [
        "LICENSE", "README.md", "engine", "plugins", "pyproject.toml", "simulator", "tournaments",
    ]  # fmt: skip
    assert [path.name for path in (source / "plugins").iterdir()] == ["filler"]


def test_nothing_of_the_project_is_missing(folder: Path, python: Path) -> None:
    """Only what lies in the image can be installed from it: no archive has the project's own distributions."""
    code = (
        "from importlib.metadata import distributions\n"
        "own = {d.name: d for d in distributions() if d.name.startswith('tiltyard')}\n"
        "print(sorted(own))\n"
        "needs = {r for d in own.values() for r in d.requires or () if r.startswith('tiltyard') and 'extra ==' not in r}\n"
        "print(sorted(r for r in needs if not any(r.startswith(name) for name in own)))\n"
    )
    own, missing = inside(folder, python, "python", "-c", code).stdout.splitlines()
    assert own == "['tiltyard', 'tiltyard-engine', 'tiltyard-filler']"
    assert missing == "[]"


def test_the_folder_is_the_subjects(folder: Path) -> None:
    assert {path.name for path in folder.iterdir()} == {"game_engine", "maps", "robots", "solution"}
    assert {"map00", "map01", "map02"} <= {path.name for path in (folder / "maps").iterdir()}


def test_a_game_runs_in_it_and_can_be_watched(folder: Path, python: Path) -> None:
    shutil.copy2(folder / "robots" / "heat", folder / "solution" / "robot")
    game = ("./game_engine -s 7 -f maps/ribbon -p1 robots/nearest -p2 solution/robot | tiltyard watch - --ascii",)
    done = inside(folder, python, "bash", "-c", *game)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^Player[12] won! \d+ : \d+ cells$", done.stdout, re.MULTILINE)


def test_the_audit_runs_in_it(folder: Path, python: Path) -> None:
    command = "tiltyard audit filler robots/voronoi --opponents robots/nearest --map maps/ribbon"
    done = inside(folder, python, *command.split())
    assert done.stdout.startswith("Audit of robots/voronoi: 5 games")
    assert done.returncode in (0, 1), done.stderr
