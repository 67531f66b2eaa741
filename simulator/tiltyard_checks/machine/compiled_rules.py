"""Which of the installed games have compiled rules: a platform wheel brings them, a pure one the same rules in Python."""

from __future__ import annotations

from importlib.machinery import EXTENSION_SUFFIXES, PathFinder
from pathlib import Path
from typing import Final

from tiltyard_engine.records import Game
from tiltyard_engine.registry.loading import load_source
from tiltyard_engine.registry.registry import Selection
from tiltyard_engine.registry.sources import installed_sources
from tiltyard_simulator.match.own_distributions import OWN_DISTRIBUTIONS
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy

PURE: Final = "pure Python: slower, with the same results"


def is_compiled(package: str) -> bool | None:
    """Whether a package has modules that are compiled for this Python; None if it isn't installed. Nothing is imported."""
    spec = PathFinder.find_spec(package)
    if spec is None or spec.submodule_search_locations is None:
        return None
    files = [path for folder in spec.submodule_search_locations for path in Path(folder).glob("*.*")]
    return any("".join(path.suffixes) in EXTENSION_SUFFIXES for path in files)


def rules_rows(policy: IsolationPolicy) -> list[list[str]]:
    """Rows for the doctor's table: each trusted installed game whose rules can be compiled, and whether they are."""
    selection = Selection.from_environment()
    sources = [source for source in installed_sources(own=OWN_DISTRIBUTIONS) if not (source.error or selection.refusal(source))]
    games = [game for source in sources if policy.trusts(source) for game in load_source(source, ("games",)).records]
    packages = {game.name: game.compiled_package for game in games if isinstance(game, Game) and game.compiled_package}
    builds = {name: is_compiled(package) for name, package in sorted(packages.items())}
    return [[f"rules: {name}", "yes", "compiled" if build else PURE] for name, build in builds.items() if build is not None]
