"""``tiltyard new game``, as ``tiltyard new`` finds it."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tiltyard_kit_commands.new import app

RUNNER = CliRunner()


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_makes_a_game_that_says_how_to_play_it(tmp_path: Path) -> None:
    done = RUNNER.invoke(app, ["game", "Connect-Four"])
    assert done.exit_code == 0, done.exception
    assert "  tiltyard round-robin Connect-Four-random Connect-Four-greedy --trust ./Connect-Four\n" in done.stdout
    assert "  tiltyard play Connect-Four --trust ./Connect-Four\n" in done.stdout
    project = tomllib.loads((tmp_path / "Connect-Four" / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["tiltyard"] == {"Connect-Four": "connect_four.game"}


@pytest.mark.parametrize(("name", "why"), [("a b", "at most 40"), ("tests", "is taken"), ("tanks", "is installed already")])
def test_names_that_no_game_can_have_are_refused(tmp_path: Path, name: str, why: str) -> None:
    done = RUNNER.invoke(app, ["game", name])
    assert why in str(done.exception)
    assert list(tmp_path.iterdir()) == []


def test_the_kinds_are_explained_and_no_other_is_taken(tmp_path: Path) -> None:
    shown = RUNNER.invoke(app, ["game", "--help"], env={"COLUMNS": "200"}).stdout
    assert "dice, from the seed of the match" in " ".join(shown.split())
    assert RUNNER.invoke(app, ["game", "mine", "--kind", "chess"]).exit_code == 2
    assert list(tmp_path.iterdir()) == []
