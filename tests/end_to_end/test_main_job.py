from __future__ import annotations

import csv
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.conftest import RunCommand, WriteMap

CORRIDOR = ("############", "#1  @     2#", "#     #    #", "#2       1 #", "############")
TEAMS = ["acorn", "bramble"]


@pytest.fixture
def maps(write_map: WriteMap) -> Path:
    """A folder of two small maps."""
    write_map("maps/field.txt")
    return write_map("maps/corridor.txt", rows=CORRIDOR, steps=60).parent


def test_round_robin_of_installed_teams(run_command: RunCommand, maps: Path, tmp_path: Path) -> None:
    done = run_command("tiltyard", "round-robin", *TEAMS, "--maps", str(maps), "-o", "cup", "-v", "-w", "2")
    assert (done.returncode, done.stderr) == (0, "results: cup\n")
    assert all(name in done.stdout for name in (*TEAMS, "Standings", "Crosstable", "field", "corridor"))
    with (tmp_path / "cup" / "games.csv").open() as file:
        games = list(csv.DictReader(file))
    assert [(game["map"], game["player 1"], game["player 2"]) for game in games] == [
        ("corridor", "acorn", "bramble"),
        ("corridor", "bramble", "acorn"),
        ("field", "acorn", "bramble"),
        ("field", "bramble", "acorn"),
    ]
    for game in games:
        stem = f"output_{game['map']}_reference_{game['player 1']}_{game['player 2']}.txt"
        lines = (tmp_path / stem).read_text().splitlines()
        assert len(lines) == int(game["rounds"]) + 1
        assert lines[-1] == game["message"]


def test_competition_by_the_courses_command(run_command: RunCommand, maps: Path, tmp_path: Path) -> None:
    words = ("-competition", "game_maps_folder", "=", str(maps), "game_manager= reference", "algorithms_folder=installed")
    done = run_command("simulator", *words, "num_threads=2")
    assert done.returncode == 0, done.stderr
    (results,) = tmp_path.glob("competition_*.txt")
    lines = results.read_text().splitlines()
    assert lines[:3] == [f"game_maps_folder={maps}", "game_manager=reference", ""]
    scores = [line.split(" ") for line in lines[3:]]
    assert set(TEAMS) <= {name for name, _ in scores}
    assert [int(points) for _, points in scores] == sorted((int(points) for _, points in scores), reverse=True)


def test_comparative_over_all_installed_managers(run_command: RunCommand, maps: Path, tmp_path: Path) -> None:
    words = (f"game_map={maps / 'corridor.txt'}", "game_managers_folder=installed", "algorithm1=acorn", "algorithm2=acorn")
    done = run_command("simulator", "-comparative", *words, "num_threads=2")
    assert done.returncode == 0, done.stderr
    (results,) = tmp_path.glob("comparative_results_*.txt")
    header, *groups = results.read_text().rstrip("\n").split("\n\n")
    assert header.splitlines() == [words[0], *words[2:]]
    for group in groups:
        names, message, rounds, *board = group.split("\n")
        assert re.fullmatch(r"[\w-]+(, [\w-]+)*", names)
        assert message.startswith(("Player ", "Tie, "))
        assert rounds.isdigit()
        assert [len(row) for row in board] == [12] * 5
    assert sum(len(group.split("\n")[0].split(", ")) for group in groups) >= 12


def test_a_new_team_plays_from_its_folder_and_passes_its_own_tests(run_command: RunCommand, maps: Path, tmp_path: Path) -> None:
    assert run_command("tiltyard", "new", "team", "thunder").returncode == 0
    done = run_command("tiltyard", "round-robin", "./thunder", "acorn", "--maps", str(maps), "-o", "cup", "-f", "csv")
    assert done.returncode == 0, done.stderr
    assert ",thunder," in done.stdout
    assert "fault of" not in done.stdout
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    own = subprocess.run(command, cwd=tmp_path / "thunder", capture_output=True, text=True, timeout=60, check=False)
    assert own.returncode == 0, own.stdout
    assert "2 passed" in own.stdout
