"""The first commands of the README that need no checkout, as somebody types them who has only installed tiltyard."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from tests.docs.console import ROOT, Command, File, Service, matches, steps
from tests.installation.environments import Installation, InstallationError

FIRST: Final = 3
INSTALLERS: Final = ("git", "pip", "pipx", "python3", "source", "uv", "uvx")
"""Commands that set something up; the installation has been done."""


def first_commands(page: str) -> Iterator[Command | File]:
    """The first commands of a page that need no checkout, and the files before them."""
    count = 0
    for step in steps(page):
        if isinstance(step, Command) and not isinstance(step, Service) and shlex.split(step.line)[0] not in INSTALLERS:
            count += 1
            yield step
        elif isinstance(step, File):
            yield step
        if count == FIRST:
            return


def follow(installation: Installation, page: Path = ROOT / "README.md") -> int:
    """Do what the page says first.

    Returns:
        How many commands were run.

    Raises:
        InstallationError: a command fails, or prints something else.
    """
    count = 0
    for step in islice(first_commands(page.read_text(encoding="utf-8")), 100):
        if isinstance(step, File):
            file = installation.home / step.name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(step.text, encoding="utf-8")
            continue
        # The folders of such files are written into, so they are the user's.
        installation.hand_over()
        found, expected = installation.run(step.line), "\n".join(step.expected).rstrip()
        if not matches(expected, found):
            raise InstallationError(f"{page.name}:{step.number}: $ {step.line}\nprinted\n{found}\nexpected\n{expected}")
        count += 1
    if not count:
        raise InstallationError(f"{page.name}: no command that needs no checkout")
    return count
