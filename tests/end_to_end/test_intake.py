"""From sources to a tournament: what was built plays, in the folder that a tournament file names."""

from __future__ import annotations

import csv
import json
import re
import tomllib
from pathlib import Path
from typing import Final

import pytest
from tests.conftest import RunCommand
from tests.intake.making import built, need, plant, tank_plugin
from tests.intake.recipes.test_program_recipes import C_SHARP, PROJECT
from tests.plugins.tanks_native.test_recipes import PLAIN

from tiltyard_intake.recipes.recognition import recipes_of
from tiltyard_simulator.registry.guarded_registry import open_registry
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy

PROGRAMS: Final = Path(__file__).parents[1] / "programs"
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
    "tanks": ({"anna": {"mine.cpp": PLAIN}, "ben": {"tank.py": tank_plugin("ben")}}, "maps: [narrow-pass]", ()),
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


SHORT: Final = (".........", "D........", ".........", ".......d.", ".........", ".........", "......m..", ".........", "G.gb...M.")
"""From here the first legal moves lead to the end of a game in 12."""


def test_two_bots_in_c_sharp_play_a_whole_game_on_dotnet(tmp_path: Path, run_command: RunCommand) -> None:
    need("dotnet-sdk")
    bot = (PROGRAMS / "runtimes" / "Bot.cs").read_text()
    # The compiler of SDK 3.1 knows the one, that of SDK 6 and newer alone the other.
    old = {
        "Bot.csproj": PROJECT,
        "Bot.cs": bot,
        "Own.cs": "static class Own { static int Sign(bool own) => own switch { true => 1, _ => -1 }; }",
    }
    new = {"Bot.cs": re.sub("^using .*;\n", "", bot, flags=re.MULTILINE).replace("class Bot {", "namespace Sharp;\nclass Bot {", 1)}
    recipes = recipes_of(open_registry(IsolationPolicy()), "advance")
    for team, files in {"old": old, "new": new}.items():
        made = built(plant(tmp_path / team, files), recipes, team=team, game="advance")
        if team == "new" and made.lacks:
            pytest.skip(f"lacks {made.lacks}")
        assert made.error == "", made.log
        settings = tomllib.loads((tmp_path / "teams" / team / "program.toml").read_text())
        runs_on = json.loads(next((tmp_path / "teams" / team).glob("*.runtimeconfig.json")).read_text())["runtimeOptions"]
        assert runs_on["rollForward"].endswith("Major"), runs_on
        # Another machine may have it elsewhere.
        assert (settings["command"][0], settings.get("readable")) == ("dotnet", None)
    (tmp_path / "short.txt").write_text("\n".join(SHORT))
    (tmp_path / "cup.yaml").write_text(
        "game: advance\nteams: [teams/]\nmaps: [short.txt]\nformat: {name: swiss, rounds: 1, seats: balanced}\n"
    )
    # A process for each move.
    done = run_command("tiltyard", "run", "cup.yaml")
    assert done.returncode == 0, done.stderr
    assert "fault of" not in done.stdout
    rows = done.stdout.partition("Standings")[2].partition("Ratings")[0]
    assert all(team in rows for team in ("old", "new")), done.stdout
    (game,) = csv.DictReader(run_command("tiltyard", "standings", "cup.yaml", "-t", "games", "--format", "csv").stdout.splitlines())
    assert game["message"].startswith("Black won: white has no legal move")
