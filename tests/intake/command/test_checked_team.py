"""``tiltyard check`` of archives and sources: they are built, and what cannot be built is said with the intake's sentences."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from tests.intake.making import need, plant, tank_plugin
from typer.testing import CliRunner

from tiltyard_checks.command.check import app
from tiltyard_checks.team import subjects
from tiltyard_checks.team.steps import StepMark
from tiltyard_checks.team.subjects import CheckOptions
from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Registry
from tiltyard_intake.command.checked_team import find_or_build
from tiltyard_simulator.registry.finder import Finder

RUNNER = CliRunner()


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TILTYARD_CACHE", str(tmp_path / "cache"))
    return tmp_path


def test_an_archive_is_built_and_found_for_the_game_that_it_tells(here: Path, registry: Registry) -> None:
    with zipfile.ZipFile(here / "anna.zip", "w") as archive:
        archive.writestr("anna/tank.py", tank_plugin("turret"))
        archive.writestr("anna/.DS_Store", "")
    team, (built, found) = find_or_build(CheckOptions("anna.zip"), Finder(registry))
    assert (built.name, built.mark) == ("built", StepMark.OK)
    assert built.detail.startswith("holds Python sources (tank.py): by python-file from its Python file, ")
    assert (found.name, found.mark) == ("found", StepMark.OK)
    assert team is not None
    assert (team.name, team.game) == ("turret", "tanks")


def test_without_the_intake_nothing_is_built(here: Path, registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subjects, "host_value", lambda group: None)
    plant(here, {"tank.py": tank_plugin("turret")})
    with zipfile.ZipFile(here / "anna.zip", "w") as archive:
        archive.writestr("anna/tank.py", tank_plugin("turret"))
    team, (step,) = subjects.find_or_build(CheckOptions("tank.py"), Finder(registry))
    assert team is not None
    assert step.name == "found"
    with pytest.raises(UserError, match=r"anna\.zip"):
        subjects.find_or_build(CheckOptions("anna.zip"), Finder(registry))
    assert not (here / "cache").exists()


def test_what_plays_as_it_is_is_only_found(here: Path, registry: Registry) -> None:
    plant(here, {"tank.py": tank_plugin("turret"), "broken/bot.py": "import tiltyard_engine\nraise ValueError('no')\n"})
    team, (step,) = find_or_build(CheckOptions("tank.py"), Finder(registry))
    assert team is not None
    assert step.name == "found"
    # Its own error says more than a build.
    team, (step,) = find_or_build(CheckOptions("broken"), Finder(registry))
    assert (team, step.name, step.mark) == (None, "found", StepMark.FAILED)
    assert "ValueError: no" in step.traceback
    assert not (here / "cache").exists()


def test_a_folder_that_does_not_build(here: Path) -> None:
    need("gcc")
    plant(here / "robot", {"main.c": "int main(void) {\n    return x;\n}\n"})
    done = RUNNER.invoke(app, ["robot", "--game", "filler"])
    assert done.exit_code == 1
    lines = done.stdout.splitlines()
    assert lines[0] == "FAILED   built          doesn't build: main.c:2: 'x' undeclared (first use in this function)"
    assert "         | gcc exited with code 1" in lines
    assert lines[-1] == "robot: FAILED: built"


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("empty.zip", b"", "empty.zip: is empty: the upload was cut off, or nothing was in it; send it again"),
        ("text.zip", b"text", "text.zip: is not an archive, though its name says so; send a zip"),
        ("out.zip", None, "out.zip: contains a path that leads out of it (../out.py); zip the folder itself"),
    ],
)
def test_archives_that_cannot_be_opened(name: str, data: bytes | None, sentence: str, here: Path) -> None:
    if data is None:
        with zipfile.ZipFile(here / name, "w") as archive:
            archive.writestr("../out.py", "")
    else:
        (here / name).write_bytes(data)
    done = RUNNER.invoke(app, [name, "--json"])
    assert done.exit_code == 1
    (step,) = json.loads(done.stdout)["steps"]
    assert (step["step"], step["mark"], step["detail"]) == ("built", "FAILED", f"can't be opened: {sentence}")
    assert [path.name for path in here.iterdir()] == [name]


def test_a_class_is_no_team(here: Path) -> None:
    plant(here / "class", {"ann/bot.c": "int main(void) {}", "ben/bot.c": "int main(void) {}"})
    done = RUNNER.invoke(app, ["class", "--game", "filler"])
    assert isinstance(done.exception, UserError)
    assert str(done.exception).startswith("class: contains the work of several teams; run 'tiltyard intake'")


def test_a_file_of_python_may_be_a_program(here: Path, registry: Registry) -> None:
    plant(here, {"bot.py": "print(1)\n"})
    team, steps = find_or_build(CheckOptions("bot.py", game="filler"), Finder(registry))
    assert team is not None
    assert (team.name, team.game, [step.name for step in steps]) == ("bot", "filler", ["built", "found"])
    for options in (CheckOptions("bot.py", game="tanks"), CheckOptions("bot.py")):
        team, (step,) = find_or_build(options, Finder(registry))
        assert team is None
        assert "no function is marked @hookimpl" in step.detail


def test_a_team_for_another_game_is_told_by_the_name_that_was_typed(here: Path, registry: Registry) -> None:
    plant(here, {"anna/tank.py": tank_plugin("turret")})
    with pytest.raises(UserError, match=r"^anna: contributes no algorithm for filler; 'turret' is for tanks$"):
        find_or_build(CheckOptions("anna", game="filler"), Finder(registry))
