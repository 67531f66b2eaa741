"""A version from its first mention to its tag, and what keeps it from being published."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from release.errors import ReleaseError
from release.metadata import project
from release.publication import obstacles, publish, tag
from release.version import notes, set_version
from tests.release.conftest import Git

NEXT = "77.1.0"
MOST_WORDS = 900
"""What a stranger reads of a version in a few minutes."""


def prepare(tree: Path) -> None:
    """Something new stands in the changelog, and the version is the next one."""
    changelog = tree / "CHANGELOG.md"
    changelog.write_text(changelog.read_text().replace("\n## ", "\n## Unreleased\n\n### Added\n\n- A thing.\n\n## ", 1))
    set_version(NEXT)


def test_a_new_version_stands_everywhere(tree: Path) -> None:
    prepare(tree)
    assert {project(path.parent)["version"] for path in tree.rglob("pyproject.toml")} == {NEXT}
    assert 'dependencies = ["tiltyard-engine>=77.1,<77.2"]' in (tree / "plugins/acorn/pyproject.toml").read_text()
    assert "tiltyard-engine>=77.1,<77.2" in (tree / "docs/reference/hooks.md").read_text()
    assert notes(NEXT) == "### Added\n\n- A thing."


def test_what_is_new_can_be_read_in_a_few_minutes() -> None:
    assert len(notes(project()["version"]).split()) <= MOST_WORDS


@pytest.mark.parametrize(
    ("version", "said"),
    [
        ("1.0", "'1.0' is no version: expected three numbers, such as 0.3.0"),
        ("0.0.9", "0.0.9 is not later than .*, which stands"),
        (NEXT, "CHANGELOG.md has no heading '## Unreleased': there is nothing to release"),
    ],
)
def test_a_version_that_cannot_be_released(tree: Path, version: str, said: str) -> None:
    changelog = tree / "CHANGELOG.md"
    changelog.write_text(changelog.read_text().replace("## Unreleased", "## 0.0.1"))
    before = {path: path.read_bytes() for path in tree.rglob("*.*") if path.is_file()}
    with pytest.raises(ReleaseError, match=f"^{said}$"):
        set_version(version)
    assert {path: path.read_bytes() for path in tree.rglob("*.*") if path.is_file()} == before


def test_a_tag_has_its_part_of_the_changelog(tree: Path, repository: Git) -> None:
    prepare(tree)
    with pytest.raises(ReleaseError, match="not committed"):
        tag()
    repository("commit", "--quiet", "--all", "--message", "The next version")
    assert tag() == f"v{NEXT}"
    assert repository("tag", "--list", "--format=%(contents)") == f"tiltyard {NEXT}\n\n### Added\n\n- A thing."
    assert repository("log", "-1", "--format=%s") == f"Release {NEXT}"
    assert re.search(rf"^## {NEXT} - \d{{4}}-\d\d-\d\d$", (tree / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert repository("status", "--porcelain") == ""
    with pytest.raises(ReleaseError, match=f"v{NEXT} is tagged already"):
        tag()


def test_nothing_is_published_before_all_is_settled(tree: Path, repository: Git) -> None:
    (tree / "LICENSE").write_text("changed")
    said = list(obstacles(tree / "dist"))
    assert [re.sub(r"v\d+\.\d+\.\d+", "v1", line) for line in said] == [
        "pyproject.toml: the project has no address yet; 'home' in [tool.tiltyard.release] is still https://tiltyard.invalid",
        "there are changes that are not committed; see: git status",
        "the present commit has no tag v1; run: python3 -m release tag",
        f"{tree}/dist: nothing is built; run: python3 -m release build",
    ]
    with pytest.raises(ReleaseError, match=r"^nothing is published:\npyproject.toml: the project has no address yet"):
        publish(tree / "dist", dry_run=True)
    assert repository("tag") == ""
