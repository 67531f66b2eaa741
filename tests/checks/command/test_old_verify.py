"""``tiltyard verify`` of algorithms and fault folders: it still takes them, and names the commands that do."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from tests.conftest import WriteMap
from tests.engine.making import team_source
from typer.testing import CliRunner

from tiltyard_checks.command.verify import INSTEAD_OF_ALGORITHMS, INSTEAD_OF_FOLDERS, app
from tiltyard_engine.errors import UserError
from tiltyard_matchups.commands.round_robin import app as round_robin

RUNNER = CliRunner()

TURNS = "[ActionRequest.ROTATE_LEFT_45, ActionRequest.ROTATE_RIGHT_45, ActionRequest.DO_NOTHING]"
CHANCY = "import random\n" + team_source("chancy", action=f"return random.choice({TURNS})")


@pytest.fixture
def folder(tmp_path: Path, write_map: WriteMap, programs: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_map("duel.txt", rows=("          ", " 1   #  2 ", "          "))
    for name in ("sound.py", "faulty.py"):
        shutil.copy(programs / "teams" / name, tmp_path)
    (tmp_path / "chancy.py").write_text(CHANCY)
    return tmp_path


@pytest.mark.usefixtures("inline")
def test_the_same_every_time(folder: Path) -> None:
    done = RUNNER.invoke(app, ["sound.py:idler", "sound.py:spinner", "--maps", "duel.txt", "-n", "3", "-w", "1"])
    assert done.exit_code == 0
    assert done.stdout.endswith("\n2 of 2 matches were the same in 3 runs\n")
    assert "duel   idler - spinner  ok" in done.stdout
    assert done.stderr == f"{INSTEAD_OF_ALGORITHMS}\n"


def test_the_help_shows_tournaments_alone() -> None:
    shown = RUNNER.invoke(app, ["--help"]).stdout
    assert "--sample" in shown
    assert all(word not in shown for word in ("--times", "--maps", "--manager", "--players", "--limit", "ALGORITHMS", "FOLDERS"))


@pytest.mark.usefixtures("inline")
def test_chance(folder: Path) -> None:
    words = ["sound.py:idler", "chancy.py", "sound.py:spinner", "--maps", "duel.txt", "-w", "2"]
    done = RUNNER.invoke(app, words)
    assert done.exit_code == 1
    assert "chancy (player 2)" in done.stdout
    assert "run 1 and run 2 first differ in round " in done.stdout
    assert "1 more are only in the table" in done.stdout
    assert done.stdout.endswith("\n2 of 6 matches were the same in 2 runs\n")


@pytest.mark.usefixtures("inline")
def test_for_programs(folder: Path) -> None:
    done = RUNNER.invoke(app, ["sound.py:idler", "chancy.py", "--maps", "duel.txt", "-w", "1", "-f", "json"])
    assert done.exit_code == 1
    assert [(row["verdict"], row["likely"]) for row in json.loads(done.stdout)] == [
        ("differs", "chancy (player 2)"),
        ("differs", "chancy (player 1)"),
    ]


def test_folders_of_faults(folder: Path) -> None:
    words = ["sound.py:idler", "faulty.py:crasher", "--maps", "duel.txt", "-w", "1", "-o", "cup"]
    assert RUNNER.invoke(round_robin, words).exit_code == 0
    folders = [str(path) for path in sorted((folder / "cup" / "faults").iterdir())]
    done = RUNNER.invoke(app, [*folders, "-w", "1"])
    assert done.exit_code == 0
    assert "2 of 2 matches were the same" in done.stdout
    assert done.stderr == f"{INSTEAD_OF_FOLDERS}\n"
    with pytest.raises(UserError, match="can't be mixed"):
        RUNNER.invoke(app, [*folders, "acorn"], catch_exceptions=False)
    with pytest.raises(UserError, match="leave --maps, --isolation and --limit out"):
        RUNNER.invoke(app, [*folders, "--maps", "duel.txt"], catch_exceptions=False)


@pytest.mark.usefixtures("inline")
def test_mistakes(folder: Path) -> None:
    with pytest.raises(UserError, match="needs at least 2"):
        RUNNER.invoke(app, ["chancy.py", "--maps", "duel.txt"], catch_exceptions=False)
    assert RUNNER.invoke(app, ["sound.py", "--times", "1"]).exit_code == 2
