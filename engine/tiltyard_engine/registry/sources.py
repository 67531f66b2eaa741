"""Where a plugin can come from: an entry point, a .py file, a package folder, a project folder."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from enum import StrEnum
from importlib import metadata
from pathlib import Path

from tiltyard_engine.errors import UserError
from tiltyard_engine.hooks import PROJECT


class Origin(StrEnum):
    """The kinds of source."""

    INSTALLED = "installed"
    FILE = "file"
    PACKAGE = "package"
    PROJECT = "project"


@dataclass(frozen=True, slots=True, order=True)
class Source:
    """One place that a plugin is loaded from. Plain data: it can be sent to another process and loaded there."""

    name: str
    """Entry-point name, or the stem of the file or folder."""
    origin: Origin
    value: str
    """``module`` or ``module:attribute``; for files and packages the absolute path."""
    distribution: str = ""
    version: str = ""
    folder: str = ""
    """Origin PROJECT: the folder to import from."""
    error: str = ""
    """Why it cannot even be tried, such as a broken pyproject.toml."""

    def __str__(self) -> str:
        """The source in words, for messages."""
        if self.origin is Origin.INSTALLED:
            return f"{self.name} ({self.distribution} {self.version})"
        return self.folder or self.value


def installed_sources(group: str = PROJECT) -> list[Source]:
    """All entry points of ``group``, sorted; the same distribution seen twice on the path counts once."""
    found: dict[tuple[str, str], Source] = {}
    for distribution in metadata.distributions():
        entry_points = [entry for entry in distribution.entry_points if entry.group == group]
        if not entry_points:
            continue
        name = re.sub(r"[-_.]+", "-", distribution.metadata["Name"] or "unknown").lower()
        for entry in entry_points:
            source = Source(entry.name, Origin.INSTALLED, entry.value, name, distribution.version)
            found.setdefault((name, entry.name), source)
    return sorted(found.values(), key=lambda source: (source.name, source.distribution))


def path_sources(path: Path) -> list[Source]:
    """The plugins at ``path``: a file, a package, a project, or a folder that holds some of these, sorted by name.

    Raises:
        UserError: the path is missing, unreadable, or nothing that a plugin could be.
    """
    try:
        if path.is_dir():
            own = _folder_sources(path)
            return own or _children(path)
        if path.is_file():
            if path.suffix != ".py":
                raise UserError(f"{path}: not a plugin: expected a .py file or a folder")
            return [Source(path.stem, Origin.FILE, str(path.resolve()))]
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    raise UserError(f"{path}: no such file or folder")


def _children(folder: Path) -> list[Source]:
    sources: list[Source] = []
    for child in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if child.name.startswith((".", "__")):
            continue
        if child.is_dir():
            sources.extend(_folder_sources(child))
        elif child.suffix == ".py":
            sources.append(Source(child.stem, Origin.FILE, str(child.resolve())))
    return sources


def _folder_sources(folder: Path) -> list[Source]:
    """What a folder is by itself: a package, a project with entry points, or nothing."""
    if (folder / "__init__.py").is_file():
        return [Source(folder.resolve().name, Origin.PACKAGE, str(folder.resolve()))]
    pyproject = folder / "pyproject.toml"
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
        return [Source(folder.name, Origin.PROJECT, "", folder=str(folder.resolve()), error=f"{pyproject.name}: {error}")]


def _import_root(folder: Path) -> str:
    """The folder to import from: ``src`` where a project uses it."""
    source = folder / "src"
    return str((source if source.is_dir() else folder).resolve())
