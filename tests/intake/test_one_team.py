"""What somebody names on a command line: to be built or not, one team or a class, and which game it is for."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from tests.intake.making import built, plant, tank_plugin
from tests.plugins.tanks_native.test_recipes import TREE

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Registry
from tiltyard_intake.one_team import build_team, has_to_be_built, holds_a_class, is_one_teams_work, recognise_team
from tiltyard_intake.recipes.recognition import recipes_of
from tiltyard_intake.report.team_report import Verdict
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy

MAIN: Final = "class Bot { static void Main() {} }"


def test_what_plays_as_it_is_is_not_built(tmp_path: Path) -> None:
    plant(tmp_path, dict.fromkeys(("a.zip", "b.cs", "c.exe", "d.py", "e.so", "f.txt", "g"), "x"))
    plant(tmp_path, {"h.js": "#!/usr/bin/node", "i": b"PK\x03\x04"})
    named = {path.name for path in tmp_path.iterdir() if has_to_be_built(path)}
    assert named == {"a.zip", "b.cs", "c.exe", "i"}
    assert not has_to_be_built(tmp_path)
    assert not has_to_be_built(tmp_path / "none.zip")


@pytest.mark.parametrize(
    ("files", "is_one"),
    [
        ({"Bot.csproj": "", "a.cs": MAIN, "b.cs": MAIN}, True),
        ({"src/main.cpp": "", "maps/one.txt": ""}, True),
        ({"Bot.cs": MAIN, "Board.cs": "class Board {}"}, True),
        ({"ann.cs": MAIN, "ben.cs": MAIN}, False),
        ({"ann/Bot.cs": MAIN, "ben/Bot.cs": MAIN}, False),
        ({"Ann_1_assignsubmission_file_/Bot.cs": MAIN}, False),
    ],
)
def test_a_folder_is_one_teams_or_a_class(files: dict[str, str], is_one: bool, tmp_path: Path) -> None:
    assert is_one_teams_work(plant(tmp_path / "tree", files)) is is_one


def test_the_game_is_told_by_the_recipe_or_asked_for(tmp_path: Path, registry: Registry) -> None:
    course = recognise_team(plant(tmp_path / "course", TREE), registry)
    assert (course.game, course.report.recipe) == ("tanks", "tanks-assignment-3")
    python = recognise_team(plant(tmp_path / "python", {"tank.py": tank_plugin("anna")}), registry)
    assert (python.game, python.is_python) == ("", True)
    plain = plant(tmp_path / "plain", {"Bot.cs": MAIN})
    with pytest.raises(UserError, match=r"plain: holds C# sources \(Bot.cs\); name the game .* --game: advance, filler, penguins"):
        recognise_team(plain, registry)
    assert recognise_team(plain, registry, "filler").report.recipe == "csharp-files"
    assert recognise_team(plant(tmp_path / "text", {"a.txt": "", "b.txt": ""}), registry).report.verdict is Verdict.UNKNOWN
    with pytest.raises(UserError, match="contains the work of several teams; run 'tiltyard intake'"):
        recognise_team(plant(tmp_path / "class", {"ann/Bot.cs": MAIN, "ben/Bot.cs": MAIN}), registry)
    assert not holds_a_class(plant(tmp_path / "bad", {"bot.zip": "not a zip"}) / "bot.zip")


def test_a_build_is_kept_in_the_users_cache_and_only_the_last_one(
    tmp_path: Path, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TILTYARD_CACHE", str(tmp_path / "cache"))
    tree = plant(tmp_path / "anna", {"bot.py": "print(1)\n"})
    for text, is_reused in (("print(1)\n", False), ("print(1)\n", True), ("print(2)\n", False)):
        (tree / "bot.py").write_text(text)
        team = build_team(tree, recognise_team(tree, registry, "filler"), registry, IsolationPolicy())
        assert (team.is_team, team.report.is_reused) == (True, is_reused)
    assert team.path is not None
    assert (team.path / "bot.py").read_text() == "print(2)\n"
    (place,) = (tmp_path / "cache" / "intake").iterdir()
    assert len(list((place / "builds").iterdir())) == 1
    (tree / "bot.py").write_text("print(\n")
    team = build_team(tree, recognise_team(tree, registry, "filler"), registry, IsolationPolicy())
    assert (team.path, team.is_team) == (None, False)
    assert team.report.error == "bot.py:1: SyntaxError: '(' was never closed"
    assert "SyntaxError" in team.log
    assert [path.name for path in (place / "teams").iterdir() if not path.name.startswith(".")] == []


def test_a_folder_with_a_manifest_stays_as_it_is(tmp_path: Path, registry: Registry) -> None:
    files: dict[str, str | bytes] = {
        "program.toml": 'game = "filler"\ncommand = ["./bot"]\n',
        "bot": b"\x7fELF and so on",
        "data/book.txt": "e4",
    }
    made = built(plant(tmp_path / "tree", files), recipes_of(registry, "filler"), game="filler")
    assert (made.error, made.recipe) == ("", "program-manifest")
    assert sorted(path.name for path in (tmp_path / "teams" / "anna").rglob("*") if path.is_file()) == [
        ".intake.json", "book.txt", "bot", "program.toml",
    ]  # fmt: skip
