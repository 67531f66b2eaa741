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
