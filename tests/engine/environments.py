"""Environments of teams as an intake leaves them, without running one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from tiltyard_engine.registry.environments import (
    ENVIRONMENTS,
    LOCK_FILE,
    TEAMS_FILE,
    lock_digest,
    packages_folder,
    python_line,
    read_teams,
)


def make_environment(product: Path, modules: Mapping[str, str], python: str = "") -> Path:
    """An environment with these modules, for a team's file or folder; equal ones are the same folder."""
    lock = "\n".join([python or python_line(), *(f"{name}=={len(text)}.{abs(hash(text))}" for name, text in modules.items()), ""])
    folder = product.parent.resolve() / ENVIRONMENTS / lock_digest(lock)
    packages = packages_folder(folder)
    packages.mkdir(parents=True, exist_ok=True)
    for name, text in modules.items():
        (packages / f"{name}.py").write_text(text, encoding="utf-8")
    (folder / LOCK_FILE).write_text(lock, encoding="utf-8")
    known = {**read_teams(product.parent), product.name: folder.name}
    (folder.parent / TEAMS_FILE).write_text(json.dumps(known), encoding="utf-8")
    return folder
