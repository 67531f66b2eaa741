"""Sources where a command takes teams that play as they lie there: it says how they are built, and that command does it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.intake.making import plant, pool_of_smoke_matches, tank_plugin
from tests.simulator.lent_zygotes import lent_zygotes
from typer import Typer
from typer.testing import CliRunner

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import ALGORITHM
from tiltyard_intake.command.intake import app as intake
from tiltyard_intake.smoke import smoke_match
from tiltyard_matchups.commands.round_robin import app as round_robin
from tiltyard_simulator.registry.finder import Finder
from tiltyard_tournaments.cli.run import app as run
from tiltyard_tournaments.tournament_file.problems import TournamentFileError
from tiltyard_viewer.command.watch import app as watch

RUNNER = CliRunner()
BOT = """
import sys

for line in sys.stdin:
    if line.startswith("Piece"):
        rows = int(line.split()[1])
    print("0 0", flush=True)
"""
BUILD = re.compile(
    r"it holds Python sources \((\S+)\); build it with '(tiltyard intake \S+ --game filler --into (\S+))', then name"
)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, registry: Registry, in_any_test: tuple[str, ...]) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(smoke_match, "CellPool", lambda **_: pool_of_smoke_matches(in_any_test))
    plant(tmp_path, {"bot.py": BOT, "robot/main.py": BOT})
    with lent_zygotes(registry, in_any_test):
        yield tmp_path


def told(app: Typer, *words: str) -> str:
    with pytest.raises(UserError) as caught:
        RUNNER.invoke(app, list(words), catch_exceptions=False)
    return str(caught.value)


@pytest.mark.parametrize(("text", "file"), [("bot.py", "bot.py"), ("robot", "main.py"), ("robot/main.py", "main.py")])
def test_sources_can_be_built_as_the_message_says(text: str, file: str, registry: Registry) -> None:
    match = BUILD.search(told(watch, text, "heat", "--map", "corners"))
    assert match is not None
    assert match[1] == file
    done = RUNNER.invoke(intake, shlex.split(match[2])[2:], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    team = Finder(registry).plugin(match[3], ALGORITHM, "filler")
    assert team.program is not None
    assert RUNNER.invoke(watch, [match[3], "heat", "--map", "corners"], catch_exceptions=False).exit_code == 0


def test_all_commands_say_so_that_take_teams(here: Path, registry: Registry) -> None:
    # A round robin says what is left out of a folder.
    teams = Finder(registry).teams("robot", "filler")
    assert teams.references == []
    assert BUILD.search(teams.left_out[-1])
    assert BUILD.search(told(round_robin, "bot.py", "heat", "--game", "filler", "--map", "corners", "--output", "out"))
    (here / "cup.yaml").write_text("title: Cup\ngame: filler\nteams: [heat, robot, bot.py]\nmaps: [corners]\n")
    with pytest.raises(TournamentFileError) as caught:
        RUNNER.invoke(run, ["cup.yaml"], catch_exceptions=False)
    assert all(BUILD.search(problem.message) for problem in caught.value.problems)


def test_a_class_is_taken_in_as_a_whole(here: Path) -> None:
    plant(here, {"class/ann/main.c": "int main() {}", "class/bob/main.c": "int main() {}"})
    command = "'tiltyard intake class --game filler --into class-built'"
    assert f"it holds the work of several teams; build it with {command}" in told(watch, "class", "heat", "--map", "corners")


def test_what_plays_as_it_lies_there_and_text_have_nothing_to_build(here: Path) -> None:
    plant(here, {"tank.py": tank_plugin("turret"), "notes.txt": "x", "empty/notes.txt": "x"})
    for text in ("tank.py", "notes.txt", "empty"):
        assert "build it with" not in told(watch, text, "heat", "--map", "corners", "--game", "filler")
