"""What the forge runs is here: the workflows name jobs, paths and games that exist."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import dev
import pytest
import yaml
from release.__main__ import __doc__ as usage
from release.metadata import PYPROJECT, ROOT, project

WORKFLOWS = sorted(ROOT.glob(".github/workflows/*.yml"))
PAGES = [
    ROOT / name for name in ("CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "RELEASING.md", "SECURITY.md", "README.md", "CHANGELOG.md")
]


def jobs(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]
    return found


def commands() -> list[str]:
    """Every line of shell in the workflows."""
    steps = [step for path in WORKFLOWS for job in jobs(path).values() for step in job["steps"]]
    return [line for step in steps for line in step.get("run", "").splitlines()]


def test_every_job_and_path_in_a_workflow_is_there() -> None:
    lines = commands()
    assert "bash .ci/run" in lines
    assert (ROOT / ".ci/run").is_file()
    asked = {job for line in lines for job in re.findall(r"python3 -m release (\w+)", line)}
    assert asked == {"version", "build", "check"}
    assert usage is not None
    assert asked <= set(re.findall(r"^python3 -m release (\w+)", usage, re.MULTILINE))


def test_each_game_with_compiled_rules_is_built_for_each_python() -> None:
    compiled = jobs(ROOT / ".github/workflows/release.yml")["compiled"]
    assert set(compiled["strategy"]["matrix"]["game"]) == set(dev.COMPILED_PLUGINS)
    settings = dev.read_toml(PYPROJECT)["tool"]["cibuildwheel"]
    named = re.findall(r"Python :: (3)\.(\d+)", "\n".join(project()["classifiers"]))
    assert settings["build"] == [f"cp{major}{minor}-*" for major, minor in named]
    for path in re.findall(r"\{project\}/([\w./]+)", f"{settings['before-test']} {settings['test-command']}"):
        assert (ROOT / path).exists(), path


def test_what_is_published_waits_for_all_that_is_built() -> None:
    found = jobs(ROOT / ".github/workflows/release.yml")
    assert set(found["publish"]["needs"]) == found.keys() - {"publish"}
    assert found["publish"]["permissions"] == {"id-token": "write"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.name))
def test_links_of_the_root_pages_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    links = [link.partition("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", text) if not re.match(r"\w+:", link)]
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_the_steps_of_a_release_are_the_jobs_of_its_command() -> None:
    releasing = (ROOT / "RELEASING.md").read_text(encoding="utf-8")
    assert usage is not None
    assert set(re.findall(r"python3 -m release (\w+)", releasing)) == set(re.findall(r"python3 -m release (\w+)", usage))
