"""Container files, step by step in a scratch folder: no container, but the same files, installation and layout."""

from __future__ import annotations

import fnmatch
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LONG = 300.0
"""Seconds after which a step gives up: far beyond what a busy machine needs."""


@dataclass(frozen=True)
class Step:
    """An instruction and what follows it."""

    name: str
    text: str


def steps(text: str) -> list[Step]:
    """The instructions; lines that end in a backslash go on."""
    joined = re.sub(r"\\\n\s*", " ", re.sub(r"^\s*#.*\n", "", text, flags=re.MULTILINE))
    return [Step(*line.split(" ", 1)) for line in joined.splitlines() if line.strip()]


def sent(ignored: str) -> list[Path]:
    """The files that Docker is sent: each line of ``.dockerignore`` leaves out, or with ``!`` lets in, and the last one counts."""
    rules = ignored.split()[ignored.split().index("*") :]
    roots = [ROOT / rule[1:] for rule in rules if rule.startswith("!")]
    files = [path for root in roots for path in (root.rglob("*") if root.is_dir() else [root]) if path.is_file()]
    return [path.relative_to(ROOT) for path in files if not _is_left_out(path.relative_to(ROOT), rules)]


def _is_left_out(path: Path, rules: list[str]) -> bool:
    """A rule is about a path if it matches it or a folder above it; ``**/`` stands for any folders."""
    above = [path, *path.parents][:-1]
    left_out = False
    for rule in rules:
        pattern = rule.removeprefix("!")
        names = [one.name for one in above] if pattern.startswith("**/") else [str(one) for one in above]
        if any(fnmatch.fnmatchcase(name, pattern.removeprefix("**/")) for name in names):
            left_out = not rule.startswith("!")
    return left_out


def copied(ignored: Path, folder: Path) -> Path:
    """What ``COPY . /src`` brings: a new folder with the files that Docker is sent."""
    for path in sent(ignored.read_text()):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / path, folder / path)
    return folder


def bare_python(folder: Path) -> Path:
    """A Python whose environment has the dependencies of this one, but nothing of the project."""
    for needed in ("pip", "hatchling"):
        if importlib.util.find_spec(needed) is None:
            pytest.skip(f"{needed} is not installed here")
    dependencies = folder / "dependencies"
    dependencies.mkdir()
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if not entry.name.startswith(("tiltyard", "_editable", "__pycache__")) and entry.suffix != ".pth":
            (dependencies / entry.name).symlink_to(entry)
    venv.create(folder / "venv", symlinks=True)
    made = folder / "venv" / "bin" / "python"
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = subprocess.run([made, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    (Path(packages) / "dependencies.pth").write_text(f"{dependencies}\n")
    return made


def run(command: str, python: Path) -> None:
    """A command of the image, with this environment's Python and without a network. What pip installs, uv does in less time."""
    words = shlex.split(command)
    if words[0] == "rm":
        return
    if words[0] == "pip":
        uv = [sys.executable, "-m", "uv", "--quiet", "--offline", "pip", "install", "--python", str(python)]
        words = [*uv, "--no-build-isolation", "--no-deps", "--no-sources", "--no-index", *words[2:]]
    else:
        assert words[0] == "python", command
        words[0] = str(python)
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=LONG)
    assert done.returncode == 0, f"{command}: {done.stderr}"


def inside(folder: Path, python: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A command as one types it in the container."""
    environment = {"PATH": f"{python.parent}{os.pathsep}{os.defpath}", "HOME": str(folder), "LANG": "C.UTF-8"}
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=LONG)
