"""A copy of what a release changes, to change it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import dev
import pytest
from release import checks, git, metadata, version

Git = Callable[..., str]


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every pyproject.toml, the changelog, the licence and the texts that name bounds, in a git repository of their own."""
    copied = [folder / name for folder in metadata.distributions() for name in ("pyproject.toml", "LICENSE")]
    copied += [dev.ROOT / name for name in (*metadata.BOUNDED_TEXTS, "CHANGELOG.md")]
    root = tmp_path / "tree"
    for path in copied:
        target = root / path.relative_to(dev.ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)
    for module in (dev, metadata, version, git, checks):
        monkeypatch.setattr(module, "ROOT", root)
    for module in (metadata, version):
        monkeypatch.setattr(module, "PYPROJECT", root / "pyproject.toml")
    monkeypatch.setattr(version, "CHANGELOG", root / "CHANGELOG.md")
    return root


@pytest.fixture
def repository(tree: Path, monkeypatch: pytest.MonkeyPatch) -> Git:
    """git in that tree, with all of it committed."""
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "A Maintainer")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "maintainer@tiltyard.invalid")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")

    def run(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=tree, capture_output=True, text=True, check=True).stdout.strip()

    run("init", "--quiet")
    run("add", ".")
    run("commit", "--quiet", "--message", "All")
    return run
