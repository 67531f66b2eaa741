"""``tiltyard tanks referee``: whole programs of assignment 2 are built and run, and their output files compared with the rules."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.simulator.intake.making import built, need, plant
from typer.testing import CliRunner

from tiltyard_tanks.map_commands import app
from tiltyard_tanks.maps import read_map
from tiltyard_tanks.recipes import tanks_recipes
from tiltyard_tanks.whole_programs import MapToPlay, agreeing_rules, judge

MAP = b"duel\nMaxSteps = 3\nNumShells = 5\nRows = 3\nCols = 9\n         \n 1     2 \n         \n"
TIE = "Tie, reached max steps = 3, player 1 has 1 tanks, player 2 has 1 tanks\n"
RIGHT = "DoNothing, DoNothing\n" * 3 + TIE
WRONG = "RotateLeft90, RotateRight90\nShoot, DoNothing\nShoot, DoNothing\n" + TIE
PROGRAM = """#!/bin/sh
case $0 in *silent*) echo 'cannot open the board' >&2; exit 3;; esac
printf '{text}' > "output_$1"
"""
TREE = {
    "common/TankAlgorithm.h": "#pragma once\n",
    "src/GameManager.h": "#pragma once\nstruct GameManager { void run(const char* path); };\n",
    "src/GameManager.cpp": '#include "GameManager.h"\n#include "TankAlgorithm.h"\nvoid GameManager::run(const char*) {}\n',
    "src/main.cpp": '#include "GameManager.h"\nint main(int, char** words) { GameManager game; game.run(words[1]); }\n',
}


@pytest.fixture
def played() -> MapToPlay:
    return MapToPlay(name="duel", data=MAP, read=read_map("duel.txt", MAP, 2))


def test_the_first_round_that_differs_is_named(played: MapToPlay) -> None:
    right = judge("ann", played, RIGHT.replace("\n", " \r\n"), "reference")
    assert (right.verdict, right.rounds, right.line, right.words) == ("same", 3, 0, TIE.strip())
    wrong = judge("ben", played, WRONG, "reference")
    assert (wrong.verdict, wrong.rounds, wrong.line) == ("differs", 2, 3)
    assert "it was performed, but by the rules it is ignored: expected 'Shoot (ignored)" in wrong.words
    assert judge("cem", played, "", "reference").line == 1
    assert agreeing_rules([right, wrong]) == []
    assert "reference" in agreeing_rules([right])
    assert agreeing_rules([]) == []


def test_programs_run_in_the_sandbox_and_a_table_says_how_they_differ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    plant(tmp_path, {"duel.txt": MAP})
    for name, text in (("ann", RIGHT), ("ben", WRONG), ("silent", RIGHT)):
        plant(tmp_path / "programs", {name: PROGRAM.format(text=text.replace("\n", "\\n"))})
    words = ["referee", *(f"programs/{name}" for name in ("ann", "ben", "silent")), "--map", "duel.txt"]
    done = CliRunner(env={"COLUMNS": "200"}).invoke(app, words)
    assert done.exit_code == 1, done.output
    lines = done.stdout.splitlines()
    assert [line.split()[:3] for line in lines[2:5]] == [
        ["programs/ann", "duel", "same"],
        ["programs/ben", "duel", "differs"],
        ["programs/silent", "duel", "failed"],
    ]
    assert "round 3: column 1 (tank 1 of player 1), 'Shoot'" in lines[3]
    assert lines[4].endswith("exited with code 3 and did not write output_duel.txt: cannot open the board")
    assert "programs/ann: 1 of 1 output files are right by the rules 'reference'" in lines
    assert (tmp_path / "refereed" / "programs_ben" / "output_duel.txt").read_text() == WRONG
    done = CliRunner().invoke(app, [*words[:2], *words[4:], "--json"])
    assert done.exit_code == 0, done.output
    (comparison,) = json.loads(done.stdout)["comparisons"]
    assert comparison["rounds"] == 3
    done = CliRunner().invoke(app, ["referee", "duel.txt", "--map", "duel.txt"])
    assert done.exit_code == 2
    done = CliRunner().invoke(app, ["referee", "programs/ann", "--rules", "mine"])
    assert (done.exit_code, done.stderr.partition(";")[0]) == (2, "error: no dialect is called 'mine'")


def test_a_tree_of_assignment_2_becomes_a_program(tmp_path: Path) -> None:
    need("g++")
    made = built(plant(tmp_path / "tree", TREE), tanks_recipes(), game="tanks")
    assert (made.error, made.recipe, made.ways) == ("", "tanks-assignment-2", ("its C++ files",)), made.log
    assert (tmp_path / "teams" / "assignment-2" / "anna" / "tanks_game").exists()
