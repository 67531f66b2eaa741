"""Sdists and pure wheels. Compiled wheels are made by ``python3 dev.py compile`` and by the release workflow."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable
from pathlib import Path

from release.errors import ReleaseError
from release.git import git
from release.metadata import distributions


def build(target: Path, folders: Iterable[Path] | None = None) -> list[Path]:
    """Build sdists, and pure wheels from what the sdists hold, so that nothing is missing there.

    Args:
        target: the folder for them.
        folders: those of the distributions; all, if it isn't given.
    """
    target.mkdir(parents=True, exist_ok=True)
    made: list[Path] = []
    with tempfile.TemporaryDirectory() as scratch:
        for folder in folders or distributions():
            sdist = _backend("sdist", folder, target)
            made += [sdist, _backend("wheel", unpacked(sdist, Path(scratch)), target)]
    return made


def unpacked(sdist: Path, target: Path) -> Path:
    """The folder that an sdist unpacks to."""
    with tarfile.open(sdist) as archive:
        archive.extractall(target, filter="data")
    return target / sdist.name.removesuffix(".tar.gz")


def _backend(kind: str, folder: Path, target: Path) -> Path:
    """Call the build backend, in a process of its own: it works on the current folder."""
    code = f"import hatchling.build, sys; print(hatchling.build.build_{kind}(sys.argv[1]))"
    environment = dict(os.environ)
    # The time of the commit, so that two builds of it are the same. Without one, the backend takes a time of its own.
    with contextlib.suppress(ReleaseError):
        environment["SOURCE_DATE_EPOCH"] = git("log", "-1", "--format=%ct")
    environment.pop("HATCH_BUILD_HOOKS_ENABLE", None)
    words = [sys.executable, "-c", code, str(target.resolve())]
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        raise ReleaseError(f"{folder.name}: its {kind} can't be built:\n{done.stderr}{done.stdout}".rstrip())
    return target / done.stdout.split()[-1]
