"""The files of a new team's package: it installs, loads, passes its tests and plays as it is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import resources
from string import Template
from typing import Final

PACKAGE: Final = "PACKAGE"
"""Stands for the package's name in the paths of the templates."""
FILES: Final = (
    "pyproject.toml",
    "README.md",
    f"{PACKAGE}/__init__.py",
    f"{PACKAGE}/player.py",
    f"{PACKAGE}/tank.py",
    f"tests/test_{PACKAGE}.py",
)
"""Each is a template with ``$`` places to fill, in the folder ``new_team``."""


OPPONENTS: Final = ("acorn", "bramble", "coyote")
"""Of the project's own teams; a team of the same name isn't told to meet itself."""


def team_template(name: str) -> Mapping[str, str]:
    """The files of a team called ``name``: path to text.

    Args:
        name: a registered name: letters, digits, ``_``, ``.``, ``+`` and ``-``.
    """
    words = [word for word in re.split(r"[^A-Za-z0-9]+", name) if word]
    package = "_".join(words).lower() or "team"
    prefix = "".join(word[0].upper() + word[1:] for word in words) or "Team"
    if package[0].isdigit():
        package, prefix = f"team_{package}", f"Team{prefix}"
    opponents = [other for other in OPPONENTS if other != name][:2]
    places = {"name": name, "package": package, "prefix": prefix, "opponent": opponents[0], "opponents": " ".join(opponents)}
    folder = resources.files("tiltyard_tanks").joinpath("new_team")
    return {
        path.replace(PACKAGE, package): Template(folder.joinpath(f"{path}.template").read_text(encoding="utf-8")).substitute(places)
        for path in FILES
    }
