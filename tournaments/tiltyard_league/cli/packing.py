"""What ``tiltyard hand-in`` sends: a file as it is, or a folder as an archive."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tiltyard_engine.errors import UserError, file_errors
from tiltyard_engine.errors.named_paths import near_path, refuse_address
from tiltyard_engine.registry.source_imports import IGNORED_FOLDERS

TOOL_FOLDERS: Final = IGNORED_FOLDERS | {"target", "bin", "obj"}
"""Folders that tools make, and that are made again where the code is checked."""
CACHE: Final = "__pycache__"
COMPILED: Final = (".pyc", ".pyo")


@dataclass(frozen=True, slots=True)
class PackedWork:
    """What is handed in."""

    data: bytes
    name: str
    """Of the file."""
    files: int
    """How many files of a folder are in it; 0: it is a single file as it was."""
    left_out: tuple[str, ...]
    """Files and folders that aren't in it, with a slash after folders; Python's own caches aren't named."""


def pack(work: Path) -> PackedWork:
    """A file as it is, a folder as an archive of its files.

    Equal folders are equal bytes, whenever and wherever they are packed.

    Raises:
        UserError: it is missing, empty or cannot be read.
    """
    if work.is_file():
        with file_errors(work, "read"):
            data = work.read_bytes()
        if not data:
            raise UserError(f"{work}: the file is empty")
        return PackedWork(data, work.name, 0, ())
    if not work.is_dir():
        refuse_address(str(work))
        raise UserError(f"{work}: {'not a file or folder' if work.exists() else f'no such file or folder{near_path(work)}'}")
    root = work.resolve()
    buffer = io.BytesIO()
    left_out: list[str] = []
    with file_errors(work, "read"), zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in _files(root, left_out):
            info = zipfile.ZipInfo(f"{root.name}/{file.relative_to(root).as_posix()}")
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (0o755 if os.access(file, os.X_OK) else 0o644) << 16
            archive.writestr(info, file.read_bytes())
        files = len(archive.namelist())
    if not files:
        without = f" except {', '.join(left_out)}, which would be left out" if left_out else ""
        raise UserError(f"{work}: contains no files{without}")
    return PackedWork(buffer.getvalue(), f"{root.name}.zip", files, tuple(left_out))


def _files(root: Path, left_out: list[str]) -> Iterator[Path]:
    """The files that are packed, always in the same order; what isn't packed is added to ``left_out``."""
    for folder, folders, files in os.walk(root):
        subfolders: list[str] = []
        for name in sorted(folders):
            path = Path(folder, name)
            if not _is_made_by_tools(name) and not path.is_symlink():
                subfolders.append(name)
            elif name != CACHE:
                left_out.append(f"{path.relative_to(root).as_posix()}/")
        folders[:] = subfolders
        for name in sorted(files):
            path = Path(folder, name)
            if not name.startswith(".") and not name.endswith(COMPILED) and path.is_file() and not path.is_symlink():
                yield path
            elif not name.endswith(COMPILED):
                left_out.append(path.relative_to(root).as_posix())


def _is_made_by_tools(folder: str) -> bool:
    return folder in TOOL_FOLDERS or folder.startswith(".") or folder.endswith(".egg-info")
