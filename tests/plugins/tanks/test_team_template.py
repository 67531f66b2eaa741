from __future__ import annotations

import ast
import tomllib

import pytest

from tiltyard_tanks.team_template import team_template


@pytest.mark.parametrize(
    ("name", "package", "prefix"),
    [
        ("thunder", "thunder", "Thunder"),
        ("Big-Bang.2", "big_bang_2", "BigBang2"),
        ("42", "team_42", "Team42"),
        ("a_b", "a_b", "AB"),
    ],
)
def test_names(name: str, package: str, prefix: str) -> None:
    files = team_template(name)
    project = tomllib.loads(files["pyproject.toml"])
    assert project["project"]["name"] == name
    assert project["project"]["entry-points"]["tiltyard"] == {name: package}
    assert f"class {prefix}Tank(TankAlgorithm)" in files[f"{package}/tank.py"]


def test_all_files_are_filled_in_and_python_ones_parse() -> None:
    for path, text in team_template("thunder").items():
        assert "$" not in text
        if path.endswith(".py"):
            ast.parse(text)


@pytest.mark.parametrize(("name", "opponents"), [("thunder", "acorn bramble"), ("acorn", "bramble coyote")])
def test_a_team_is_not_told_to_meet_itself(name: str, opponents: str) -> None:
    text = team_template(name)["README.md"]
    assert f"tiltyard round-robin {name} {opponents}\n" in text
    assert f"tiltyard watch {name} {opponents.split()[0]} " in text
