"""What a plugin's code is, as one number: two sources of equal digest are the same code."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry.sources import Origin, Source
from tiltyard_simulator.guard.readable_paths import installed_files

IGNORED_FOLDERS: Final = frozenset(["__pycache__", "node_modules", "build", "dist", "venv"])
"""Not a team's code, and changed by looking at it; folders with a leading dot neither."""
CHUNK: Final = 1 << 20


@cache
def code_digest(source: Source) -> str:
    """The digest of all files of a source, with their names; once a process.

    Of an installed distribution the files are hashed rather than its version believed: an editable one changes without.

    Raises:
        UserError: a file cannot be read.
    """
    digest = hashlib.blake2b(digest_size=16)
    digest.update(f"{source.origin}\0{source.value if source.origin is Origin.INSTALLED else ''}\0{source.version}\0".encode())
    try:
        for root in _roots(source):
            for file in _files(root):
                name = file.relative_to(root.parent).as_posix()
                data = _hash_of(str(file), file.stat().st_mtime_ns)
                digest.update(f"{name}\0".encode() + data)
    except OSError as error:
        raise UserError(f"{error.filename}: cannot be read: {error.strerror}") from error
    return digest.hexdigest()


@cache
def _hash_of(file: str, changed: int) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    with Path(file).open("rb") as opened:
        while piece := opened.read(CHUNK):
            digest.update(piece)
    return digest.digest()


def _roots(source: Source) -> list[Path]:
    if source.origin is Origin.INSTALLED:
        # What installers write beside the code differs from one installation to the next.
        found = sorted(Path(path) for path in installed_files(source.distribution))
        return [path for path in found if path.suffix not in (".pth", ".dist-info")]
    return [Path(source.folder if source.origin is Origin.PROJECT else source.value)]


def _files(root: Path) -> Iterator[Path]:
    """All files below, in an order that does not depend on the file system."""
    if root.is_file():
        yield root
        return
    for folder, folders, files in os.walk(root, onerror=_raise):
        folders[:] = sorted(name for name in folders if name not in IGNORED_FOLDERS and not name.startswith("."))
        for name in sorted(files):
            path = Path(folder, name)
            if not name.endswith((".pyc", ".pyo")) and path.is_file():
                yield path


def _raise(error: OSError) -> None:
    raise error
