"""A digest of a plugin's code: sources with equal digests have the same code."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

from tiltyard_engine.errors import UserError, file_errors
from tiltyard_engine.registry.source_imports import IGNORED_FOLDERS
from tiltyard_engine.registry.sources import Origin, Source
from tiltyard_simulator.match.plugin_files import files_by_metadata, imported_from_elsewhere

BUILT: Final = frozenset(["build", "dist", "node_modules"])
"""Not ignored for a program, because they may contain what runs."""
BYTECODE: Final = "__pycache__"
UNCHECKED: Final = (1).to_bytes(4, "little")
CHUNK: Final = 1 << 20
MOST_BYTES: Final = 4 << 30
"""Of all files of a team. A file with a hole in it may claim more than any disk has, and reading it takes as long."""


@cache
def code_digest(source: Source, without: tuple[str, ...] = ()) -> str:
    """The digest of all files of a source and their names, and of its environment. Remembered by this process.

    The files of an installed distribution are hashed too, because an editable one changes without a new version.

    Args:
        source: whose code it is.
        without: modules of it, such as ``my_game.theme``, whose files are left out.

    Raises:
        UserError: a file cannot be read, or all have more than MOST_BYTES.
    """
    if source in _REMEMBERED and not without:
        return _REMEMBERED[source]
    digest = hashlib.blake2b(digest_size=16)
    size = 0
    # What was given has no files; it counts as the same only as long as it is the same object in one process.
    value = source.value if source.origin in (Origin.INSTALLED, Origin.GIVEN) else _words(source)
    digest.update(f"{source.origin}\0{value}\0{source.version}\0".encode())
    if source.environment:
        digest.update(f"environment {Path(source.environment).name}\0".encode())
    for root, name, file in code_files(source):
        if _is_of(name, without):
            continue
        size += _size_of(file)
        if size > MOST_BYTES:
            raise UserError(f"{root}: its files have more than {MOST_BYTES:,} bytes")
        # Names of files are bytes, and need not be text.
        digest.update(os.fsencode(name) + b"\0" + hash_of_file(file))
    return digest.hexdigest()


_REMEMBERED: Final[dict[Source, str]] = {}


def remember_digest(source: Source, digest: str) -> None:
    """Let ``code_digest`` answer this for a source whose files are gone, in this process."""
    _REMEMBERED[source] = digest


def digest_without_loader(source: Source) -> str:
    """The digest of what somebody made: of a compiled file alone, and not of its loader, which comes with the game.

    Raises:
        UserError: as ``code_digest``.
    """
    return code_digest(replace(source, loader="") if source.loader else source)


def _is_of(name: str, modules: tuple[str, ...]) -> bool:
    """Whether a file, named from its root on, is a module's own, or in it where that is a package."""
    paths = [module.replace(".", "/") for module in modules]
    return any(f"/{name}".endswith(f"/{path}.py") or f"/{path}/" in f"/{name}" for path in paths)


def code_files(source: Source) -> Iterator[tuple[Path, str, Path]]:
    """The files of a source: the root of each, its name from the root on, and its path.

    Of an installed one these are the files that are imported. They have the names of those that were installed, so that an equal
    copy elsewhere is the same code.

    Raises:
        UserError: a file or folder cannot be read, or the source is imported from two places.
    """
    ignored = IGNORED_FOLDERS - BUILT if source.origin is Origin.PROGRAM else IGNORED_FOLDERS
    elsewhere = imported_from_elsewhere(source.distribution) if source.origin is Origin.INSTALLED else ()
    instead = {package.installed: package.places for package in elsewhere if package.installed is not None}
    # What no metadata list cannot take the place of anything.
    unlisted = [place for package in elsewhere if package.installed is None for place in package.places]
    for root in [*code_roots(source), *unlisted]:
        for file, imported in _files_and_names(root, ignored, instead):
            yield root, file.relative_to(root.parent).as_posix(), imported


def hash_of_file(file: Path) -> bytes:
    """The digest of a file's contents. Remembered by this process until the file changes.

    Raises:
        UserError: it cannot be read.
    """
    with file_errors(file, "read"):
        status = file.stat()
        # The time of a change can be set to any, but not when that was done.
        return _hash_of(str(file), (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino))


def _size_of(file: Path) -> int:
    with file_errors(file, "read"):
        return file.stat().st_size


@cache
def _hash_of(file: str, state: tuple[int, ...]) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    with Path(file).open("rb") as stream:
        while piece := stream.read(CHUNK):
            digest.update(piece)
    return digest.digest()


def _words(source: Source) -> str:
    """The words of a bare command, without the folders of their files; empty for other sources."""
    if source.origin is not Origin.PROGRAM or source.folder:
        return ""
    try:
        words = shlex.split(source.value)
    except ValueError as error:
        raise UserError(f"{source.value}: not a command: {error}") from error
    return "\0".join(Path(word).name if Path(word).is_absolute() else word for word in words)


def code_roots(source: Source) -> list[Path]:
    """The files and folders with a source's code."""
    if source.origin is Origin.GIVEN:
        return []
    if source.origin is Origin.INSTALLED:
        # What installers write beside the code differs between installations.
        return [path for path in files_by_metadata(source.distribution) if path.suffix not in (".pth", ".dist-info")]
    if source.origin is Origin.PROGRAM and not source.folder:
        return files_of_command(source.value)
    if source.origin is Origin.LIBRARY and source.loader:
        return [Path(source.value), *_loader_roots(source.loader)]
    return [Path(source.folder or source.value)]


def _loader_roots(loader: str) -> list[Path]:
    """The source of a compiled file's loader, which is part of the code too. Its binary differs between compilers."""
    spec = importlib.util.find_spec(loader.partition(":")[0].partition(".")[0])
    return [] if spec is None else [Path(folder) for folder in spec.submodule_search_locations or []]


def files_of_command(text: str) -> list[Path]:
    """The files that the words of a bare command name; none if they are no command, as in a file that somebody else wrote."""
    with contextlib.suppress(ValueError, OSError):
        return [Path(word) for word in shlex.split(text) if Path(word).is_absolute() and Path(word).is_file()]
    return []


def files_below(root: Path, ignored: frozenset[str] = IGNORED_FOLDERS) -> Iterator[Path]:
    """All files below a folder that are code, in an order that does not depend on the file system.

    Raises:
        UserError: a folder cannot be listed.
    """
    for file, _ in _files_and_names(root, ignored, {}):
        yield file


def _files_and_names(root: Path, ignored: frozenset[str], instead: Mapping[Path, tuple[Path, ...]]) -> Iterator[tuple[Path, Path]]:
    """The files below a folder, and what is imported for each: itself, or what lies in one of the places ``instead``."""
    if root.is_file():
        yield from _imported(root, instead[root]) if root in instead else [(root, root)]
        return
    for folder, folders, files in os.walk(root, onerror=_raise):
        if instead and Path(folder) in instead:
            folders.clear()
            yield from _imported(Path(folder), instead[Path(folder)])
            continue
        compiled = BYTECODE in ignored.intersection(folders)
        folders[:] = sorted(name for name in folders if name not in ignored and not name.startswith("."))
        for name in sorted(files):
            path = Path(folder, name)
            if path in instead:
                yield from _imported(path, instead[path])
            elif path.is_file():
                yield path, path
        if compiled:
            yield from ((path, path) for path in sorted(Path(folder, BYTECODE).glob("*.pyc")) if _is_run_unchecked(path))


def _imported(installed: Path, places: tuple[Path, ...]) -> Iterator[tuple[Path, Path]]:
    # Of two files with one name, Python imports the first.
    paths: dict[Path, Path] = {}
    for place in places:
        base = place if place.is_dir() and installed.is_dir() else place.parent
        for file in files_below(place):
            paths.setdefault(file.relative_to(base), file)
    folder = installed if installed.is_dir() else installed.parent
    yield from ((folder / name, file) for name, file in paths.items())


def _is_run_unchecked(path: Path) -> bool:
    """Whether Python runs this byte code without a look at its source. Source: PEP 552."""
    with file_errors(path, "read"), path.open("rb") as file:
        return file.read(8)[4:] == UNCHECKED


def _raise(error: OSError) -> None:
    raise UserError(f"{error.filename}: cannot be read: {error.strerror}") from error
