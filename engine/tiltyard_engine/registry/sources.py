"""Where a plugin can come from: an entry point, a .py or .so file, a package folder, a project folder, a program's manifest."""

from __future__ import annotations

import itertools
import re
import tomllib
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.hooks import PROJECT
from tiltyard_engine.registry.file_loaders import FILES_GROUP, LIBRARY_SUFFIX, needs_of

PYPROJECT: Final = "pyproject.toml"
MANIFEST: Final = "program.toml"
"""What makes a folder that of an external program."""
PLUGIN_SUFFIXES: Final = (".py", LIBRARY_SUFFIX)
"""Of single files that are plugins."""
UNKNOWN: Final = "unknown"
"""The name of distributions whose metadata are lost."""
HOST_DISTRIBUTION: Final = "tiltyard"
"""The one that runs matches. It contributes too, but its code is in every cell."""
OWN_DISTRIBUTIONS: Final = frozenset(
    [
        HOST_DISTRIBUTION,
        "tiltyard-tanks",
        "tiltyard-tanks-native",
        "tiltyard-advance",
        "tiltyard-filler",
        "tiltyard-penguins",
        "tiltyard-acorn",
        "tiltyard-bramble",
        "tiltyard-coyote",
        "tiltyard-dragoon",
    ]
)
"""Installed distributions that are part of the project."""


class Origin(StrEnum):
    """The kinds of source."""

    INSTALLED = "installed"
    FILE = "file"
    PACKAGE = "package"
    PROJECT = "project"
    PROGRAM = "program"
    LIBRARY = "library"


@dataclass(frozen=True, slots=True, order=True)
class Source:
    """One place that a plugin is loaded from. Plain data: it can be sent to another process and loaded there."""

    name: str
    """Entry-point name, or the stem of the file or folder."""
    origin: Origin
    value: str
    """``module`` or ``module:attribute``; for files, packages and manifests the absolute path; for a bare command its words."""
    distribution: str = ""
    version: str = ""
    folder: str = ""
    """Origin PROJECT: the folder to import from. Origin PROGRAM: the manifest's; empty for a bare command."""
    error: str = ""
    """Why it cannot even be tried, such as a broken pyproject.toml."""
    loader: str = ""
    """Origin LIBRARY: ``module:attribute`` of the ``FileLoader`` that makes a plugin of the file."""
    needs: tuple[str, ...] = ()
    """Origin LIBRARY: files of this machine that running it takes beside its own."""

    def __str__(self) -> str:
        """The source in words, for messages."""
        if self.origin is Origin.INSTALLED:
            return f"{self.name} ({f'{self.distribution} {self.version}'.strip()})"
        return self.folder or self.value


def installed_sources(group: str = PROJECT) -> list[Source]:
    """All entry points of ``group``, the project's own first, then sorted.

    So nobody can take the name of something of the project away. A distribution seen twice counts once, as the first on
    the path.
    """
    found: dict[str, list[Source]] = {}
    nameless: list[Source] = []
    for distribution in metadata.distributions():
        sources = _distribution_sources(distribution, group)
        if not sources:
            continue
        name = sources[0].distribution
        if name != UNKNOWN:
            found.setdefault(name, sources)
        else:
            nameless += sources
    every = [*itertools.chain.from_iterable(found.values()), *nameless]
    return sorted(every, key=lambda source: (not is_own(source), source.name, source.distribution, source.value))


def is_own(source: Source) -> bool:
    """Whether it is an installed part of the project."""
    return source.origin is Origin.INSTALLED and source.distribution in OWN_DISTRIBUTIONS


def normal_name(distribution: str) -> str:
    """A distribution's name as all its spellings compare equal."""
    return re.sub(r"[-_.]+", "-", distribution).lower()


def _distribution_sources(distribution: metadata.Distribution, group: str) -> list[Source]:
    """A distribution's entry points of ``group``; broken ones that seem to be meant for it are a source with an error."""
    error = ""
    values: dict[str, str] = {}
    try:
        values = {entry.name: entry.value for entry in distribution.entry_points if entry.group == group}
    except Exception as problem:
        # The standard library raises whatever it happens to stumble over.
        if f"[{group}]" in (distribution.read_text("entry_points.txt") or ""):
            error = f"entry_points.txt: {problem}"
    if not values and not error:
        return []
    name, version = _name_and_version(distribution)
    if error:
        return [Source(name, Origin.INSTALLED, "", name, version, error=error)]
    return [Source(entry, Origin.INSTALLED, value, name, version) for entry, value in values.items()]


def _name_and_version(distribution: metadata.Distribution) -> tuple[str, str]:
    try:
        about = distribution.metadata
    except FileNotFoundError:
        # So says the package importlib_metadata, which takes the standard library's place as soon as anything imports it.
        return UNKNOWN, ""
    name = normal_name(about["Name"]) if "Name" in about else UNKNOWN
    version = about["Version"] if "Version" in about else ""  # noqa: SIM401 -- "get" came with Python 3.12
    return name, version


def path_sources(path: Path) -> list[Source]:
    """The plugins at ``path``: a file, a package, a project, or a folder that holds some of these, sorted by name.

    Raises:
        UserError: the path is missing, unreadable, or nothing that a plugin could be.
    """
    try:
        if path.is_dir():
            return _folder_sources(path) or _children(path)
        if path.is_file():
            if path.name == MANIFEST:
                return [_manifest_source(path.parent)]
            if path.suffix not in PLUGIN_SUFFIXES:
                expected = f"a folder, a .py or {LIBRARY_SUFFIX} file, a {MANIFEST} or an executable file"
                raise UserError(f"{path}: not a plugin: expected {expected}")
            return [_file_source(path)]
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    raise UserError(f"{path}: no such file or folder")


def _children(folder: Path) -> list[Source]:
    sources: list[Source] = []
    for child in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if child.name.startswith((".", "__")):
            continue
        if child.is_dir():
            sources.extend(_child_folder_sources(child))
        elif child.suffix in PLUGIN_SUFFIXES:
            sources.append(_file_source(child))
    return sources


def _file_source(path: Path) -> Source:
    whole = str(path.resolve())
    if path.suffix != LIBRARY_SUFFIX:
        return Source(path.stem, Origin.FILE, whole)
    loader = _loaders().get(path.suffix, "")
    if not loader:
        error = f"nothing is installed that loads {path.suffix} files: install tiltyard-tanks-native"
        return Source(path.stem, Origin.LIBRARY, whole, error=error)
    try:
        return Source(path.stem, Origin.LIBRARY, whole, loader=loader, needs=needs_of(loader))
    except UserError as error:
        return Source(path.stem, Origin.LIBRARY, whole, error=str(error), loader=loader)


@cache
def _loaders() -> dict[str, str]:
    """Suffix to the loader of such files; of the project's own distributions alone, as it is run here."""
    return {f".{source.name}": source.value for source in installed_sources(FILES_GROUP) if is_own(source)}


def _child_folder_sources(folder: Path) -> list[Source]:
    """What a folder among others is; one that a team may have meant as a plugin but that is none says so."""
    try:
        sources = _folder_sources(folder)
        if sources:
            return sources
        if (folder / PYPROJECT).is_file():
            return [_unusable(folder, f"{PYPROJECT}: no entry point of the group '{PROJECT}'")]
        if any(folder.glob("*.py")):
            return [_unusable(folder, f"holds Python files, but neither an __init__.py nor a {PYPROJECT} with entry points")]
    except OSError as error:
        return [_unusable(folder, f"cannot be read: {error.strerror}")]
    return []


def _folder_sources(folder: Path) -> list[Source]:
    """What a folder is by itself: a program, a package, a project with entry points, or nothing."""
    if (folder / MANIFEST).is_file():
        return [_manifest_source(folder)]
    if (folder / "__init__.py").is_file():
        return [Source(folder.resolve().name, Origin.PACKAGE, str(folder.resolve()))]
    pyproject = folder / PYPROJECT
    if not pyproject.is_file():
        return []
    try:
        project = tomllib.loads(pyproject.read_text(encoding="utf-8")).get("project", {})
        entry_points = project.get("entry-points", {}).get(PROJECT, {})
        root = _import_root(folder)
        return [
            Source(name, Origin.PROJECT, str(value), str(project.get("name", "")), str(project.get("version", "")), root)
            for name, value in sorted(entry_points.items())
        ]
    except (OSError, ValueError, AttributeError) as error:
        return [_unusable(folder, f"{PYPROJECT}: {error}")]


def _manifest_source(folder: Path) -> Source:
    whole = folder.resolve()
    return Source(whole.name, Origin.PROGRAM, str(whole / MANIFEST), folder=str(whole))


def _unusable(folder: Path, error: str) -> Source:
    return Source(folder.resolve().name, Origin.PROJECT, "", folder=str(folder.resolve()), error=error)


def _import_root(folder: Path) -> str:
    """The folder to import from: ``src`` where a project uses it."""
    source = folder / "src"
    root = (source if source.is_dir() else folder).resolve()
    if not root.is_relative_to(folder.resolve()):
        # All that is below this folder is shown to the project's code.
        raise ValueError(f"src is a link that leads out of the project, to {root}")
    return str(root)
