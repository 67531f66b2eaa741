"""``tiltyard intake`` as people type it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.conftest import RunCommand
from tests.simulator.intake.making import plant, tank_plugin

WORDS = ("intake", "--game", "tanks")


@pytest.fixture
def handed_in(tmp_path: Path) -> Path:
    return plant(tmp_path / "handed-in", {"ann/bot.py": tank_plugin("tank"), "ben/notes.txt": "To do: a team."})


def test_the_outputs_may_lie_in_the_download(handed_in: Path, run_command: RunCommand) -> None:
    for folders in ((), ("--into", "cup/teams"), ()):
        done = run_command("tiltyard", *WORDS, ".", *folders, cwd=handed_in)
        assert done.returncode == 0, done.stderr
        assert "2 handed in: 1 plays, 1 not recognised" in done.stdout
    assert (handed_in / "teams" / "ann.py").is_file()
    assert (handed_in / "cup" / "teams.intake" / "report.html").is_file()


def test_the_folder_of_teams_may_be_the_current_one(handed_in: Path, tmp_path: Path, run_command: RunCommand) -> None:
    (tmp_path / "cup").mkdir()
    done = run_command("tiltyard", *WORDS, "../handed-in", "--into", ".", cwd=tmp_path / "cup")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "cup" / "ann.py").is_file()
    assert (tmp_path / "cup.intake" / "report.html").is_file()


def test_a_folder_of_which_nobody_becomes_a_team_is_not_well(handed_in: Path, run_command: RunCommand) -> None:
    done = run_command("tiltyard", *WORDS, "../handed-in/ben", "--dry-run", cwd=handed_in)
    assert done.returncode == 2
    assert "not recognised" in done.stdout
    assert "nothing in ../handed-in/ben was recognised as a team of tanks" in done.stderr
