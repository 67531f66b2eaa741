"""Which of the installed games have compiled rules: a platform wheel brings them, a pure one the same rules in Python."""

from __future__ import annotations

from importlib.machinery import EXTENSION_SUFFIXES, PathFinder
from pathlib import Path
from typing import Final

GAMES: Final = ("advance", "filler", "penguins", "tanks")
"""Those whose rules can be compiled."""
PURE: Final = "pure Python: slower, with the same results"


def is_compiled(package: str) -> bool | None:
    """Whether a package has modules that are compiled for this Python; None if it isn't installed. Nothing is imported."""
    spec = PathFinder.find_spec(package)
    if spec is None or spec.submodule_search_locations is None:
        return None
    files = [path for folder in spec.submodule_search_locations for path in Path(folder).glob("*.*")]
    return any("".join(path.suffixes) in EXTENSION_SUFFIXES for path in files)


def rules_rows() -> list[list[str]]:
    """Rows for the doctor's table: each installed game whose rules can be compiled, and whether they are."""
    builds = {game: is_compiled(f"tiltyard_{game}") for game in GAMES}
    return [[f"rules: {game}", "yes", "compiled" if build else PURE] for game, build in builds.items() if build is not None]
