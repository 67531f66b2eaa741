"""The settings of an intake: read as strictly as a tournament file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tiltyard_engine.errors import UserError
from tiltyard_intake.command.settings_file import IntakeSettingsError, TeamSettings, read_intake_settings

GOOD = """
handed-in: moodle.zip
game: tanks
roster: lists/students.csv
deadline: 2026-11-30
recipe: tanks-cpp
last-that-plays: true
warnings-fail: true
build-seconds: 90
allow: [numpy, "scipy<2"]
wheels: lists/wheels
packages: lists/packages
given: [lists/skeleton, task.zip]
teams:
  Ann Ames: python-file
  Ben: {recipe: ours}
recipes:
  ours:
    title: the course's skeleton
    recognises: [Makefile, "src/*.cpp"]
    commands: ["make -C src", "cp {source}/src/bot {out}/"]
    product: bot
  scripts:
    recognises: "*.lua"
    product: {files: "*.lua", command: "lua {product}", also: "*"}
limits: {move_seconds: 2}
"""


def test_everything_that_a_command_line_says_can_stand_there(tmp_path: Path) -> None:
    (tmp_path / "intake.yaml").write_text(GOOD)
    read = read_intake_settings(tmp_path / "intake.yaml")
    assert (read.handed_in, read.roster) == (str(tmp_path / "moodle.zip"), str(tmp_path / "lists/students.csv"))
    assert read.recipes_of_teams() == {"Ann Ames": "python-file", "Ben": "ours"}
    assert (read.recipe, read.last_that_plays, read.warnings_fail, read.limits) == ("tanks-cpp", True, True, {"move_seconds": 2})
    assert read.given == [str(tmp_path / "lists/skeleton"), str(tmp_path / "task.zip")]
    (tmp_path / "intake.yaml").write_text("given: skeleton\n")
    assert read_intake_settings(tmp_path / "intake.yaml").given == [str(tmp_path / "skeleton")]
    assert (read.build_seconds, read.allow, read.wheels) == (90, ["numpy", "scipy<2"], str(tmp_path / "lists/wheels"))
    assert read.packages == str(tmp_path / "lists/packages")
    ours, scripts = read.own_recipes("tanks")
    assert (ours.name, ours.title, ours.game, ours.wants) == ("ours", "the course's skeleton", "tanks", ("Makefile", "src/*.cpp"))
    ((way,), product) = (ours.parts[0].ways, ours.parts[0].product)
    assert [(step.tool, *step.words) for step in way.steps] == [("make", "-C", "src"), ("cp", "{source}/src/bot", "{out}/")]
    assert (product.form, product.patterns, product.contents) == ("program", ("bot",), "executable")
    made = scripts.parts[0].product
    assert (scripts.parts[0].ways[0].steps, made.contents, made.command, made.also) == ((), "", ("lua", "{product}"), ("*",))


def test_an_option_that_is_given_replaces_what_the_file_says(tmp_path: Path) -> None:
    (tmp_path / "intake.yaml").write_text(GOOD)
    read = read_intake_settings(tmp_path / "intake.yaml")
    assert read.with_options(game=None, into=None, warnings_fail=None, allow=None) == read
    changed = read.with_options(into=Path("cup"), warnings_fail=False, last_that_plays=False, deadline="", recipe="")
    assert (changed.into, changed.warnings_fail, changed.last_that_plays) == ("cup", False, False)
    assert (changed.deadline, changed.recipe) == ("", "")
    changed = read.with_options(teams={"Ben": TeamSettings(recipe="tanks-cpp")}, allow=["attrs"], given=["more"])
    # Those that can be repeated add to the file's.
    assert changed.recipes_of_teams() == {"Ann Ames": "python-file", "Ben": "tanks-cpp"}
    assert (changed.allow, changed.given) == ([*read.allow, "attrs"], [*read.given, "more"])
    assert (changed.roster, changed.build_seconds, changed.own_recipes("tanks")) == (read.roster, 90, read.own_recipes("tanks"))


def test_everything_wrong_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "intake.yaml"
    path.write_text("gam: tanks\nteams:\n  Ann: {recipes: x}\nrecipes:\n  ours:\n    recognises: []\n    product: bot\n")
    with pytest.raises(IntakeSettingsError) as caught:
        read_intake_settings(path)
    assert str(caught.value).replace(str(path), "intake.yaml").splitlines() == [
        "intake.yaml:1: gam: unknown key; did you mean game?",
        "intake.yaml:3: teams.Ann.recipe: this key is required",
        "intake.yaml:3: teams.Ann.recipes: unknown key; did you mean recipe?",
        "intake.yaml:6: recipes.ours.recognises: expected at least one item, got a list of 0 items",
        "intake.yaml: 4 problems; nothing was taken in",
    ]
    path.write_text(
        "limits: {move_second: 1}\ndeadline: soon\nallow: [numpy, num py]\n"
        'recipes:\n  ours:\n    recognises: a\n    product: b\n    commands: ["make \'x"]\n'
    )
    with pytest.raises(
        IntakeSettingsError,
        match=r"(?s)1: limits: .*move_seconds.*2: deadline: 'soon' isn't a time.*"
        r"3: allow\[2\]: 'num py' isn't a package.*commands\[1\]: No closing quotation",
    ):
        read_intake_settings(path)
    path.write_text("game: [\n")
    with pytest.raises(IntakeSettingsError, match=r"not valid YAML.*\n.*nothing was taken in"):
        read_intake_settings(path)
    with pytest.raises(UserError, match="is a folder, expected settings of an intake"):
        read_intake_settings(tmp_path)
