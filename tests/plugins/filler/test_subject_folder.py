"""The subject's folder: laid out, and played in as the subject says."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tiltyard_filler.subject_folder import lay_out, main


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("filler")
    lay_out(folder)
    return folder


def play(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["./game_engine", *words], cwd=folder, capture_output=True, text=True, check=False, timeout=120)


def test_it_has_what_the_subject_has(folder: Path) -> None:
    assert {path.name for path in folder.iterdir()} == {"game_engine", "maps", "robots", "solution"}
    assert {"map00", "map01", "map02"} <= {path.name for path in (folder / "maps").iterdir()}
    assert {path.name for path in (folder / "robots").iterdir()} == {"champion", "heat", "nearest", "voronoi"}


def test_two_of_its_robots_play(folder: Path) -> None:
    done = play(folder, "-q", "-s", "7", "-f", "maps/map00", "-p1", "robots/heat", "-p2", "robots/voronoi")
    assert done.returncode == 0
    assert done.stdout.startswith("$$$ exec p1 : [robots/heat]\n$$$ exec p2 : [robots/voronoi]\nseed: 7\n")
    assert re.search(r"^Player[12] won!$", done.stdout, re.MULTILINE)


def test_laid_out_again_it_keeps_the_solution(folder: Path) -> None:
    (folder / "solution" / "robot").write_text("mine")
    lay_out(folder)
    assert (folder / "solution" / "robot").read_text() == "mine"


def test_the_command_says_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "new")]) == 0
    (tmp_path / "file").touch()
    assert main([str(tmp_path / "file")]) == 2
    assert "file/maps: Not a directory" in capsys.readouterr().err
    assert main([]) == 2
