"""The tag of a release, and what must hold before it is pushed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from release.checks import built, check
from release.errors import ReleaseError
from release.git import git
from release.metadata import home, project
from release.version import date_changelog, notes

NOWHERE: Final = ".invalid"
"""The end of names that belong to nobody and never will (RFC 2606)."""


def tag() -> str:
    """Commit the day of the release to the changelog, and tag that commit.

    Returns:
        The tag.

    Raises:
        ReleaseError: there are changes that are not committed, the changelog has no part for the version, or the tag exists.
    """
    version = project()["version"]
    if git("status", "--porcelain"):
        raise ReleaseError("there are changes that are not committed; see: git status")
    if git("tag", "--list", f"v{version}"):
        raise ReleaseError(f"v{version} is tagged already")
    message = f"tiltyard {version}\n\n{notes(version)}"
    if date_changelog(version):
        git("commit", "--quiet", "--message", f"Release {version}", "CHANGELOG.md")
    git("tag", "--annotate", f"v{version}", "--cleanup=verbatim", "--message", message)
    return f"v{version}"


def obstacles(target: Path) -> Iterator[str]:
    """What must be settled before anything can be published."""
    version = project()["version"]
    if home().endswith(NOWHERE):
        yield f"pyproject.toml: the project has no address yet; 'home' in [tool.tiltyard.release] is still {home()}"
    if git("status", "--porcelain"):
        yield "there are changes that are not committed; see: git status"
    if f"v{version}" not in git("tag", "--points-at", "HEAD").split():
        yield f"the present commit has no tag v{version}; run: python3 -m release tag"
    if not built(target):
        yield f"{target}: nothing is built; run: python3 -m release build"
        return
    try:
        check(target)
    except ReleaseError as error:
        yield str(error)


def publish(target: Path, *, dry_run: bool) -> str:
    """Push the tag. The forge's workflow then builds all wheels and publishes them; no token is needed here.

    Returns:
        What was done.

    Raises:
        ReleaseError: all that is in the way.
    """
    if found := list(obstacles(target)):
        raise ReleaseError("nothing is published:\n" + "\n".join(found))
    pushed = f"v{project()['version']}"
    if dry_run:
        return f"all is ready; without --dry-run, {pushed} would be pushed"
    git("push", "origin", pushed)
    return f"pushed {pushed}; the release workflow at {home()} publishes it"
