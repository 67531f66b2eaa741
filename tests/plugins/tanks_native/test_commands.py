"""Compiled files under the commands: the simulator's two modes, a check, the list of plugins, a tournament, a fault's folder."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.conftest import RunCommand
from tests.plugins.tanks_native.compiled import BOARD, Files

from tiltyard_tanks.maps import write_map

pytestmark = pytest.mark.usefixtures("library", "program")


@pytest.fixture
def folder(files: Files) -> Path:
    """Where the commands run: a map, two algorithms, and folders of files."""
    (files.folder / "board.txt").write_text(write_map(BOARD))
    for name in ("managers", "algorithms"):
        (files.folder / name).mkdir()
    for word in ("script_1", "script_2"):
        files.algorithm(word).rename(files.folder / "algorithms" / f"Algorithm_{word}.so")
    return files.folder


def managers(files: Files, *words: str) -> None:
    for word in words:
        files.manager(word).rename(files.folder / "managers" / f"GameManager_{word}.so")


@pytest.mark.usefixtures("inline")
def test_comparative_mode_groups_compiled_managers(files: Files, folder: Path, run_command: RunCommand) -> None:
    managers(files, "good", "swallows", "zero_based", "throws", "segv")
    files.named("GameManager_broken.so", "missing_source").rename(folder / "managers" / "GameManager_broken.so")
    done = run_command(
        "simulator",
        "-comparative",
        "game_map=board.txt",
        "game_managers_folder=managers",
        "algorithm1=algorithms/Algorithm_script_1.so",
        "algorithm2=algorithms/Algorithm_script_2.so",
    )
    assert done.returncode == 0, done.stderr
    assert "left out: managers/GameManager_broken.so" in done.stderr
    assert "undefined symbol" in done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    (written,) = (folder / "managers").glob("comparative_results_*.txt")
    _, *groups = written.read_text().split("\n\n")
    by_name = {group.splitlines()[0]: group.splitlines() for group in groups}
    assert set(by_name) == {
        "GameManager_good, GameManager_swallows",
        "GameManager_segv",
        "GameManager_throws",
        "GameManager_zero_based",
    }
    assert groups[0].startswith("GameManager_good, GameManager_swallows\n"), "the largest group comes first"
    assert "SIGSEGV" in by_name["GameManager_segv"][1]
    assert "run() raised" in by_name["GameManager_throws"][1]
    assert "GameManager_good and GameManager_zero_based" in done.stdout


def test_comparative_mode_compares_results_before_they_are_corrected(
    files: Files, folder: Path, run_command: RunCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of these played to the last round, so each would have the same result if it were first corrected."""
    managers(files, "good", "zero_based", "short_remaining", "zero_remaining", "null_state", "swallows", "state_transposed")
    (folder / "board.txt").write_text(write_map(replace(BOARD, max_steps=3)))
    words = ("comparative", "board.txt", "algorithms/Algorithm_script_1.so", "algorithms/Algorithm_script_2.so", "-m", "managers")
    seen = []
    for isolation in ("inline", "process"):
        monkeypatch.setenv("TILTYARD_ISOLATION", isolation)
        done = run_command("tiltyard", *words, "--format", "csv", "--explain", "none")
        assert done.returncode == 0, done.stderr
        seen.append(done.stdout)
    assert seen[0] == seen[1]
    rows = [row[1:] for row in csv.reader(seen[0].splitlines())][1:]
    tie = "Tie, reached max steps = 3, player 1 has 2 tanks, player 2 has 2 tanks"
    assert rows == [
        ["3", tie, "3", "GameManager_good, GameManager_state_transposed, GameManager_swallows"],
        ["1", tie, "3", "GameManager_null_state"],
        ["1", tie, "3", "GameManager_short_remaining"],
        ["1", tie, "2", "GameManager_zero_based"],
        ["1", tie, "3", "GameManager_zero_remaining"],
    ]
    told = [line for line in done.stderr.splitlines() if line.startswith(("note on", "groups"))]
    assert told == [
        "note on GameManager GameManager_state_transposed: gameState is indexed by y before x, and was read that way",
        "note on GameManager GameManager_null_state: gameState is null: no final board",
        "note on GameManager GameManager_short_remaining: remaining_tanks has length 1, not 2: counted on the final board",
        "note on GameManager GameManager_zero_based: rounds is 2, but all 3 were played: read as 3",
        "note on GameManager GameManager_zero_remaining: remaining_tanks is {0, 0}: counted on the final board",
        "groups 1 and 2 differ in final board",
        "groups 1 and 3 differ in remaining tanks: 2, 2 and 1",
        "groups 1 and 5 differ in remaining tanks: 2, 2 and 0, 0",
    ]


@pytest.mark.parametrize("isolation", ["inline", "sandbox"])
def test_a_compiled_manager_that_plays_a_round_more_differs_in_the_length_alone(
    files: Files, folder: Path, run_command: RunCommand, monkeypatch: pytest.MonkeyPatch, isolation: str
) -> None:
    managers(files, "good", "a_round_more")
    (folder / "board.txt").write_text(write_map(replace(BOARD, max_steps=3)))
    monkeypatch.setenv("TILTYARD_ISOLATION", isolation)
    words = ("comparative", "board.txt", "algorithms/Algorithm_script_1.so", "algorithms/Algorithm_script_2.so", "-m", "managers")
    done = run_command("tiltyard", *words)
    assert done.returncode == 0, done.stderr
    assert "first differ in round 4: length of the match" in done.stdout


def test_competition_mode_of_compiled_files_alone(
    files: Files, folder: Path, run_command: RunCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    managers(files, "good")
    (folder / "maps").mkdir()
    (folder / "board.txt").rename(folder / "maps" / "board.txt")
    scores: list[str] = []
    for isolation in ("inline", "sandbox"):
        monkeypatch.setenv("TILTYARD_ISOLATION", isolation)
        done = run_command(
            "simulator",
            "-competition",
            "game_maps_folder=maps",
            "game_manager=managers/GameManager_good.so",
            "algorithms_folder=algorithms",
        )
        assert done.returncode == 0, done.stderr
        (written,) = (folder / "algorithms").glob("competition_*.txt")
        scores.append(written.read_text())
        written.unlink()
    assert scores[0] == scores[1]
    assert "Algorithm_script_1 " in scores[0]


def test_a_check_and_the_list(files: Files, folder: Path, run_command: RunCommand) -> None:
    files.named("Algorithm_old.so", "old_headers").rename(folder / "algorithms" / "Algorithm_old.so")
    listed = run_command("tiltyard", "plugins", "algorithms", "--format", "json")
    rows = {row["name"]: row for row in json.loads(listed.stdout)}
    assert listed.returncode == 1
    assert (rows["Algorithm_script_1"]["kind"], rows["Algorithm_script_1"]["status"]) == ("algorithm", "ok")
    assert "another version of the course's headers" in rows["Algorithm_old"]["reason"]
    checked = run_command(
        "tiltyard",
        "check",
        "algorithms/Algorithm_script_1.so",
        "--map",
        "board.txt",
        "--against",
        "algorithms/Algorithm_script_2.so",
    )
    assert checked.returncode == 0, checked.stdout
    assert checked.stdout.rstrip().endswith("passed")


@pytest.mark.usefixtures("inline")
def test_a_fault_leaves_a_folder_that_can_be_played_again(files: Files, folder: Path, run_command: RunCommand) -> None:
    files.algorithm("throws").rename(folder / "algorithms" / "Algorithm_throws.so")
    words = ("algorithms/Algorithm_script_1.so", "algorithms/Algorithm_throws.so")
    played = run_command("tiltyard", "round-robin", *words, "--maps", "board.txt", "-o", "out")
    assert played.returncode == 0, played.stderr
    kept = sorted((folder / "out" / "faults").iterdir())
    assert kept
    assert "CppError: (anonymous namespace)::Odd: boom" in (kept[0] / "fault.txt").read_text()
    again = run_command("tiltyard", "debug", str(kept[0]), "--whole-match")
    assert "boom" in again.stdout + again.stderr
    assert "Traceback" not in again.stderr
    fed = run_command("tiltyard", "debug", str(kept[0]))
    assert "boom" in fed.stdout + fed.stderr
