"""From sources to a tournament: what was built plays, in the folder that a tournament file names."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from tests.conftest import RunCommand
from tests.plugins.tanks_native.test_recipes import PLAIN, TREE
from tests.simulator.intake.making import built, need, plant, tank_plugin
from tests.simulator.intake.test_program_recipes import C_SHARP

from tiltyard_simulator.intake.recognition import recipes_of
from tiltyard_simulator.play.isolation_policy import IsolationPolicy
from tiltyard_simulator.play.registry import open_registry

PENGUIN: Final = """import sys

NAME = "first"
words = sys.argv[1:]
if "name" in words:
    print(NAME)
sys.exit(1)
"""
IN_C: Final = """#include <stdio.h>
#include <string.h>
int main(int argc, char *argv[]) {
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "name") == 0) { puts("in_c"); return 0; }
    return 1;
}
"""
CASES: Final = {
    "tanks": ({"anna": TREE, "ben": {"mine.cpp": PLAIN}, "cleo": {"tank.py": tank_plugin("cleo")}}, "maps: [narrow-pass]", ()),
    "penguins": (
        {"anna": {"main.py": PENGUIN}, "ben": {"main.c": IN_C, "Makefile": "all:\n\tgcc -DINTERACTIVE main.c -o penguins\n"}},
        "maps: [{generate: {count: 1, rows: 5, columns: 5, penguins: 1}}]",
        ("exited with code 1 (no move possible), but it could place a penguin",),
    ),
    "advance": (
        {"anna": {"Bot.cs": C_SHARP.replace("Names.Own()", '"anna"')}, "ben": {"bot.py": "print('ben')\n"}},
        "maps: [advance-start]",
        ("made no move: the board is unchanged",),
    ),
}


@pytest.mark.parametrize("game", list(CASES))
def test_what_was_built_plays_in_a_tournament(game: str, tmp_path: Path, run_command: RunCommand) -> None:
    need("g++", "gcc", "make", "mcs", "mono")
    trees, maps, faults = CASES[game]
    recipes = recipes_of(open_registry(IsolationPolicy()), game)
    for team, files in trees.items():
        made = built(plant(tmp_path / team, files), recipes, team=team, game=game)
        assert made.error == "", made.log
    (tmp_path / "cup.yaml").write_text(f"game: {game}\nteams: [teams/]\n{maps}\nformat: round-robin\n")
    done = run_command("tiltyard", "run", "cup.yaml")
    assert done.returncode == 0, done.stderr
    told = [line for line in done.stdout.splitlines() if line.startswith("fault of")]
    assert len(told) == (len(trees) if faults else 0), done.stdout
    assert all(any(words in line for words in faults) for line in told), told
    rows = done.stdout.partition("Standings")[2].partition("Ratings")[0]
    assert all(team in rows for team in trees), done.stdout
