"""``tiltyard tanks referee``: whole programs of assignment 2 are built and run, and their output files compared with the rules."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.intake.making import built, need, plant
from typer.testing import CliRunner

from tiltyard_intake.intake import take_in
from tiltyard_intake.options import IntakeOptions
from tiltyard_intake.report.team_report import Verdict
from tiltyard_simulator.registry.guarded_registry import open_registry
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
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
WRITES = """#include <fstream>
#include <string>
#include "GameManager.h"
void GameManager::run(const char* map) { std::ofstream(std::string("output_") + map) << "TEXT"; }
"""


@pytest.fixture
def played() -> MapToPlay:
    return MapToPlay(name="duel", data=MAP, tank_map=read_map("duel.txt", MAP, 2))


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


@pytest.mark.parametrize("name", ["Do Nothing", "DO_NOTHING", "doNothing", "do-nothing"])
def test_other_spellings_of_actions_are_told_and_hide_no_other_difference(name: str, played: MapToPlay) -> None:
    other = judge("dan", played, RIGHT.replace("DoNothing", name), "reference")
    assert (other.verdict, other.line, other.words) == ("dialect", 0, TIE.strip())
    assert other.spelling == f"writes '{name}' for 'DoNothing'"
    assert "reference" in other.rules
    turns = WRONG.replace("RotateLeft90", "Rotate Left 90 degrees").replace("DoNothing", name)
    both = judge("eve", played, turns, "reference")
    assert (both.verdict, both.line, both.spelling) == ("differs", 3, "writes 'Rotate Left 90 degrees' for 'RotateLeft90'")
    odd = judge("fay", played, RIGHT.replace("DoNothing", "Dance"), "reference")
    assert (odd.verdict, odd.line, odd.spelling) == ("differs", 1, "")


def test_programs_run_in_the_sandbox_and_a_table_says_how_they_differ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    plant(tmp_path, {"duel.txt": MAP})
    for name, text in (("ann", RIGHT), ("ben", WRONG), ("silent", RIGHT)):
        plant(tmp_path / "programs", {name: PROGRAM.format(text=text.replace("\n", "\\n"))})
    # One by one, or all that lie in a folder.
    words = ["referee", *(f"programs/{name}" for name in ("ann", "ben", "silent")), "--map", "duel.txt"]
    plant(tmp_path / "one", {"ann": PROGRAM.format(text=RIGHT.replace("\n", "\\n")), "students.txt": "Ann"})
    for folder in ("programs", "one"):
        assert CliRunner().invoke(app, ["referee", folder, *words[4:]]).stdout.count(" 1 of 1") == 1
    done = CliRunner(env={"COLUMNS": "200"}).invoke(app, words)
    assert done.exit_code == 1, done.output
    lines = done.stdout.splitlines()
    assert [line.split()[:3] for line in lines[2:5]] == [
        ["programs/ann", "duel", "same"],
        ["programs/ben", "duel", "differs"],
        ["programs/silent", "duel", "failed"],
    ]
    assert "round 3: column 1 (tank 1 of player 1), 'Shoot'" in lines[3]
    assert lines[4].endswith(
        "exited with code 3 and did not write output_duel.txt: cannot open the board; the output file belongs in the"
        " folder in which the program is started"
    )
    assert [line.split(maxsplit=4) for line in lines[9:12]] == [
        ["programs/ann", "1", "of", "1"],
        ["programs/ben", "0", "of", "1", "round 3 on duel"],
        ["programs/silent", "0", "of", "1", "no output file on duel"],
    ]
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


def test_what_an_intake_made_of_a_class_is_compared_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need("g++")
    monkeypatch.chdir(tmp_path)
    plant(tmp_path, {"duel.txt": MAP})
    for name, text in (("ann", RIGHT), ("ben", RIGHT.replace("DoNothing", "Do Nothing"))):
        run = WRITES.replace("TEXT", text.replace("\n", "\\n"))
        plant(tmp_path / "handed-in" / name, TREE | {"src/GameManager.cpp": run})
    options = IntakeOptions(handed_in=tmp_path / "handed-in", into=tmp_path / "teams", reports=tmp_path / "reports", game="tanks")
    report = take_in(options, open_registry(IsolationPolicy()), lambda *_: None)
    assert [each.verdict for each in report.teams] == [Verdict.WHOLE, Verdict.WHOLE]
    assert report.summary() == "2 handed in: 2 are whole programs"
    for place, names in (("teams", ["ann", "ben"]), ("teams/assignment-2", ["ann", "ben"]), ("teams/assignment-2/ben", ["ben"])):
        done = CliRunner().invoke(app, ["referee", place, "--map", "duel.txt", "--json"])
        programs = json.loads(done.stdout)["programs"]
        assert [Path(each["program"]).name for each in programs] == names, done.output
        assert programs[-1]["known dialect"] == "writes 'Do Nothing' for 'DoNothing'"
