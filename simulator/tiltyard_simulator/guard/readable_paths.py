"""Which files a team's code may read: Python, what is installed for everybody, its own; not what other teams handed in."""

from __future__ import annotations

import json
import re
import site
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from urllib.parse import unquote, urlparse

from tiltyard_engine.hooks import PROJECT
from tiltyard_engine.registry.sources import HOST_DISTRIBUTION, Origin, Source, normal_name


@dataclass(frozen=True, slots=True)
class Paths:
    """Absolute paths; what lies below ``hidden`` is not readable although it lies below ``readable``."""

    readable: tuple[str, ...]
    hidden: tuple[str, ...]


def paths_for(own: Iterable[Source]) -> Paths:
    """What the code of ``own`` may read: a team's source, and that of the game that it plays."""
    return _paths_for(tuple(own))


@cache
def _paths_for(sources: tuple[Source, ...]) -> Paths:
    names = frozenset(source.distribution for source in sources if source.origin is Origin.INSTALLED)
    installed = _installed_paths(names)
    extra = [path for source in sources for path in (_own_path(source), *source.needs) if path]
    hidden = tuple(path for path in installed.hidden if not any(_is_within(path, own) for own in extra))
    return Paths((*installed.readable, *(path for path in extra if path not in installed.readable)), hidden)


def installed_files(distribution: str) -> list[str]:
    """The topmost files and folders of an installed plugin, whether it is editable or not; empty if it is not installed."""
    found = _plugins().get(distribution)
    return sorted({*_files_of(found), *_links_of(found)}) if found is not None else []


def forget() -> None:
    """Look again at what is installed."""
    _plugins.cache_clear()
    _installed_paths.cache_clear()
    _paths_for.cache_clear()


def _own_path(source: Source) -> str:
    if source.origin is Origin.INSTALLED:
        return ""
    return source.folder if source.origin in (Origin.PROJECT, Origin.PROGRAM) else source.value


def is_own_folder(folder: str, source: Source) -> bool:
    """Whether a folder lies within what a source brings. A single file brings no folder: others may lie beside it."""
    if source.origin is Origin.INSTALLED:
        own = installed_files(source.distribution)
    else:
        own = [] if source.origin in (Origin.FILE, Origin.LIBRARY) else [_own_path(source)]
    return any(path and Path(folder).resolve().is_relative_to(path) for path in own)


@cache
def _installed_paths(names: frozenset[str]) -> Paths:
    """What everybody may read, and what must be hidden from all but the distributions of these names."""
    wanted = _with_requirements(names)
    hidden: set[str] = set()
    kept: set[str] = set()
    linked: set[str] = set()
    for name, distribution in _plugins().items():
        (kept if name in wanted else hidden).update(_files_of(distribution))
        if name in wanted:
            linked.update(_links_of(distribution))
    hidden -= kept
    roots = [path for path in _import_roots() if not any(_is_within(path, other) for other in hidden)]
    return Paths((*roots, *sorted(linked.difference(roots))), tuple(sorted(hidden)))


@cache
def _plugins() -> dict[str, metadata.Distribution]:
    """The installed distributions that contribute something, by name; all of them may be teams, but for the host itself."""
    found: dict[str, metadata.Distribution] = {}
    for distribution in metadata.distributions():
        try:
            contributes = any(entry.group == PROJECT for entry in distribution.entry_points)
            name = normal_name(distribution.metadata["Name"])
        except Exception:  # noqa: S112 -- broken metadata: the registry shows them as a plugin that failed
            continue
        if contributes and name != HOST_DISTRIBUTION:
            found.setdefault(name, distribution)
    return found


def _with_requirements(names: frozenset[str]) -> set[str]:
    """The distributions and the plugins that they say they need, such as a game's."""
    wanted: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in wanted:
            continue
        wanted.add(name)
        distribution = _plugins().get(name)
        for text in (distribution.requires or []) if distribution is not None else []:
            required = re.match(r"[\w.-]+", text)
            if required is not None:
                waiting.append(normal_name(required[0]))
    return wanted


def _import_roots() -> Iterator[str]:
    """The interpreter, its libraries, and every folder that modules are imported from."""
    seen: set[str] = set()
    candidates = [
        *(sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix),
        *(sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")),
        *site.getsitepackages(),
        *sys.path,
    ]
    for candidate in candidates:
        path = str(Path(candidate).resolve())
        if candidate and Path(candidate).is_absolute() and path not in seen and Path(path).exists():
            seen.add(path)
            yield path


def _files_of(distribution: metadata.Distribution) -> Iterator[str]:
    """The distribution's topmost files and folders that are its alone, and its project folder if it is editable."""
    editable = _editable_folder(distribution)
    if editable:
        yield editable
    base = Path(str(distribution.locate_file(""))).resolve()
    for file in distribution.files or []:
        first = file.parts[0]
        path = base / first if len(file.parts) > 1 and _is_import_name(first) else base / file
        if path.exists() and path.resolve().is_relative_to(base):
            yield str(path.resolve())


def _links_of(distribution: metadata.Distribution) -> Iterator[str]:
    """Where packages of the distribution really lie that are links to somewhere else."""
    base = Path(str(distribution.locate_file("")))
    for first in {file.parts[0] for file in distribution.files or [] if len(file.parts) > 1}:
        if (base / first).is_symlink():
            yield str((base / first).resolve())


def _is_import_name(folder: str) -> bool:
    """Whether it is a package or a distribution's metadata: others, such as ``bin``, belong to many."""
    return folder.isidentifier() or folder.endswith(".dist-info")


def _editable_folder(distribution: metadata.Distribution) -> str:
    try:
        about = json.loads(distribution.read_text("direct_url.json") or "{}")
        if not about.get("dir_info", {}).get("editable"):
            return ""
        return str(Path(unquote(urlparse(about["url"]).path)).resolve())
    except (ValueError, KeyError, AttributeError):
        return ""


def _is_within(path: str, folder: str) -> bool:
    return Path(path).is_relative_to(folder)
