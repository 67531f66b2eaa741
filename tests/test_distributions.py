"""The project is several distributions: each says which versions of the others it works with."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tiltyard_engine import API_VERSION
from tiltyard_tanks.team_template import team_template

ROOT = Path(__file__).resolve().parents[1]
PROJECTS = [ROOT / "pyproject.toml", ROOT / "engine/pyproject.toml", *sorted(ROOT.glob("plugins/*/pyproject.toml"))]
BOUNDED = re.compile(r"([a-z-]+)(?:\[[a-z,]+\])?>=(\d+)\.(\d+),<(\d+)\.(\d+)")


def project_of(text: str) -> dict[str, Any]:
    table: dict[str, Any] = tomllib.loads(text)["project"]
    return table


VERSIONS: dict[str, str] = {
    table["name"]: table["version"] for table in (project_of(path.read_text(encoding="utf-8")) for path in PROJECTS)
}


def internal_requirements(project: dict[str, Any]) -> list[str]:
    """What a project requires of the others, its extras' requirements included; an extra made of its own extras needs no bound."""
    wanted = [
        *project.get("dependencies", []),
        *(word for extra in project.get("optional-dependencies", {}).values() for word in extra),
    ]
    return [word for word in wanted if word.startswith("tiltyard") and not word.startswith(f"{project['name']}[")]


def assert_bounded(requirement: str) -> None:
    """That it takes the present version and those after it, up to the next minor one, which may break what depends on it."""
    found = BOUNDED.fullmatch(requirement)
    assert found, f"{requirement}: expected both bounds, such as tiltyard-engine>=0.2,<0.3"
    major, minor = (int(part) for part in VERSIONS[found[1]].split(".")[:2])
    assert tuple(map(int, found.groups()[1:])) == (major, minor, major, minor + 1), f"{requirement}: {VERSIONS[found[1]]} stands"


@pytest.mark.parametrize("path", PROJECTS, ids=lambda path: str(path.parent.relative_to(ROOT)))
def test_a_distribution_bounds_the_others_that_it_requires(path: Path) -> None:
    project = project_of(path.read_text(encoding="utf-8"))
    requirements = internal_requirements(project)
    assert bool(requirements) == (project["name"] != "tiltyard-engine")
    for requirement in requirements:
        assert_bounded(requirement)


def test_a_new_team_bounds_the_engine_and_states_its_api() -> None:
    files = team_template("thunder")
    (requirement,) = internal_requirements(project_of(files["pyproject.toml"]))
    assert_bounded(requirement)
    assert re.findall(r"^TILTYARD_API = (\d+)$", files["thunder/__init__.py"], re.MULTILINE) == [str(API_VERSION)]


@pytest.mark.parametrize(
    "wrong", ["tiltyard-engine", "tiltyard-engine>=0.2", "tiltyard-engine>=0.1,<0.2", "tiltyard-engine>=0.2,<0.4"]
)
def test_that_a_wrong_bound_is_seen(wrong: str) -> None:
    with pytest.raises(AssertionError, match="tiltyard-engine"):
        assert_bounded(wrong)
