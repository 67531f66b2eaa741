"""The Dockerfile, step by step in a scratch folder: no container, but the same files, installation and layout."""

from __future__ import annotations

import fnmatch
import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
DOCKERFILE = ROOT / "plugins" / "filler" / "Dockerfile"
KNOWN = {"FROM", "ARG", "RUN", "COPY", "WORKDIR", "CMD"}
LONG = 300.0
"""Seconds after which a step gives up: far beyond what a busy machine needs."""


@dataclass(frozen=True)
class Step:
    """An instruction and what follows it."""

    name: str
    text: str


def steps(text: str) -> list[Step]:
    """The instructions; lines that end in a backslash go on."""
    joined = re.sub(r"\\\n\s*", " ", re.sub(r"^\s*#.*\n", "", text, flags=re.MULTILINE))
    return [Step(*line.split(" ", 1)) for line in joined.splitlines() if line.strip()]


def sent(ignored: str) -> list[Path]:
    """The files that Docker is sent: each line of ``.dockerignore`` leaves out, or with ``!`` lets in, and the last one counts."""
    rules = ignored.split()[ignored.split().index("*") :]
    roots = [ROOT / rule[1:] for rule in rules if rule.startswith("!")]
    files = [path for root in roots for path in (root.rglob("*") if root.is_dir() else [root]) if path.is_file()]
    return [path.relative_to(ROOT) for path in files if not _is_left_out(path.relative_to(ROOT), rules)]


def _is_left_out(path: Path, rules: list[str]) -> bool:
    """A rule is about a path if it matches it or a folder above it; ``**/`` stands for any folders."""
    above = [path, *path.parents][:-1]
    left_out = False
    for rule in rules:
        pattern = rule.removeprefix("!")
        names = [one.name for one in above] if pattern.startswith("**/") else [str(one) for one in above]
        if any(fnmatch.fnmatchcase(name, pattern.removeprefix("**/")) for name in names):
            left_out = not rule.startswith("!")
    return left_out


@pytest.fixture(scope="module")
def recipe() -> list[Step]:
    return steps(DOCKERFILE.read_text())


@pytest.fixture(scope="module")
def source(recipe: list[Step], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What ``COPY . /src`` brings."""
    assert [step.text for step in recipe if step.name == "COPY"] == [". /src"]
    folder = tmp_path_factory.mktemp("image") / "src"
    for path in sent(DOCKERFILE.with_name("Dockerfile.dockerignore").read_text()):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / path, folder / path)
    return folder


@pytest.fixture(scope="module")
def python(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the dependencies of this one, but nothing of the project."""
    for needed in ("pip", "hatchling"):
        if importlib.util.find_spec(needed) is None:
            pytest.skip(f"{needed} is not installed here")
    folder = tmp_path_factory.mktemp("environment")
    dependencies = folder / "dependencies"
    dependencies.mkdir()
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if not entry.name.startswith(("tiltyard", "_editable", "__pycache__")) and entry.suffix != ".pth":
            (dependencies / entry.name).symlink_to(entry)
    venv.create(folder / "venv", symlinks=True)
    made = folder / "venv" / "bin" / "python"
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = subprocess.run([made, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    (Path(packages) / "dependencies.pth").write_text(f"{dependencies}\n")
    return made


@pytest.fixture(scope="module")
def folder(recipe: list[Step], source: Path, python: Path) -> Path:
    """/filler, after the steps that install and lay out; those that fetch from a distribution's archive are left out."""
    laid_out = source.parent / "filler"
    for step in recipe:
        if step.name == "RUN" and "apt-get" not in step.text:
            for command in step.text.split("&&"):
                run(re.sub(r"(?<= )/(src|filler)", lambda found: str(source.parent / found[1]), command), python)
    return laid_out


def run(command: str, python: Path) -> None:
    """A command of the image, with this environment's Python and without a network."""
    words = shlex.split(command)
    if words[0] == "rm":
        return
    if words[0] == "pip":
        words = [
            "python",
            "-m",
            *words,
            "--no-build-isolation",
            "--no-deps",
            "--no-index",
            "--quiet",
            "--disable-pip-version-check",
        ]
    assert words[0] == "python", command
    done = subprocess.run([python, *words[1:]], capture_output=True, text=True, check=False, timeout=LONG)
    assert done.returncode == 0, f"{command}: {done.stderr}"


def inside(folder: Path, python: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A command as one types it in the container."""
    environment = {"PATH": f"{python.parent}{os.pathsep}{os.defpath}", "HOME": str(folder), "LANG": "C.UTF-8"}
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=LONG)


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
    game = ("./game_engine -s 7 -f maps/map00 -p1 robots/nearest -p2 solution/robot | tiltyard watch - --ascii",)
    done = inside(folder, python, "bash", "-c", *game)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^Player[12] won! \d+ : \d+ cells$", done.stdout, re.MULTILINE)


def test_the_audit_runs_in_it(folder: Path, python: Path) -> None:
    command = "tiltyard audit filler robots/voronoi --opponents robots/nearest --map maps/ribbon"
    done = inside(folder, python, *command.split())
    assert done.stdout.startswith("Audit of robots/voronoi: 5 games")
    assert done.returncode in (0, 1), done.stderr
