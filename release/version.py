"""The version, and what the changelog says of it."""

from __future__ import annotations

import datetime
import re
from typing import Final

from release.errors import ReleaseError
from release.metadata import PYPROJECT, ROOT, key_pattern, project, sync

CHANGELOG: Final = ROOT / "CHANGELOG.md"
UNRELEASED: Final = "\n## Unreleased\n"
UNPUBLISHED: Final = "not published yet"
"""Stands in the changelog for the day of a release that is being prepared."""


def set_version(version: str) -> None:
    """Write a new version everywhere, and give what is unreleased in the changelog its heading.

    Raises:
        ReleaseError: it is no version, or not a later one, or nothing is unreleased.
    """
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise ReleaseError(f"'{version}' is no version: expected three numbers, such as 0.3.0")
    present = project()["version"]
    if _numbers(version) <= _numbers(present):
        raise ReleaseError(f"{version} is not later than {present}, which stands")
    changelog = CHANGELOG.read_text(encoding="utf-8")
    if UNRELEASED not in changelog:
        raise ReleaseError("CHANGELOG.md has no heading '## Unreleased': there is nothing to release")
    CHANGELOG.write_text(changelog.replace(UNRELEASED, f"\n## {version} - {UNPUBLISHED}\n", 1), encoding="utf-8")
    text = PYPROJECT.read_text(encoding="utf-8")
    PYPROJECT.write_text(key_pattern("version").sub(f'version = "{version}"', text, count=1), encoding="utf-8")
    sync()


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def notes(version: str) -> str:
    """What the changelog says of a version.

    Raises:
        ReleaseError: nothing.
    """
    part = re.compile(rf"^## {re.escape(version)}(?: - [^\n]*)?\n(.*?)(?=^## |\Z)", re.DOTALL | re.MULTILINE)
    found = part.search(CHANGELOG.read_text(encoding="utf-8"))
    if found is None:
        raise ReleaseError(f"CHANGELOG.md has no heading '## {version}'")
    return found[1].strip()


def date_changelog(version: str) -> bool:
    """Write today's date into the heading of a version that has none yet, and tell whether it had none."""
    changelog = CHANGELOG.read_text(encoding="utf-8")
    heading = f"\n## {version} - {UNPUBLISHED}\n"
    today = datetime.datetime.now(tz=datetime.UTC).date()
    CHANGELOG.write_text(changelog.replace(heading, f"\n## {version} - {today}\n", 1), encoding="utf-8")
    return heading in changelog
