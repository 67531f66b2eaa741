"""The files of a team's tree, as recognition and builds see them: regular files alone, bounded, without what other builds left."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_simulator.guard.programs.build_client import BuildFile

MOST_FILES: Final = 20_000
MOST_BYTES: Final = 512 << 20
LARGEST: Final = 128 << 20
IGNORED: Final = frozenset(
    ("__pycache__", "__MACOSX", "CMakeFiles", "node_modules", "venv", ".venv", ".git", ".svn", ".hg", ".vs", ".vscode", ".idea")
)
"""Folders that hold nothing that a team has written."""
BESIDE: Final = {"obj": ".csproj", "target": "Cargo.toml"}
"""Folders of generated files, and how the name of the file ends that stands beside them."""
LEFT_BY_BUILDS: Final = (".o", ".obj", ".gch", ".pch", ".pyc")
CACHES: Final = ("CMakeCache.txt", ".ninja_log", ".ninja_deps")
ELF: Final = b"\x7fELF"
WINDOWS: Final = b"MZ"


def names_in(tree: Path) -> list[str]:
    """The names of the files below a folder, relative to it, in the order of their names. No link is followed.

    Raises:
        UserError: there are too many, or the folder cannot be read.
    """
    paths: list[str] = []
    for name in _walk(tree):
        paths.append(name)
        if len(paths) > MOST_FILES:
            raise UserError(f"{tree}: more than {MOST_FILES:,} files")
    return sorted(paths)


def _walk(tree: Path) -> Iterator[str]:
    waiting: list[tuple[str, str]] = [(str(tree), "")]
    while waiting:
        folder, prefix = waiting.pop()
        try:
            with os.scandir(folder) as iterator:
                entries = list(iterator)
        except OSError as error:
            raise UserError(f"{folder}: cannot be read: {error.strerror}") from error
        names = [entry.name for entry in entries]
        for entry in entries:
            if not entry.name.isprintable():
                continue
            if entry.is_dir(follow_symlinks=False):
                if not _is_ignored(entry.name, names):
                    waiting.append((entry.path, f"{prefix}{entry.name}/"))
            elif entry.is_file(follow_symlinks=False):
                yield prefix + entry.name


def _is_ignored(folder: str, beside: Sequence[str]) -> bool:
    mark = BESIDE.get(folder)
    return folder in IGNORED or (mark is not None and any(name.endswith(mark) for name in beside))


def read_file(tree: Path, name: str) -> BuildFile:
    """A file with its contents; a name that became a link meanwhile is refused.

    Raises:
        UserError: it is too large, or cannot be read.
    """
    try:
        descriptor = os.open(tree / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:  # noqa: PTH123 -- a descriptor
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise UserError(f"{tree / name}: not a regular file")
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise UserError(f"{tree / name}: cannot be read: {error.strerror}") from error
    if len(data) > LARGEST:
        raise UserError(f"{tree / name}: larger than {LARGEST >> 20} MiB")
    return BuildFile(data, bool(status.st_mode & 0o111))


def read_sources(tree: Path, names: Sequence[str]) -> dict[str, BuildFile]:
    """What a build gets: all files but those that another build has made, which 'make' would take for new.

    Raises:
        UserError: a file is too large or cannot be read, or all together are too large.
    """
    sources: dict[str, BuildFile] = {}
    size = 0
    for name in names:
        if PurePosixPath(name).name in CACHES or name.endswith(LEFT_BY_BUILDS):
            continue
        file = read_file(tree, name)
        if file.data.startswith(ELF) or (file.data.startswith(WINDOWS) and name.endswith((".exe", ".dll"))):
            continue
        size += len(file.data)
        if size > MOST_BYTES:
            raise UserError(f"{tree}: its files are larger than {MOST_BYTES >> 20} MiB together")
        sources[name] = file
    return sources
