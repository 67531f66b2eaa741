"""Which files belong to a plugin: installed or editable, a project, a program or a single file."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlparse

from tiltyard_engine.errors import UserError
from tiltyard_engine.hooks import PROJECT
from tiltyard_engine.registry.file_loaders import FILES_GROUP
from tiltyard_engine.registry.sources import (
    HOST_DISTRIBUTION,
    LARGEST_PROJECT,
    PYPROJECT,
    Origin,
    Source,
    installed_distributions,
    normal_name,
)
from tiltyard_engine.registry.toml_files import read_toml
from tiltyard_simulator.match import file_owners
from tiltyard_simulator.match.file_owners import LIBRARY, NOBODY, Claim, existing, owners_of
from tiltyard_simulator.match.imported_packages import ImportedPackage, packages_from_elsewhere
from tiltyard_simulator.match.own_distributions import OWN_DISTRIBUTIONS

if TYPE_CHECKING:
    from importlib import metadata


@cache
def _distributions() -> tuple[dict[str, metadata.Distribution], list[metadata.Distribution]]:
    """The installed distributions that contribute something, by name, and all others.

    What loads teams' files is among the others, whatever else it contributes: the cells of all these teams need it.
    """
    plugins: dict[str, metadata.Distribution] = {}
    mentioned, rest = installed_distributions()
    others = [*rest]
    for distribution in mentioned:
        try:
            groups = {entry.group for entry in distribution.entry_points}
            contributes = PROJECT in groups and FILES_GROUP not in groups
            name = normal_name(distribution.metadata["Name"])
        except Exception:  # noqa: S112 -- broken metadata: the registry shows them as a plugin that failed
            continue
        if contributes and name != HOST_DISTRIBUTION and name not in plugins:
            plugins[name] = distribution
        else:
            others.append(distribution)
    return plugins, others


def installed_plugins() -> dict[str, metadata.Distribution]:
    """The installed distributions that contribute something, by name, without the host itself. All may be teams."""
    return _distributions()[0]


@cache
def owners() -> Mapping[str, frozenset[str]]:
    """Installed files and folders, and the plugins that they belong to, whatever else their metadata say. See ``file_owners``.

    What is imported instead of them belongs to the same plugins: it is hidden from others as well.

    Raises:
        UserError: as ``imported_from_elsewhere``.
    """
    owners = {**_owners_by_metadata()}
    for package in all_from_elsewhere():
        for place in package.places:
            owners[str(place)] = owners.get(str(place), NOBODY) | {package.distribution}
    return owners


@cache
def _owners_by_metadata() -> Mapping[str, frozenset[str]]:
    plugins, others = _distributions()
    claims = [claim for name, distribution in plugins.items() for claim in existing(claims_of(name, distribution))]
    tops = frozenset(claim.parts[0] for claim in claims)
    for distribution in others:
        # All of them have many thousands of lines: most are only cut.
        firsts = {line.partition("/")[0].partition(",")[0].lstrip('"') for line in _record_of(distribution).splitlines()}
        if not tops.isdisjoint(firsts):
            claims += [claim for claim in existing(claims_of(LIBRARY, distribution)) if claim.parts[0] in tops]
    owners = owners_of(claims)
    for name, distribution in plugins.items():
        folder = editable_folder(name, distribution)
        if folder:
            owners[folder] = owners.get(folder, NOBODY) | {name}
    return owners


def installed_files(distribution: str) -> list[str]:
    """The topmost files and folders of an installed plugin, editable or not; empty if it is not installed."""
    return sorted({str(Path(path).resolve()) for path, names in owners().items() if distribution in names})


@cache
def files_by_metadata(distribution: str) -> list[Path]:
    """As ``installed_files``, but without what is imported instead of them.

    What others claim of the project's own files doesn't count: to know it takes reading the metadata of all that is installed.
    """
    plugin = installed_plugins().get(distribution)
    if distribution not in OWN_DISTRIBUTIONS or plugin is None:
        return sorted({Path(path).resolve() for path, names in _owners_by_metadata().items() if distribution in names})
    own = owners_of(existing(claims_of(distribution, plugin)))
    return sorted({Path(path).resolve() for path in (*own, editable_folder(distribution, plugin)) if path})


@cache
def imported_from_elsewhere(distribution: str) -> tuple[ImportedPackage, ...]:
    """The packages of an installed plugin that are imported from elsewhere than its metadata say.

    Raises:
        UserError: this process imports a package from one place, and those that play matches from another.
    """
    plugin = installed_plugins().get(distribution)
    return () if plugin is None else tuple(packages_from_elsewhere(distribution, plugin, files_by_metadata(distribution)))


def all_from_elsewhere() -> list[ImportedPackage]:
    """The packages of all installed plugins that are imported from elsewhere; errors as ``imported_from_elsewhere``."""
    return [package for name in sorted(installed_plugins()) for package in imported_from_elsewhere(name)]


def own_path(source: Source) -> str:
    """The path of a source that is not installed; empty if it is installed, or has no file."""
    if source.origin in (Origin.INSTALLED, Origin.GIVEN):
        return ""
    return source.folder if source.origin is Origin.PROGRAM else source.folder or source.value


def is_own_folder(folder: str, source: Source) -> bool:
    """Whether a folder belongs to a source. A file of many in a folder has none, because others' files are beside it."""
    if source.origin is Origin.INSTALLED:
        own = installed_files(source.distribution)
    else:
        own = [] if source.origin in (Origin.FILE, Origin.LIBRARY) and not source.folder else [own_path(source)]
    return any(path and Path(folder).resolve().is_relative_to(path) for path in own)


def forget() -> None:
    """Look again at what is installed."""
    _distributions.cache_clear()
    owners.cache_clear()
    _owners_by_metadata.cache_clear()
    files_by_metadata.cache_clear()
    imported_from_elsewhere.cache_clear()
    file_owners.forget()


def links_of(distribution: str) -> Iterator[str]:
    """The targets of the distribution's packages that are links."""
    for path, names in owners().items():
        if distribution in names and Path(path).is_symlink():
            yield str(Path(path).resolve())


def claims_of(who: str, distribution: metadata.Distribution) -> Iterator[Claim]:
    """What a distribution's RECORD lists."""
    base = str(Path(str(distribution.locate_file(""))).resolve())
    try:
        files = distribution.files or []
    except Exception:
        # The standard library raises whatever it happens to stumble over.
        return
    for file in files:
        if file.parts:
            yield Claim(who, base, file.parts, *((file.hash.mode, file.hash.value) if file.hash is not None else ()))


def _record_of(distribution: metadata.Distribution) -> str:
    try:
        return distribution.read_text("RECORD") or ""
    except (OSError, ValueError):
        return ""


def editable_folder(name: str, distribution: metadata.Distribution) -> str:
    """The project folder of an editable installation; empty if there is none, or if the folder is another project's."""
    try:
        about = json.loads(distribution.read_text("direct_url.json") or "{}")
        if not about.get("dir_info", {}).get("editable"):
            return ""
        folder = Path(unquote(urlparse(about["url"]).path)).resolve()
        return str(folder) if _is_project(folder, name) else ""
    except (UserError, OSError, ValueError, KeyError, AttributeError, TypeError, RecursionError):
        return ""


def _is_project(folder: Path, name: str) -> bool:
    """Whether a project of that name lies there. One that does not state its name must not contain the interpreter."""
    pyproject = folder / PYPROJECT
    stated = None
    if pyproject.is_file():
        by_toml = not _begins_with_name(pyproject, name)
        stated = read_toml(pyproject, LARGEST_PROJECT).get("project", {}).get("name") if by_toml else name
    if stated is not None:
        return normal_name(stated) == name
    is_old = any((folder / file).is_file() for file in ("setup.py", "setup.cfg", PYPROJECT))
    return is_old and not any(Path(root).resolve().is_relative_to(folder) for root in (sys.prefix, sys.base_prefix))


def _begins_with_name(pyproject: Path, name: str) -> bool:
    """Whether the project's table begins with that name. The parser of TOML takes longer to be imported than many a command."""
    with suppress(OSError, ValueError), pyproject.open(encoding="utf-8") as file:
        above, _, below = f"\n{file.read(LARGEST_PROJECT)}".partition('\n[project]\nname = "')
        stated, end, _ = below.partition('"\n')
        # Without such quotes above it, no text goes over several lines: what looks like a table is one.
        return bool(end) and normal_name(stated) == name and not any(quotes in above for quotes in ('"""', "'''"))
    return False
