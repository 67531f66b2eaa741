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
from typing import Final, Literal

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
    with tempfile.TemporaryDirectory() as scratch:
        sdists = _backend("sdist", folders or distributions(), target)
        wheels = wheels_of([unpacked(sdist, Path(scratch)) for sdist in sdists], target)
    return [*sdists, *wheels]


def wheels_of(folders: Iterable[Path], target: Path) -> list[Path]:
    """Build pure wheels of what lies in some folders.

    Args:
        folders: those of the distributions.
        target: the folder for the wheels, which is there.
    """
    return _backend("wheel", folders, target)


def extract(archive: tarfile.TarFile, target: Path, how: Literal["data", "tar"] = "data") -> None:
    """Extract what the project itself has packed, with a filter where Python has them, which is since 3.11.4."""
    if hasattr(tarfile, "data_filter"):
        archive.extractall(target, filter=how)  # noqa: S202 -- it is the project's own
    else:
        archive.extractall(target)  # noqa: S202 -- likewise


def unpacked(sdist: Path, target: Path) -> Path:
    """The folder that an sdist unpacks to."""
    with tarfile.open(sdist) as archive:
        extract(archive, target)
    return target / sdist.name.removesuffix(".tar.gz")


_FORKS: Final = """
import hatchling.build, hatchling.builders.sdist, hatchling.builders.wheel, os, sys
kind, target, *folders = sys.argv[1:]
for folder in folders:
    if os.fork() == 0:
        os.chdir(folder)
        print(getattr(hatchling.build, f"build_{kind}")(target), flush=True)
        os._exit(0)
    if os.wait()[1]:
        sys.exit(f"{os.path.basename(folder)}: its {kind} can't be built")
"""
"""The backend is imported once. It works on the current folder, so each call is made in a process of its own."""


def _backend(kind: str, folders: Iterable[Path], target: Path) -> list[Path]:
    """Call the build backend for each folder."""
    environment = dict(os.environ)
    # The time of the commit, so that two builds of it are the same. Without one, the backend takes a time of its own.
    with contextlib.suppress(ReleaseError):
        environment["SOURCE_DATE_EPOCH"] = git("log", "-1", "--format=%ct")
    environment.pop("HATCH_BUILD_HOOKS_ENABLE", None)
    words = [sys.executable, "-c", _FORKS, kind, str(target.resolve()), *(str(folder.resolve()) for folder in folders)]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        raise ReleaseError(f"{done.stderr}{done.stdout}".rstrip())
    return [target / name for name in done.stdout.split()]
