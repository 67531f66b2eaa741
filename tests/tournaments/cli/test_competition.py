from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.conftest import WriteMap
from typer.testing import CliRunner

from tiltyard_engine.errors import UserError
from tiltyard_tournaments.cli.competition import app

RUNNER = CliRunner()


def test_plays_and_writes(tmp_path: Path, write_map: WriteMap, programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_map("maps/a.txt")
    (tmp_path / "teams").mkdir()
    shutil.copy(programs / "teams" / "sound.py", tmp_path / "teams")
    done = RUNNER.invoke(app, ["--maps", "maps", "-a", "teams", "-w", "1", "-f", "csv"])
    assert done.exit_code == 0
    assert done.stdout == "algorithm,points\nshooter,6\nidler,1\nspinner,1\n"
    (results,) = (tmp_path / "teams").glob("competition_*.txt")
    assert results.read_text() == "game_maps_folder=maps\ngame_manager=reference\n\nshooter 6\nidler 1\nspinner 1\n"


def test_a_map_file_is_no_folder(write_map: WriteMap) -> None:
    done = RUNNER.invoke(app, ["--maps", str(write_map())])
    assert isinstance(done.exception, UserError)
    assert "not a folder" in str(done.exception)
