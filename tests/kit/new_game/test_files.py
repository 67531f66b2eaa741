"""What ``tiltyard new game`` makes keeps the contract, passes ruff and mypy, and is played at once."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tiltyard_kit.new_game import GameKind, game_template, package_of
from tiltyard_kit.testing import Mark, check_game

IN_OTHER_PROCESSES = ("players in processes", "players in sandboxes", "all in sandboxes")
LONG = "A-game-with-a-name-of-40-characters-4567"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A game of each kind, called after it."""
    folder = tmp_path_factory.mktemp("games")
    for kind in GameKind:
        _make(folder / kind, f"new-{kind}", kind)
    return folder


def _make(folder: Path, name: str, kind: GameKind) -> None:
    for path, text in game_template(name, kind).items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


@pytest.fixture(autouse=True)
def _modules() -> Iterator[None]:
    """Forget the made modules: they are below a folder that another test doesn't have."""
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name.startswith("new_"):
            del sys.modules[name]


def _run(folder: Path, *words: str) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "COV"))}
    command = [sys.executable, "-m", *words]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=250, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_their_own_tests_can_be_run(made: Path) -> None:
    words = ("-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--import-mode=importlib", "--rootdir=.", "--collect-only")
    assert f"{len(GameKind)} tests collected" in _run(made, "pytest", *words, *GameKind)


def test_ruff_finds_nothing_whatever_the_games_are_called(made: Path, tmp_path: Path) -> None:
    for kind in GameKind:
        _make(tmp_path / kind, LONG, kind)
    for folder in (made, tmp_path):
        _run(folder, "ruff", "check", "--no-cache", ".")
        _run(folder, "ruff", "format", "--no-cache", "--check", ".")


def test_mypy_finds_nothing(made: Path) -> None:
    found = [str(path) for kind in GameKind for path in sorted((made / kind / "src").rglob("*.py"))]
    assert "no issues" in _run(made, "mypy", "--strict", "--cache-dir=.mypy", *found)


@pytest.mark.parametrize("kind", GameKind)
def test_it_keeps_the_contract(made: Path, kind: GameKind) -> None:
    # In other processes a game of one kind is played: what differs between the kinds is not there.
    skip = {} if kind is GameKind.TURNS else dict.fromkeys(IN_OTHER_PROCESSES, "one kind is enough")
    outcomes = {outcome.name: outcome.mark for outcome in check_game(made / kind, skip=skip)}
    assert (outcomes["guesses"] is Mark.PASSED) == (kind is GameKind.HIDDEN)


@pytest.mark.parametrize("kind", GameKind)
def test_it_is_short(kind: GameKind) -> None:
    module = game_template("new", kind)["src/new/game.py"]
    assert len([line for line in module.splitlines() if line.strip()]) <= 105


@pytest.mark.parametrize(("name", "package"), [("Connect-Four", "connect_four"), ("go", "go"), ("a.b_c", "a_b_c")])
def test_the_package_is_called_after_the_game(name: str, package: str) -> None:
    assert package_of(name) == package
    assert f"src/{package}/game.py" in game_template(name, GameKind.TURNS)
