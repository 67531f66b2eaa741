"""What a plugin's code is, as one number: two sources of equal digest are the same code."""

from __future__ import annotations

import hashlib
import os
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry.sources import Origin, Source
from tiltyard_simulator.guard.readable_paths import installed_files

IGNORED_FOLDERS: Final = frozenset(["__pycache__", "node_modules", "build", "dist", "venv"])
"""Not a team's code, and changed by looking at it; folders with a leading dot neither."""
BUILT: Final = frozenset(["build", "dist", "node_modules"])
"""Of a program these may be what runs."""
CHUNK: Final = 1 << 20


@cache
def code_digest(source: Source) -> str:
    """The digest of all files of a source, with their names; once a process.

    Of an installed distribution the files are hashed rather than its version believed: an editable one changes without.

    Raises:
        UserError: a file cannot be read.
    """
    digest = hashlib.blake2b(digest_size=16)
    value = source.value if source.origin is Origin.INSTALLED else _words(source)
    digest.update(f"{source.origin}\0{value}\0{source.version}\0".encode())
    try:
        for root in _roots(source):
            for file in _files(root, IGNORED_FOLDERS - BUILT if source.origin is Origin.PROGRAM else IGNORED_FOLDERS):
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


def _words(source: Source) -> str:
    """Of a bare command its words, without where their files lie."""
    if source.origin is not Origin.PROGRAM or source.folder:
        return ""
    return "\0".join(Path(word).name if Path(word).is_absolute() else word for word in shlex.split(source.value))


def _roots(source: Source) -> list[Path]:
    if source.origin is Origin.INSTALLED:
        # What installers write beside the code differs from one installation to the next.
        found = sorted(Path(path) for path in installed_files(source.distribution))
        return [path for path in found if path.suffix not in (".pth", ".dist-info")]
    if source.origin is Origin.PROGRAM and not source.folder:
        return files_of_command(source.value)
    return [Path(source.folder if source.origin in (Origin.PROJECT, Origin.PROGRAM) else source.value)]


def files_of_command(text: str) -> list[Path]:
    """The files that the words of a bare command name."""
    return [Path(word) for word in shlex.split(text) if Path(word).is_absolute() and Path(word).is_file()]


def _files(root: Path, ignored: frozenset[str]) -> Iterator[Path]:
    """All files below, in an order that does not depend on the file system."""
    if root.is_file():
        yield root
        return
    for folder, folders, files in os.walk(root, onerror=_raise):
        folders[:] = sorted(name for name in folders if name not in ignored and not name.startswith("."))
        for name in sorted(files):
            path = Path(folder, name)
            if not name.endswith((".pyc", ".pyo")) and path.is_file():
                yield path


def _raise(error: OSError) -> None:
    raise error
