"""``tiltyard`` alone: what lies in the folder, and the commands for it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.conftest import RunCommand
from typer.testing import CliRunner

from tiltyard_kit_commands.new import app as new
from tiltyard_tournaments.cli.next_steps import next_steps
from tiltyard_tournaments.cli.start import LazyGroup

CUP = "title: Cup\ngame: tanks\nteams: [acorn, bramble]\nmaps: [narrow-pass]\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current one, empty."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def commands() -> list[str]:
    """All that is proposed here, without what each does."""
    found = [line.strip().split("  ")[0] for line in next_steps(Path()).splitlines() if line.startswith("  ")]
    assert all(command.split()[0] == "tiltyard" and command.split()[1] in (*LazyGroup.order, "check-game") for command in found)
    return found


def test_where_nothing_is(run_command: RunCommand) -> None:
    done = run_command("tiltyard")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == next_steps(Path()) + "\n"
    assert "tiltyard demo" in commands()
    assert "tiltyard --help" in done.stdout
    assert done.stdout.endswith("Type: tiltyard demo\n")


def test_other_peoples_files_are_nothing(folder: Path) -> None:
    (folder / "docker-compose.yaml").write_text("services: {}\nversion: 3\n")
    (folder / "broken.yaml").write_bytes(b"\xff\xfe\x00")
    (folder / "pyproject.toml").write_text("[project]\nname = 'tiltyard'\n[project.entry-points.tiltyard]\na = 'b'\n")
    (folder / "gone.py").symlink_to("nowhere")
    assert commands()[0] == "tiltyard demo"


def test_a_tournament_before_and_after_it_was_played(folder: Path) -> None:
    (folder / "cup.yaml").write_text(CUP)
    (folder / "my cup.yaml").write_text(CUP + "output: 'res'  # here\n")
    (folder / "res").mkdir()
    (folder / "res" / "tournament.sqlite").touch()
    assert commands() == [
        "tiltyard plan cup.yaml",
        "tiltyard run cup.yaml",
        *[f"tiltyard {name} 'my cup.yaml'" for name in ("status", "standings", "run", "publish", "serve")],
    ]


def test_inside_the_folder_of_results(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "cup.yaml").write_text(CUP)
    (folder / "cup").mkdir()
    (folder / "cup" / "tournament.sqlite").touch()
    monkeypatch.chdir(folder / "cup")
    assert commands()[0] == "tiltyard status ../cup.yaml"


def test_many_tournaments_are_not_all_told(folder: Path) -> None:
    for number in range(5):
        (folder / f"cup-{number}.yaml").write_text(CUP)
    assert len(commands()) == 6
    assert "There are 2 more tournaments here." in next_steps(Path())


def test_what_new_makes_is_known(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tiltyard_kit_commands.first_file.TRIALS", 1)
    for words in (["team", "thunder"], ["game", "pebbles"], ["tournament", "cup.yaml"], ["league", "course"]):
        assert CliRunner().invoke(new, words).exit_code == 0
    assert commands() == [
        "tiltyard plan cup.yaml",
        "tiltyard run cup.yaml",
        "tiltyard league roster ./course students.csv",
        "tiltyard league serve ./course",
        "tiltyard check-game ./pebbles --trust ./pebbles",
        "tiltyard round-robin --game pebbles --trust ./pebbles",
        "tiltyard new tournament cup.yaml --game pebbles --trust ./pebbles",
        "tiltyard check ./thunder",
        "tiltyard round-robin ./thunder installed",
    ]


def test_a_team_s_own_folder_a_program_and_a_file(folder: Path, programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "bot").mkdir()
    (folder / "bot" / "program.toml").write_text('name = "fast"\ngame = "filler"\ncommand = ["./bot"]\n')
    (folder / "mine.py").write_text((programs / "rival" / "rival.py").read_text())
    text = next_steps(Path())
    assert "./bot is the team fast:" in text
    assert "mine.py is the team mine:" in text
    monkeypatch.chdir(folder / "bot")
    assert commands()[0] == "tiltyard check ."


def test_what_was_handed_in(folder: Path) -> None:
    (folder / "moodle.zip").touch()
    assert commands() == ["tiltyard intake moodle.zip --game GAME"]
    (folder / "late.tar.gz").touch()
    assert commands() == ["tiltyard intake . --game GAME"]
    (folder / "teams").mkdir()
    (folder / "teams.intake").mkdir()
    assert commands()[0] == "tiltyard new tournament cup.yaml --game GAME --teams teams/"


def test_the_version_is_one_line(run_command: RunCommand) -> None:
    done = run_command("tiltyard", "--version")
    assert re.fullmatch(r"tiltyard \d+\.\d+\S*, Python 3\.\d+\.\d+\S*\n", done.stdout)
