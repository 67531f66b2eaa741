from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.conftest import WriteMap
from typer.testing import CliRunner

from tiltyard_engine.errors import UserError
from tiltyard_matchups.commands.competition import app

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


@pytest.mark.parametrize(
    ("words", "points"),
    [
        ([], "idler,7\ncrasher,1\n"),
        (["forfeit"], "idler,7\ncrasher,1\n"),
        (["idle"], "crasher,3\nidler,3\n"),
        (["void"], "crasher,1\nidler,1\n"),
    ],
)
def test_what_a_crash_means(
    words: list[str], points: str, tmp_path: Path, write_map: WriteMap, programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two maps on which the crasher crashes in round 3, and one that ends before."""
    monkeypatch.chdir(tmp_path)
    for name, steps in (("a", 9), ("b", 2), ("c", 9)):
        write_map(f"maps/{name}.txt", steps=steps, shells=0)
    (tmp_path / "teams").mkdir()
    for name, kept in (("sound", "idler"), ("faulty", "crasher")):
        text = (programs / "teams" / f"{name}.py").read_text()
        lines = [line for line in text.splitlines() if "yield TankTeam" not in line or f'"{kept}"' in line]
        (tmp_path / "teams" / f"{name}.py").write_text("\n".join(lines) + "\n")
    options = ["--on-crash", *words] if words else []
    done = RUNNER.invoke(app, ["--maps", "maps", "-a", "teams", "-w", "1", "-f", "csv", "--isolation", "inline", *options])
    assert done.exit_code == 0, done.exception
    assert done.stdout == f"algorithm,points\n{points}"


def test_a_map_file_is_no_folder(write_map: WriteMap) -> None:
    done = RUNNER.invoke(app, ["--maps", str(write_map())])
    assert isinstance(done.exception, UserError)
    assert "not a folder" in str(done.exception)
