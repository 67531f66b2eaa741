"""Trees of teams, and builds of them, for tests."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from tiltyard_engine.recipes import Recipe
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.intake.building import BUILD_LIMITS, Built, build
from tiltyard_simulator.intake.recognition import recognise
from tiltyard_simulator.match.limits import Limits


def plant(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files below a folder; scripts may be executed."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        if name.endswith(".sh") or path.read_bytes().startswith(b"#!"):
            path.chmod(0o755)
    return folder


def need(*tools: str) -> None:
    """Skip where this machine lacks a tool."""
    for tool in tools:
        if shutil.which(tool) is None:
            pytest.skip(f"no {tool} here")


def built(
    tree: Path,
    recipes: Iterable[Recipe],
    limits: Limits = BUILD_LIMITS,
    *,
    team: str = "anna",
    game: str = "",
    forced: str = "",
    pool: CellPool | None = None,
) -> Built:
    """Recognise and build a tree; teams go into ``teams`` beside it."""
    return build(recognise(tree, recipes, forced), tree.parent / "teams", limits, team=team, game=game, pool=pool)
