"""The hooks for commits: they run what exists, on files that exist."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
CONFIGURATION = ROOT / ".pre-commit-config.yaml"
ROOMS = ("engine", "simulator", "tournaments", "plugins", "docs")


def hooks() -> list[dict[str, Any]]:
    (repository,) = yaml.safe_load(CONFIGURATION.read_text(encoding="utf-8"))["repos"]
    assert repository["repo"] == "local"
    found: list[dict[str, Any]] = repository["hooks"]
    return found


def test_the_configuration_is_one() -> None:
    command = [str(Path(sys.executable).with_name("pre-commit")), "validate-config", str(CONFIGURATION)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


@pytest.mark.parametrize("hook", hooks(), ids=lambda hook: str(hook["id"]))
def test_a_hook_runs_in_the_projects_environment(hook: dict[str, Any]) -> None:
    words = shlex.split(hook["entry"])
    assert words[:3] == ["python3", "dev.py", "run"]
    assert Path(sys.executable).with_name(words[3]).exists()
    assert all((ROOT / word).is_file() for word in words[4:] if word.endswith(".py"))


@pytest.mark.parametrize("hook", [hook for hook in hooks() if "files" in hook], ids=lambda hook: str(hook["id"]))
def test_a_hook_has_files_to_look_at(hook: dict[str, Any]) -> None:
    """Each part of a pattern, so that a folder which is moved is missed."""
    files = [path.name for path in ROOT.iterdir()]
    files += [path.relative_to(ROOT).as_posix() for room in ROOMS for path in (ROOT / room).rglob("*") if path.is_file()]
    for part in re.split(r"\|(?![^(]*\))", hook["files"]):
        assert any(re.search(part, file) for file in files), part
